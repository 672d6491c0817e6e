public import Dispatch

// Forms for patterns that are written wrongly. With them, the compiler's error shows how to write the pattern.
//
// No closure has a type of `Mistake`, so every call of the first forms fails. The error names the type that the body
// should have, and the name of this type is the message. One form serves any number of inputs, because its inputs are
// existentials and variadic, and any placement. The compiler need not inspect the body for it.
//
// The last forms spell out the body's type, as a working form does. Without them the compiler would choose a form of
// another placement with the same number of inputs, and report the placement as the error. The compiler reports an
// error in their body first. Such a call type-checks, and fails because a conformance is unavailable. If the form
// itself were unavailable, the compiler would search the call for a mistake, and take seconds for operators in it.

@available(*, unavailable)
@_documentation(visibility: internal)
extension Soup {
  public func react<Place: _AnyPlacement>(
    state s: any Input, _ a: any Input, _ b: any Input, _ c: any Input, _ d: any Input, _ e: any Input,
    _ more: any Input..., on place: Place = Placement.automatic, recovery: Recovery = .report,
    _ body: Place._ManyBesideAState
  ) -> Reaction { fatalError("unavailable") }

  public func react<Place: _AnyPlacement>(
    state s: any Input, state t: any Input, state u: (any Input)? = nil, _ a: any Input, _ b: any Input,
    _ more: any Input..., on place: Place = Placement.automatic, recovery: Recovery = .report,
    _ body: Mistake.`one input beside two states or three: write several as one, Soup.Group(a, b)`
  ) -> Reaction { fatalError("unavailable") }

  public func react<Isolation: Actor>(
    _ a: any Input, _ b: any Input, _ c: any Input, _ d: any Input, _ e: any Input, _ f: any Input, _ g: any Input,
    _ more: any Input..., on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    _ body: Mistake.`at most two inputs on an actor: write several as one, Soup.Group(a, b)`
  ) -> Reaction { fatalError("unavailable") }

  public func react(
    state s: any Input, state t: (any Input)? = nil, state u: (any Input)? = nil, on placement: Placement? = nil,
    recovery: Recovery = .report,
    _ body: Mistake.`a reaction of states alone would fire for ever: add a molecule, react(state: s, molecule)`
  ) -> Reaction { fatalError("unavailable") }

  public func react(
    state s: any Input, state t: any Input, state u: any Input, state v: any Input, _ inputs: any Input...,
    on placement: Placement? = nil, recovery: Recovery = .report,
    _ body: Mistake.`a pattern has at most three states: keep several values in one, as a struct`
  ) -> Reaction { fatalError("unavailable") }

  public func react(
    _ a: any Input, state s: any Input, on placement: Placement? = nil, recovery: Recovery = .report,
    _ body: Mistake.`name the state first: react(state: s, molecule) { s, value in … }`
  ) -> Reaction { fatalError("unavailable") }

  public func react(
    _ inputs: any Input..., all names: any Input, on placement: Placement? = nil, recovery: Recovery = .report,
    _ body: Mistake.`name an array as any other input, without a label: react(molecule, names)`
  ) -> Reaction { fatalError("unavailable") }
}

@_documentation(visibility: internal)
extension Soup {
  /// The types that an error of the compiler names, if a pattern is written wrongly.
  public enum Mistake {
    public enum `at most four inputs beside a state, three for an async body: write several as one, Soup.Group(a, b)` {}
    public enum `at most three inputs beside a state on an actor: write several as one, Soup.Group(a, b)` {}
    public enum `one input beside two states or three: write several as one, Soup.Group(a, b)` {}
    public enum `at most two inputs on an actor: write several as one, Soup.Group(a, b)` {}
    public enum `a reaction of states alone would fire for ever: add a molecule, react(state: s, molecule)` {}
    public enum `a pattern has at most three states: keep several values in one, as a struct` {}
    public enum `name the state first: react(state: s, molecule) { s, value in … }` {}
    public enum `name an array as any other input, without a label: react(molecule, names)` {}
  }

  @discardableResult
  public func react<S: ~Copyable & SendableMetatype, A: Input, B: Input, C: Input, D: Input, Place: _FourBesideAState>(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, on place: Place = Placement.automatic,
    recovery: Recovery = .report,
    _ body:
      @escaping @MainActor @Sendable (inout S, A.Argument, B.Argument, C.Argument, D.Argument) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }

  @discardableResult
  public func react<S: ~Copyable & SendableMetatype, A, B, C, D, Isolation: Actor, Why: _Mistake>(
    state s: State<S>, _ a: some Input<A>, _ b: some Input<B>, _ c: some Input<C>, _ d: some Input<D>,
    on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    _ why: Why.Type = _FourBesideAStateOnAnActor.self,
    _ body: @escaping @Sendable (isolated Isolation, inout S, A, B, C, D) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }

  @discardableResult
  public func react<A, B, C, Isolation: Actor, Why: _Mistake>(
    _ a: some Input<A>, _ b: some Input<B>, _ c: some Input<C>, on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report, _ why: Why.Type = _ManyOnAnActor.self,
    _ body: @escaping @Sendable (isolated Isolation, A, B, C) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }

  @discardableResult
  public func react<A, B, C, D, Isolation: Actor, Why: _Mistake>(
    _ a: some Input<A>, _ b: some Input<B>, _ c: some Input<C>, _ d: some Input<D>, on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report, _ why: Why.Type = _ManyOnAnActor.self,
    _ body: @escaping @Sendable (isolated Isolation, A, B, C, D) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }

  @discardableResult
  public func react<A, B, C, D, E, Isolation: Actor, Why: _Mistake>(
    _ a: some Input<A>, _ b: some Input<B>, _ c: some Input<C>, _ d: some Input<D>,
    _ e: some Input<E>, on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    _ why: Why.Type = _ManyOnAnActor.self,
    _ body: @escaping @Sendable (isolated Isolation, A, B, C, D, E) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }

  @discardableResult
  public func react<A, B, C, D, E, F, Isolation: Actor, Why: _Mistake>(
    _ a: some Input<A>, _ b: some Input<B>, _ c: some Input<C>, _ d: some Input<D>,
    _ e: some Input<E>, _ f: some Input<F>, on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    _ why: Why.Type = _ManyOnAnActor.self,
    _ body: @escaping @Sendable (isolated Isolation, A, B, C, D, E, F) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }

  @discardableResult
  public func react<A, Isolation: Actor, Why: _Mistake>(
    _ a: some Input<A>, on actor: Isolation, recovery: Recovery = .report, _ why: Why.Type = _ActorAsAPlacement.self,
    _ body: @escaping @Sendable (isolated Isolation, A) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }

  @discardableResult
  public func react<S: ~Copyable & SendableMetatype, A, Isolation: Actor, Why: _Mistake>(
    state s: State<S>, _ a: some Input<A>, on actor: Isolation, recovery: Recovery = .report,
    _ why: Why.Type = _ActorAsAPlacement.self,
    _ body: @escaping @Sendable (isolated Isolation, inout S, A) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }
}

/// A mistake in a call of `react`. Its conformance is unavailable, and says what to write instead.
public protocol _Mistake {}

public enum _FourBesideAStateOnAnActor {}
@available(
  *, unavailable, message: "at most three inputs beside a state on an actor: write several as one, Soup.Group(a, b)"
)
extension _FourBesideAStateOnAnActor: _Mistake {}

public enum _ManyOnAnActor {}
@available(*, unavailable, message: "at most two inputs on an actor: write several as one, Soup.Group(a, b)")
extension _ManyOnAnActor: _Mistake {}

public enum _ActorAsAPlacement {}
@available(*, unavailable, message: "say how the actor is kept: on: .actor(account), or on: .actor(weak: account)")
extension _ActorAsAPlacement: _Mistake {}

/// A placement of any kind.
public protocol _AnyPlacement {
  associatedtype _ManyBesideAState
}
extension Placement: _AnyPlacement {
  public typealias _ManyBesideAState = Soup.Mistake
    .`at most four inputs beside a state, three for an async body: write several as one, Soup.Group(a, b)`
}
extension MainPlacement: _AnyPlacement {
  public typealias _ManyBesideAState = Soup.Mistake
    .`at most three inputs beside a state on an actor: write several as one, Soup.Group(a, b)`
}
extension ActorPlacement: _AnyPlacement {
  public typealias _ManyBesideAState = MainPlacement._ManyBesideAState
}

public protocol _FourBesideAState: _AnyPlacement {}
@available(
  *, unavailable,
  message: "at most three inputs beside a state for an async body: write several as one, Soup.Group(a, b)"
)
extension Placement: _FourBesideAState {}
@available(
  *, unavailable, message: "at most three inputs beside a state on an actor: write several as one, Soup.Group(a, b)"
)
extension MainPlacement: _FourBesideAState {}

// So that the compiler finds the placements by their names.
extension _AnyPlacement where Self == Placement {
  @_documentation(visibility: internal)
  public static var automatic: Self { .automatic }
  @_documentation(visibility: internal)
  public static var pool: Self { .pool }
  @_documentation(visibility: internal)
  public static var inline: Self { .inline }
  @_documentation(visibility: internal)
  public static var task: Self { .task }
  @_documentation(visibility: internal)
  public static func queue(_ queue: DispatchQueue, isConcurrent: Bool = false) -> Self { .queue(queue) }
  @_documentation(visibility: internal)
  public static func executor(_ executor: any TaskExecutor) -> Self { .executor(executor) }
  @_documentation(visibility: internal)
  public static func loop(_ loop: any ReactionLoop) -> Self { .loop(loop) }
}
extension _AnyPlacement where Self == MainPlacement {
  @_documentation(visibility: internal)
  public static var main: Self { .main }
}
extension _AnyPlacement {
  @_documentation(visibility: internal)
  public static func actor<A: Actor>(_ actor: A) -> Self where Self == ActorPlacement<A> { .actor(actor) }
  @_documentation(visibility: internal)
  public static func actor<A: Actor>(weak actor: A) -> Self where Self == ActorPlacement<A> { .actor(weak: actor) }
}
