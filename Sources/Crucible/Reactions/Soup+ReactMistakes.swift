// Patterns that are written wrongly, so that the compiler says how to write them.

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

  @available(*, unavailable, message: "at most five inputs beside a state: write several as one, Soup.Group(a, b)")
  @discardableResult
  public func react<
    S: ~Copyable & SendableMetatype, A: Input, B: Input, C: Input, D: Input, E: Input, F: Input, Failure: Error
  >(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout S, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument)
      throws(Failure) -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable, message: "at most four inputs beside two states: write several as one, Soup.Group(a, b)")
  @discardableResult
  public func react<
    S: ~Copyable & SendableMetatype, T: ~Copyable & SendableMetatype, A: Input, B: Input, C: Input, D: Input, E: Input,
    Failure: Error
  >(
    state s: State<S>, state t: State<T>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout S, inout T, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument) throws(Failure)
      -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable, message: "one input beside three states: write several as one, Soup.Group(a, b)")
  @discardableResult
  public func react<
    S: ~Copyable & SendableMetatype, T: ~Copyable & SendableMetatype, U: ~Copyable & SendableMetatype, A: Input,
    B: Input, Failure: Error
  >(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, _ b: B, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, inout T, inout U, A.Argument, B.Argument) throws(Failure) -> Void
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
