// Forms for patterns with more inputs than `react` has parameters. With them, the compiler's error shows how to write
// the pattern: as one input, a group.
//
// No closure has the type `TooManyInputs`, so every call of the first seven forms fails. The error names the type that
// the body should have, and the name of this type is the message. One form serves any number of inputs, because its
// inputs are existentials and variadic. The compiler need not inspect the body for it.
//
// The last seven forms spell out the body's type, as a working form does. Without them the compiler would choose a form
// of another placement with the same number of inputs, and report the placement as the error. The compiler reports an
// error in their body first.

extension Soup {
  /// The types that an error of the compiler names, if a pattern has too many inputs.
  @_documentation(visibility: internal)
  public enum TooManyInputs {
    public enum `at most four inputs beside a state, three for an async body: write several as one, Soup.Group(a, b)` {}
    public enum `at most three inputs beside a state on an actor: write several as one, Soup.Group(a, b)` {}
    public enum `one input beside two states or three: write several as one, Soup.Group(a, b)` {}
    public enum `at most two inputs on an actor: write several as one, Soup.Group(a, b)` {}
  }

  @available(*, unavailable)
  @discardableResult
  public func react(
    state s: any Input, _ a: any Input, _ b: any Input, _ c: any Input, _ d: any Input, _ e: any Input,
    _ more: any Input..., on placement: Placement? = nil, recovery: Recovery = .report,
    _ body:
      TooManyInputs
      .`at most four inputs beside a state, three for an async body: write several as one, Soup.Group(a, b)`
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable)
  @discardableResult
  public func react(
    state s: any Input, _ a: any Input, _ b: any Input, _ c: any Input, _ d: any Input, _ e: any Input,
    _ more: any Input..., on place: MainPlacement, recovery: Recovery = .report,
    _ body: TooManyInputs.`at most three inputs beside a state on an actor: write several as one, Soup.Group(a, b)`
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable)
  @discardableResult
  public func react<Isolation: Actor>(
    state s: any Input, _ a: any Input, _ b: any Input, _ c: any Input, _ d: any Input, _ e: any Input,
    _ more: any Input..., on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    _ body: TooManyInputs.`at most three inputs beside a state on an actor: write several as one, Soup.Group(a, b)`
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable)
  @discardableResult
  public func react(
    state s: any Input, state t: any Input, state u: (any Input)? = nil, _ a: any Input, _ b: any Input,
    _ more: any Input..., on placement: Placement? = nil, recovery: Recovery = .report,
    _ body: TooManyInputs.`one input beside two states or three: write several as one, Soup.Group(a, b)`
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable)
  @discardableResult
  public func react(
    state s: any Input, state t: any Input, state u: (any Input)? = nil, _ a: any Input, _ b: any Input,
    _ more: any Input..., on place: MainPlacement, recovery: Recovery = .report,
    _ body: TooManyInputs.`one input beside two states or three: write several as one, Soup.Group(a, b)`
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable)
  @discardableResult
  public func react<Isolation: Actor>(
    state s: any Input, state t: any Input, state u: (any Input)? = nil, _ a: any Input, _ b: any Input,
    _ more: any Input..., on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    _ body: TooManyInputs.`one input beside two states or three: write several as one, Soup.Group(a, b)`
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable)
  @discardableResult
  public func react<Isolation: Actor>(
    _ a: any Input, _ b: any Input, _ c: any Input, _ d: any Input, _ e: any Input, _ f: any Input, _ g: any Input,
    _ more: any Input..., on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    _ body: TooManyInputs.`at most two inputs on an actor: write several as one, Soup.Group(a, b)`
  ) -> Reaction { fatalError("unavailable") }

  @available(
    *, unavailable,
    message: "at most three inputs beside a state for an async body: write several as one, Soup.Group(a, b)"
  )
  @discardableResult
  public func react<S: ~Copyable & SendableMetatype, A: Input, B: Input, C: Input, D: Input>(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, on placement: Placement? = nil, recovery: Recovery = .report,
    _ body: @escaping @Sendable (inout S, A.Argument, B.Argument, C.Argument, D.Argument) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(
    *, unavailable, message: "at most three inputs beside a state on an actor: write several as one, Soup.Group(a, b)"
  )
  @discardableResult
  public func react<S: ~Copyable & SendableMetatype, A: Input, B: Input, C: Input, D: Input>(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, on place: MainPlacement, recovery: Recovery = .report,
    _ body:
      @escaping @MainActor @Sendable (inout S, A.Argument, B.Argument, C.Argument, D.Argument) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(
    *, unavailable, message: "at most three inputs beside a state on an actor: write several as one, Soup.Group(a, b)"
  )
  @discardableResult
  public func react<
    S: ~Copyable & SendableMetatype, A: Input, B: Input, C: Input, D: Input, Isolation: Actor
  >(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report,
    _ body:
      @escaping @Sendable (isolated Isolation, inout S, A.Argument, B.Argument, C.Argument, D.Argument) async throws ->
      Void
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable, message: "at most two inputs on an actor: write several as one, Soup.Group(a, b)")
  @discardableResult
  public func react<A: Input, B: Input, C: Input, Isolation: Actor>(
    _ a: A, _ b: B, _ c: C, on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    _ body: @escaping @Sendable (isolated Isolation, A.Argument, B.Argument, C.Argument) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable, message: "at most two inputs on an actor: write several as one, Soup.Group(a, b)")
  @discardableResult
  public func react<A: Input, B: Input, C: Input, D: Input, Isolation: Actor>(
    _ a: A, _ b: B, _ c: C, _ d: D, on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    _ body:
      @escaping @Sendable (isolated Isolation, A.Argument, B.Argument, C.Argument, D.Argument) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable, message: "at most two inputs on an actor: write several as one, Soup.Group(a, b)")
  @discardableResult
  public func react<A: Input, B: Input, C: Input, D: Input, E: Input, Isolation: Actor>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    _ body:
      @escaping @Sendable (isolated Isolation, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument) async throws
      -> Void
  ) -> Reaction { fatalError("unavailable") }

  @available(*, unavailable, message: "at most two inputs on an actor: write several as one, Soup.Group(a, b)")
  @discardableResult
  public func react<A: Input, B: Input, C: Input, D: Input, E: Input, F: Input, Isolation: Actor>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    _ body:
      @escaping @Sendable (isolated Isolation, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument)
      async throws -> Void
  ) -> Reaction { fatalError("unavailable") }
}
