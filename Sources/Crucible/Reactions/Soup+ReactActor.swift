extension Soup {
  /// Declares a reaction over one molecule whose body is isolated to an actor.
  ///
  /// ```swift
  /// soup.react(deposit, on: .actor(account)) { account, x in account.balance += x }
  /// ```
  ///
  /// The body may be `async` or not. Its first parameter is the actor. The soup keeps the actor. If the actor also
  /// keeps an owning name of the soup, neither is ever released; `.actor(weak: account)` prevents that.
  ///
  /// - Complexity: each firing makes a task.
  @discardableResult
  public func react<U, Isolation: Actor>(
    _ a: some Input<U>, on place: ActorPlacement<Isolation>, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, U) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, StaticSource(file, line), a) { _, a in try await body(place.actor, a) }
  }

  /// Declares a reaction over two molecules on an actor.
  @discardableResult
  public func react<U, V, Isolation: Actor>(
    _ a: some Input<U>, _ b: some Input<V>, on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, U, V) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, StaticSource(file, line), a, b) { _, a, b in try await body(place.actor, a, b) }
  }

  /// Declares a reaction over a state and one molecule on an actor.
  @discardableResult
  public func react<S: ~Copyable, U, Isolation: Actor>(
    state s: State<S>, _ a: some Input<U>, on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, inout sending S, U) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, StaticSource(file, line), s.part, a) { _, s, a in
      try await body(place.actor, &s.value, a)
    }
  }

  /// Declares a reaction over a state and two molecules on an actor.
  @discardableResult
  public func react<S: ~Copyable, U, V, Isolation: Actor>(
    state s: State<S>, _ a: some Input<U>, _ b: some Input<V>, on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, inout sending S, U, V) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, StaticSource(file, line), s.part, a, b) { _, s, a, b in
      try await body(place.actor, &s.value, a, b)
    }
  }

  /// Declares a reaction over a state and three molecules on an actor.
  @discardableResult
  public func react<S: ~Copyable, U, V, W, Isolation: Actor>(
    state s: State<S>, _ a: some Input<U>, _ b: some Input<V>, _ c: some Input<W>, on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, inout sending S, U, V, W) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, StaticSource(file, line), s.part, a, b, c) { _, s, a, b, c in
      try await body(place.actor, &s.value, a, b, c)
    }
  }

  /// Declares a reaction over two states and one molecule on an actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U, Isolation: Actor>(
    state s: State<S>, state t: State<T>, _ a: some Input<U>, on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, inout sending S, inout sending T, U) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, StaticSource(file, line), s.part, t.part, a) { _, s, t, a in
      try await body(place.actor, &s.value, &t.value, a)
    }
  }

  /// Declares a reaction over three states and one molecule on an actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Input, Isolation: Actor>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (isolated Isolation, inout sending S, inout sending T, inout sending U, A.Argument)
      async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, StaticSource(file, line), s.part, t.part, u.part, a) { _, s, t, u, a in
      try await body(place.actor, &s.value, &t.value, &u.value, a)
    }
  }
}
