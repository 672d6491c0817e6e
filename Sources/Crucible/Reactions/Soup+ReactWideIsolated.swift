// The wide forms with states, on the main actor and on actors.

extension Soup {
  /// Declares a reaction over three states and one molecule on the main actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, on place: MainPlacement,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (inout sending S, inout sending T, inout sending U, A.Argument) async throws ->
      Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, Source(file, line), s.part, t.part, u.part, One(a)) { _, s, t, u, a in
      try await body(&s.value, &t.value, &u.value, a)
    }
  }

  /// Declares a reaction over a state and six molecules or more on the main actor.
  @discardableResult
  public func react<
    S: ~Copyable, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable,
    each More: Consumable
  >(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ more: repeat each More,
    on place: MainPlacement, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (
        inout sending S,
        Values<(A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument, repeat (each More).Argument)>
      ) async throws -> Void
  ) -> Reaction {
    let names = Several(One(a), One(b), One(c), One(d), One(e), One(f), repeat One(each more))
    return addTask(MainStation.shared, recovery, Source(file, line), s.part, names) { _, s, values in
      try await body(&s.value, values)
    }
  }

  /// Declares a reaction over two states and five molecules or more on the main actor.
  @discardableResult
  public func react<
    S: ~Copyable, T: ~Copyable, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable,
    each More: Consumable
  >(
    state s: State<S>, state t: State<T>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ more: repeat each More,
    on place: MainPlacement, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (
        inout sending S, inout sending T,
        Values<(A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, repeat (each More).Argument)>
      ) async throws -> Void
  ) -> Reaction {
    let names = Several(One(a), One(b), One(c), One(d), One(e), repeat One(each more))
    return addTask(MainStation.shared, recovery, Source(file, line), s.part, t.part, names) { _, s, t, values in
      try await body(&s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states and two molecules or more on the main actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, B: Consumable, each More: Consumable>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, _ b: B, _ more: repeat each More,
    on place: MainPlacement, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (
        inout sending S, inout sending T, inout sending U, Values<(A.Argument, B.Argument, repeat (each More).Argument)>
      ) async throws -> Void
  ) -> Reaction {
    let names = Several(One(a), One(b), repeat One(each more))
    return addTask(MainStation.shared, recovery, Source(file, line), s.part, t.part, u.part, names) {
      _, s, t, u, values in
      try await body(&s.value, &t.value, &u.value, values)
    }
  }

  /// Declares a reaction over three states and one molecule on an actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, Isolation: Actor>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (isolated Isolation, inout sending S, inout sending T, inout sending U, A.Argument)
      async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, Source(file, line), s.part, t.part, u.part, One(a)) { _, s, t, u, a in
      try await body(place.actor, &s.value, &t.value, &u.value, a)
    }
  }

  /// Declares a reaction over a state and six molecules or more on an actor.
  @discardableResult
  public func react<
    S: ~Copyable, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable,
    each More: Consumable, Isolation: Actor
  >(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ more: repeat each More,
    on place: ActorPlacement<Isolation>, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        isolated Isolation, inout sending S,
        Values<(A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument, repeat (each More).Argument)>
      ) async throws -> Void
  ) -> Reaction {
    let names = Several(One(a), One(b), One(c), One(d), One(e), One(f), repeat One(each more))
    return addTask(place.station, recovery, Source(file, line), s.part, names) { _, s, values in
      try await body(place.actor, &s.value, values)
    }
  }

  /// Declares a reaction over two states and five molecules or more on an actor.
  @discardableResult
  public func react<
    S: ~Copyable, T: ~Copyable, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable,
    each More: Consumable, Isolation: Actor
  >(
    state s: State<S>, state t: State<T>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ more: repeat each More,
    on place: ActorPlacement<Isolation>, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        isolated Isolation, inout sending S, inout sending T,
        Values<(A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, repeat (each More).Argument)>
      ) async throws -> Void
  ) -> Reaction {
    let names = Several(One(a), One(b), One(c), One(d), One(e), repeat One(each more))
    return addTask(place.station, recovery, Source(file, line), s.part, t.part, names) { _, s, t, values in
      try await body(place.actor, &s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states and two molecules or more on an actor.
  @discardableResult
  public func react<
    S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, B: Consumable, each More: Consumable, Isolation: Actor
  >(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, _ b: B, _ more: repeat each More,
    on place: ActorPlacement<Isolation>, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        isolated Isolation, inout sending S, inout sending T, inout sending U,
        Values<(A.Argument, B.Argument, repeat (each More).Argument)>
      ) async throws -> Void
  ) -> Reaction {
    let names = Several(One(a), One(b), repeat One(each more))
    return addTask(place.station, recovery, Source(file, line), s.part, t.part, u.part, names) { _, s, t, u, values in
      try await body(place.actor, &s.value, &t.value, &u.value, values)
    }
  }
}
