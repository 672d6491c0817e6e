// Forms for patterns that are written wrongly. With them, the compiler's error shows how to write the pattern.

extension Soup {
  @available(
    *, unavailable, message: "a reaction of states alone would fire for ever: add a molecule, react(state: s, molecule)"
  )
  @discardableResult
  public func react<S: ~Copyable & SendableMetatype, Failure: Error>(
    state s: State<S>, on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (inout S) throws(Failure) -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(
    *, unavailable, message: "a reaction of states alone would fire for ever: add a molecule, react(state: s, molecule)"
  )
  @discardableResult
  public func react<S: ~Copyable & SendableMetatype, T: ~Copyable & SendableMetatype, Failure: Error>(
    state s: State<S>, state t: State<T>, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, inout T) throws(Failure) -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable, message: "name the state first: react(state: s, molecule) { s, value in … }")
  @discardableResult
  public func react<A: Input<U>, U, S: ~Copyable & SendableMetatype, Failure: Error>(
    _ a: A, state s: State<S>, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout U, inout S) throws(Failure) -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(
    *, unavailable, message: "a reaction of states alone would fire for ever: add a molecule, react(state: s, molecule)"
  )
  @discardableResult
  public func react<
    S: ~Copyable & SendableMetatype, T: ~Copyable & SendableMetatype, U: ~Copyable & SendableMetatype, Failure: Error
  >(
    state s: State<S>, state t: State<T>, state u: State<U>, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, inout T, inout U) throws(Failure) -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable, message: "a pattern has at most three states: keep several values in one, as a struct")
  @discardableResult
  public func react<
    S: ~Copyable & SendableMetatype, T: ~Copyable & SendableMetatype, U: ~Copyable & SendableMetatype,
    V: ~Copyable & SendableMetatype, A: Input, Failure: Error
  >(
    state s: State<S>, state t: State<T>, state u: State<U>, state v: State<V>, _ a: A, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, inout T, inout U, inout V, A.Argument) throws(Failure) -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable, message: "name an array as any other input, without a label: react(molecule, names)")
  @discardableResult
  public func react<each I: Input, Name: Consumable>(
    _ inputs: repeat each I, all names: [Name], on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (repeat (each I).Argument, [Name.Argument]) -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable, message: "say how the actor is kept: on: .actor(account), or on: .actor(weak: account)")
  @discardableResult
  public func react<A: Input, Isolation: Actor>(
    _ a: A, on actor: Isolation, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, A.Argument) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable, message: "say how the actor is kept: on: .actor(account), or on: .actor(weak: account)")
  @discardableResult
  public func react<S: ~Copyable & SendableMetatype, A: Input, Isolation: Actor>(
    state s: State<S>, _ a: A, on actor: Isolation, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, inout S, A.Argument) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }
}
