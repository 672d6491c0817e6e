public import CCrucible

extension Soup {
  /// The name of a fact: a molecule that stays. A program injects it once. From then on, every reaction that names the
  /// fact may fire, reads its value, and does not consume it.
  ///
  /// ```swift
  /// let (answer, ask) = Soup.define { soup in
  ///   let answer = soup.fact("answer", of: Int.self)
  ///   let ask = soup.fast("ask", returning: Int.self)
  ///   soup.react(ask, answer, on: .inline) { call, answer in call.reply(answer) }
  ///   return (answer, ask)
  /// }
  /// answer(42)                    // true: the first
  /// answer(43)                    // false: nothing changes
  /// let known = try await ask()   // 42, at any time
  /// ```
  ///
  /// Bodies that read one fact do not wait for each other. Clearing a soup leaves facts. Restarting it forgets them.
  ///
  /// In a pattern, facts come last, behind the inputs that the reaction consumes. A reaction of facts and states alone
  /// is an error, because it would fire for ever.
  ///
  /// From I-structures: Arvind, Nikhil and Pingali, TOPLAS 11 (1989), doi:10.1145/69558.69562.
  public struct Fact<Value: Sendable>: @unchecked Sendable, Name {
    @usableFromInline let name: OpaquePointer
    @usableFromInline let handle: SoupHandle
    @usableFromInline let owns: Bool

    @inlinable
    init(name: OpaquePointer, handle: SoupHandle) {
      self.name = name
      self.handle = handle
      owns = handle.owns
    }

    /// Injects the fact, unless it is known already. Reactions placed ``Placement/inline`` may run before this returns.
    ///
    /// - Returns: whether this injection was the first. False may come a moment before readers find the fact known.
    ///   False also means that the soup is gone or stopped, or drains. The value is then destroyed.
    /// - Complexity: O(reactions of the soup). Lock-free on ``Soup/Matcher/word``.
    @inlinable
    @discardableResult
    public func callAsFunction(_ value: Value) -> Bool {
      defer { withExtendedLifetime(handle) {} }
      return Payload<Value>.inject(value, into: name, owns: owns)
    }

    /// Whether the fact is known now. False also if the soup is gone.
    ///
    /// - Complexity: O(1), wait-free.
    public var isKnown: Bool { crucible_fact_is_known(name) }

    public static func _own(_ name: UnsafeMutableRawPointer) { AnyName.own(name) }

    public typealias Argument = Value
    @inlinable public var _name: OpaquePointer? { name }
    @inlinable public static func _take(_ inputs: inout Soup._Inputs) -> Value { Payload<Value>.read(inputs.take()) }
  }

  /// Declares a fact: a molecule that a program injects once, and that stays. Without `of`, it carries nothing.
  ///
  /// - Complexity: O(1), as for every name.
  @inlinable
  public func fact<Value: Sendable>(
    _ label: String, of: Value.Type = Void.self, file: StaticString = #fileID, line: UInt = #line
  ) -> Fact<Value> {
    Fact(name: declareValue(label, CRUCIBLE_FACT, of: Value.self, at: StaticSource(file, line)), handle: takeHandle())
  }
}

extension Soup.Fact where Value == Void {
  /// Injects a fact that carries nothing.
  @inlinable
  @discardableResult
  public func callAsFunction() -> Bool { callAsFunction(()) }
}
