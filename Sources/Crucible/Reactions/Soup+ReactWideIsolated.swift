// The rare wide forms with states: their bodies cannot end in a pack, for Swift 6.3 does not infer `inout` before one.

extension Soup {
  /// Declares a reaction over a state and an array of names on the main actor.
  @discardableResult
  public func react<S: ~Copyable, Name: Consumable>(
    state s: State<S>, all names: [Name], on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, Source(file, line), s.part, Many(names)) { _, s, values in
      try await body(&s.value, values)
    }
  }

  /// Declares a reaction over a state, one molecule and an array of names on the main actor.
  @discardableResult
  public func react<S: ~Copyable, A: Consumable, Name: Consumable>(
    state s: State<S>, _ a: A, all names: [Name], on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, A.Argument, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, Source(file, line), s.part, One(a), Many(names)) { _, s, a, values in
      try await body(&s.value, a, values)
    }
  }

  /// Declares a reaction over two states and an array of names on the main actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, Name: Consumable>(
    state s: State<S>, state t: State<T>, all names: [Name], on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, inout sending T, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, Source(file, line), s.part, t.part, Many(names)) { _, s, t, values in
      try await body(&s.value, &t.value, values)
    }
  }

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

  /// Declares a reaction over three states and two molecules on the main actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, B: Consumable>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, _ b: B, on place: MainPlacement,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (inout sending S, inout sending T, inout sending U, A.Argument, B.Argument)
      async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, Source(file, line), s.part, t.part, u.part, One(a), One(b)) {
      _, s, t, u, a, b in
      try await body(&s.value, &t.value, &u.value, a, b)
    }
  }

  /// Declares a reaction over a state and six molecules on the main actor.
  @discardableResult
  public func react<
    S: ~Copyable, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable
  >(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, on place: MainPlacement,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (
        inout sending S, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument
      ) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, Source(file, line), s.part, One(a), One(b), One(c), One(d), One(e), One(f)) {
      _, s, a, b, c, d, e, f in
      try await body(&s.value, a, b, c, d, e, f)
    }
  }

  /// Declares a reaction over a state and an array of names on an actor.
  @discardableResult
  public func react<S: ~Copyable, Name: Consumable, Isolation: Actor>(
    state s: State<S>, all names: [Name], on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, inout sending S, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, Source(file, line), s.part, Many(names)) { _, s, values in
      try await body(place.actor, &s.value, values)
    }
  }

  /// Declares a reaction over a state, one molecule and an array of names on an actor.
  @discardableResult
  public func react<S: ~Copyable, A: Consumable, Name: Consumable, Isolation: Actor>(
    state s: State<S>, _ a: A, all names: [Name], on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, inout sending S, A.Argument, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, Source(file, line), s.part, One(a), Many(names)) { _, s, a, values in
      try await body(place.actor, &s.value, a, values)
    }
  }

  /// Declares a reaction over two states and an array of names on an actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, Name: Consumable, Isolation: Actor>(
    state s: State<S>, state t: State<T>, all names: [Name], on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (isolated Isolation, inout sending S, inout sending T, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, Source(file, line), s.part, t.part, Many(names)) { _, s, t, values in
      try await body(place.actor, &s.value, &t.value, values)
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

  /// Declares a reaction over three states and two molecules on an actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, B: Consumable, Isolation: Actor>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, _ b: B, on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        isolated Isolation, inout sending S, inout sending T, inout sending U, A.Argument, B.Argument
      ) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, Source(file, line), s.part, t.part, u.part, One(a), One(b)) { _, s, t, u, a, b in
      try await body(place.actor, &s.value, &t.value, &u.value, a, b)
    }
  }

  /// Declares a reaction over a state and six molecules on an actor.
  @discardableResult
  public func react<
    S: ~Copyable, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable,
    Isolation: Actor
  >(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        isolated Isolation, inout sending S, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument
      ) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, Source(file, line), s.part, One(a), One(b), One(c), One(d), One(e), One(f)) {
      _, s, a, b, c, d, e, f in
      try await body(place.actor, &s.value, a, b, c, d, e, f)
    }
  }
}
