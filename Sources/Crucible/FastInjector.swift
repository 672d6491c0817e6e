public import CCrucible

/// The name of a fast molecule: calling it injects one and waits for the reply of the reaction that consumed that very one.
///
/// ```swift
/// let double = Soup.define { soup in
///   let double = soup.fast("double", of: Int.self, returning: Int.self)
///   soup.react(double) { call in call.reply(2 * call.input) }
///   return double
/// }
/// let four = try await double(2)          // suspends the task
/// let six  = try double.blocking(3)       // blocks the thread
/// ```
public struct FastInjector<Input: Sendable, Output: Sendable>: @unchecked Sendable, Leaving, Consumable {
  @usableFromInline let name: OpaquePointer
  @usableFromInline let handle: SoupHandle
  @usableFromInline let owns: Bool

  init(name: OpaquePointer, handle: SoupHandle) {
    self.name = name
    self.handle = handle
    owns = handle.owns
  }

  /// Injects a molecule and suspends the task until a reaction replies to it.
  ///
  /// If a reaction placed ``Placement/inline`` can fire, it runs before this suspends, and if it replies at once the task
  /// is not suspended at all. Cancelling the task does not end the wait.
  ///
  /// - Throws: ``CallError/neverReplied`` when the reaction that consumed the molecule dropped the call;
  ///   ``CallError/gone`` when the soup is gone; ``CallError/noMemory``.
  /// - Complexity: as ``Injector/callAsFunction(_:)``, some small allocations for each call. Never blocks the thread on
  ///   ``Matcher/word``.
  public func callAsFunction(_ input: Input) async throws(CallError) -> Output {
    let pending = PendingReply<Output>()
    try inject(input, waiter: pending.waiter, result: pending.result)
    await pending.wait()
    return try pending.take()
  }

  /// Injects a molecule and blocks the thread until a reaction replies to it.
  ///
  /// If a reaction placed ``Placement/inline`` can fire, it runs on this thread. Otherwise the thread spins for some
  /// microseconds, then sleeps; a thread of the pool is replaced by another one meanwhile. Not to be called from a task's
  /// thread, which the compiler sees to: use ``callAsFunction(_:)`` there.
  ///
  /// - Throws: as ``callAsFunction(_:)``.
  /// - Complexity: as ``Injector/callAsFunction(_:)``; no allocation once the thread has made a call.
  @available(*, noasync, message: "await the call instead of blocking a thread of Swift concurrency")
  @inlinable
  public func blocking(_ input: Input) throws(CallError) -> Output {
    var result: Output?
    var waiter = crucible_waiter()
    let refused = withUnsafeMutablePointer(to: &waiter) { waiter in
      withUnsafeMutablePointer(to: &result) { result -> CallError? in
        do throws(CallError) {
          try inject(input, waiter: waiter, result: result)
        } catch {
          return error
        }
        crucible_waiter_wait(waiter)
        return nil
      }
    }
    if let refused { throw refused }
    guard let result else { throw CallError(outcome: waiter.outcome) }
    return result
  }

  /// Injects the call; from then on the waiter is signalled exactly once.
  @inlinable
  func inject(
    _ input: Input, waiter: UnsafeMutablePointer<crucible_waiter>, result: UnsafeMutablePointer<Output?>
  ) throws(CallError) {
    defer { withExtendedLifetime(handle) {} }
    let call = Call<Input, Output>(
      input: input, token: ReplyToken.make(waiter: waiter, result: UnsafeMutableRawPointer(result)))
    if !Payload<Call<Input, Output>>.inject(consume call, into: name, owns: owns) {
      throw CallError.refused(name)
    }
  }

  public func owning() -> FastInjector { FastInjector(name: name, handle: handle.owning()) }

  public typealias Argument = Call<Input, Output>
  @inlinable public var _name: OpaquePointer { name }
  @inlinable public static func _take(_ input: UnsafeMutableRawPointer) -> Call<Input, Output> {
    Payload<Call<Input, Output>>.take(input)
  }
  @inlinable public static func _finish(_ argument: inout Call<Input, Output>) { argument.finish() }
}

extension FastInjector where Input == Void {
  /// Injects a molecule without a value and suspends the task until a reaction replies to it.
  public func callAsFunction() async throws(CallError) -> Output { try await callAsFunction(()) }

  /// Injects a molecule without a value and blocks the thread until a reaction replies to it.
  @available(*, noasync, message: "await the call instead of blocking a thread of Swift concurrency")
  @inlinable
  public func blocking() throws(CallError) -> Output { try blocking(()) }
}
