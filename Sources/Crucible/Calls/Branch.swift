extension Soup {
  /// A branch of a select, `Soup.first(of:)`: a call on a name, which takes place only if no other branch does.
  ///
  /// ```swift
  /// let branches = inboxes.map { $0.call() }
  /// let message = try await Soup.first(of: branches)
  /// ```
  ///
  /// A branch is a description: any number of selects may use it, one after the other or at once.
  public struct Branch<Result: Sendable>: @unchecked Sendable {
    let name: OpaquePointer
    /// Creates the call for one select.
    let begin: @Sendable () -> OpenBranch<Result>

    /// Makes the same branch, with another result.
    ///
    /// - Parameter transform: makes the result of the reply. The caller of the select runs it, after the reply.
    /// - Complexity: O(1), and an allocation.
    public func map<Other>(_ transform: @escaping @Sendable (Result) -> Other) -> Branch<Other> {
      Branch<Other>(name: name) { [begin] in
        let branch = begin()
        return OpenBranch(call: branch.call) { () throws(CallError) in transform(try branch.result()) }
      }
    }
  }
}

extension FastInjector {
  /// Makes a call of this name a branch of a select, `Soup.first(of:)`. Injects nothing by itself.
  ///
  /// - Complexity: O(1), and an allocation.
  public func call(_ input: Input) -> Soup.Branch<Output> {
    Soup.Branch(name: name) {
      let call = CallOfBranch(input, self)
      return OpenBranch(call: call, result: call.result)
    }
  }

  /// Makes a call of this name a branch, with a result that a closure makes of the reply, as `map` does.
  public func call<Result>(
    _ input: Input, _ transform: @escaping @Sendable (Output) -> Result
  ) -> Soup.Branch<Result> {
    call(input).map(transform)
  }
}

extension FastInjector where Input == Void {
  /// Makes a call of this name, without a value, a branch of a select.
  public func call() -> Soup.Branch<Output> { call(()) }

  /// Makes a call of this name, without a value, a branch, with a result that a closure makes of the reply.
  public func call<Result>(_ transform: @escaping @Sendable (Output) -> Result) -> Soup.Branch<Result> {
    call((), transform)
  }
}
