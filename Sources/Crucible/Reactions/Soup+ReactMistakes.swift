public import Dispatch

// Forms for patterns that are written wrongly. With them, the compiler's error shows how to write the pattern: it names
// a type of `Mistake`, and the name is the message.
//
// No closure has a type of `Mistake`, so every call of the first two forms fails. Their inputs are existentials and
// variadic, so one form serves any number of inputs, and any placement. The compiler need not inspect the body for it.
//
// The next two forms fail because no actor conforms to a protocol of `Mistake`. Like the last ones they spell out the
// body's type, as a working form does. Without them the compiler would choose a form of another placement with the same
// number of inputs, and report the placement as the error.
//
// The compiler reports an error in the body of the last two first. Such a call type-checks, and fails because a
// conformance is unavailable. If the form itself were unavailable, the compiler would search the call for a mistake,
// and take seconds for operators in it.

@available(*, unavailable)
@_documentation(visibility: internal)
extension Soup {
  public func react<Second: _PerhapsState>(
    state s: any Input, state t: Second = _NoState.none, state u: (any Input)? = nil, state v: (any Input)? = nil,
    _ a: any Input, _ more: any Input..., on place: some _AnyPlacement = Placement.automatic,
    recovery: Recovery = .report, _ body: Second._TooMany
  ) -> Reaction { fatalError("unavailable") }

  public func react(
    _ inputs: any Input..., state s: any Input, state t: (any Input)? = nil, state u: (any Input)? = nil,
    on placement: Placement? = nil, recovery: Recovery = .report,
    _ body: Mistake.`states first, then a molecule, for states alone would fire for ever: react(state: s, molecule)`
  ) -> Reaction { fatalError("unavailable") }
}

@_documentation(visibility: internal)
extension Soup {
  /// The types that an error of the compiler names, if a pattern is written wrongly.
  public enum Mistake {
    public protocol
      `at most four inputs beside a state, three if async or on an actor: write several as one, Soup.Group(a, b)`
    {}
    public protocol `at most two inputs on an actor: write several as one, Soup.Group(a, b)` {}
    public protocol `say how the actor is kept: on: .actor(account), or on: .actor(weak: account)`: _AnyPlacement {
      associatedtype Isolation: Actor
    }
    public enum
      `at most three states, and one input beside two or three: write several as one, a struct or Soup.Group(a, b)`
    {}
    public enum `states first, then a molecule, for states alone would fire for ever: react(state: s, molecule)` {}
  }

  @discardableResult
  public func react<S: ~Copyable & SendableMetatype, A: Input, each More: Input, Isolation: Actor>(
    state s: State<S>, _ a: A, _ more: repeat each More, on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report,
    _ body:
      @escaping @Sendable (isolated Isolation, inout S, A.Argument, repeat (each More).Argument) async throws ->
      Void
  ) -> Reaction
  where
    Isolation: Mistake
      .`at most four inputs beside a state, three if async or on an actor: write several as one, Soup.Group(a, b)`
  { fatalError("unavailable") }

  @discardableResult
  public func react<
    A: Input, each More: Input,
    Place: Mistake.`say how the actor is kept: on: .actor(account), or on: .actor(weak: account)`
  >(
    _ a: A, _ more: repeat each More, on place: Place, recovery: Recovery = .report,
    _ body: @escaping @Sendable (isolated Place.Isolation, A.Argument, repeat (each More).Argument) async throws -> Void
  ) -> Reaction
  where Place.Isolation: Mistake.`at most two inputs on an actor: write several as one, Soup.Group(a, b)` {
    fatalError("unavailable")
  }

  @discardableResult
  public func react<S: ~Copyable & SendableMetatype, A: Input, B: Input, C: Input, D: Input, Why: _Mistake>(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, on place: some _AnyPlacement = Placement.automatic,
    recovery: Recovery = .report, why: Why.Type = _FourBesideAState.self,
    _ body:
      @escaping @MainActor @Sendable (inout S, A.Argument, B.Argument, C.Argument, D.Argument) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }

  @discardableResult
  public func react<S: ~Copyable & SendableMetatype, A, Isolation: Actor, Why: _Mistake>(
    state s: State<S>, _ a: some Input<A>, on actor: Isolation, recovery: Recovery = .report,
    why: Why.Type = _ActorAsAPlacement.self,
    _ body: @escaping @Sendable (isolated Isolation, inout S, A) async throws -> Void
  ) -> Reaction { fatalError("unavailable") }
}

/// A mistake in a call of `react`. Its conformance is unavailable, and says what to write instead.
public protocol _Mistake {}

public enum _FourBesideAState {}
@available(
  *, unavailable,
  message: "at most four inputs beside a state, three if async or on an actor: write several as one, Soup.Group(a, b)"
)
extension _FourBesideAState: _Mistake {}

public enum _ActorAsAPlacement {}
@available(*, unavailable, message: "say how the actor is kept: on: .actor(account), or on: .actor(weak: account)")
extension _ActorAsAPlacement: _Mistake {}

/// A second state, or none.
public protocol _PerhapsState {
  associatedtype _TooMany
}
public enum _NoState: _PerhapsState {
  case none
  public typealias _TooMany = any Soup.Mistake
    .`at most four inputs beside a state, three if async or on an actor: write several as one, Soup.Group(a, b)`
}
extension Soup.State: _PerhapsState where Value: ~Copyable {
  public typealias _TooMany = Soup.Mistake
    .`at most three states, and one input beside two or three: write several as one, a struct or Soup.Group(a, b)`
}

/// A placement of any kind.
public protocol _AnyPlacement {}
extension Placement: _AnyPlacement {}
extension MainPlacement: _AnyPlacement {}
extension ActorPlacement: Soup.Mistake.`say how the actor is kept: on: .actor(account), or on: .actor(weak: account)` {}

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
