extension Soup {
  /// Declares a reaction over one molecule with an `async` body.
  ///
  /// ```swift
  /// soup.react(request) { call in call.reply(try await fetch(call.input)) }
  /// ```
  ///
  /// The body keeps the states that it takes until it has ended, across its suspensions; the soup is not quiet until
  /// then. Cancelling a caller's task does not cancel the body, which can ask ``Call/isAwaited``.
  ///
  /// The placement says where the body runs, and where it resumes after a suspension.
  ///
  /// - Complexity: each firing makes a task.
  @discardableResult
  public func react<U>(
    _ a: some Consumable<U>, on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (U) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), One(a)) { _, a in try await body(a) }
  }

  /// Declares a reaction over two molecules with an `async` body.
  @discardableResult
  public func react<U, V>(
    _ a: some Consumable<U>, _ b: some Consumable<V>, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (U, V) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), One(a), One(b)) { _, a, b in try await body(a, b) }
  }

  /// Declares a reaction over three molecules with an `async` body.
  @discardableResult
  public func react<U, V, W>(
    _ a: some Consumable<U>, _ b: some Consumable<V>, _ c: some Consumable<W>, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (U, V, W) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), One(a), One(b), One(c)) { _, a, b, c in
      try await body(a, b, c)
    }
  }

  /// Declares a reaction over four molecules with an `async` body.
  @discardableResult
  public func react<U, V, W, X>(
    _ a: some Consumable<U>, _ b: some Consumable<V>, _ c: some Consumable<W>, _ d: some Consumable<X>,
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (U, V, W, X) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), One(a), One(b), One(c), One(d)) { _, a, b, c, d in
      try await body(a, b, c, d)
    }
  }

  /// Declares a reaction over five molecules with an `async` body.
  @discardableResult
  public func react<U, V, W, X, Y>(
    _ a: some Consumable<U>, _ b: some Consumable<V>, _ c: some Consumable<W>, _ d: some Consumable<X>,
    _ e: some Consumable<Y>, on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (U, V, W, X, Y) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), One(a), One(b), One(c), One(d), One(e)) {
      _, a, b, c, d, e in
      try await body(a, b, c, d, e)
    }
  }

  /// Declares a reaction over six molecules with an `async` body.
  @discardableResult
  public func react<U, V, W, X, Y, Z>(
    _ a: some Consumable<U>, _ b: some Consumable<V>, _ c: some Consumable<W>, _ d: some Consumable<X>,
    _ e: some Consumable<Y>, _ f: some Consumable<Z>, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (U, V, W, X, Y, Z) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), One(a), One(b), One(c), One(d), One(e), One(f)) {
      _, a, b, c, d, e, f in
      try await body(a, b, c, d, e, f)
    }
  }

  /// Declares a reaction over a state and one molecule with an `async` body.
  @discardableResult
  public func react<S, U>(
    state s: State<S>, _ a: some Consumable<U>, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, One(a)) { _, s, a in
      try await body(&s.value, a)
    }
  }

  /// Declares a reaction over a state and two molecules with an `async` body.
  @discardableResult
  public func react<S, U, V>(
    state s: State<S>, _ a: some Consumable<U>, _ b: some Consumable<V>, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U, V) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, One(a), One(b)) { _, s, a, b in
      try await body(&s.value, a, b)
    }
  }

  /// Declares a reaction over a state and three molecules with an `async` body.
  @discardableResult
  public func react<S, U, V, W>(
    state s: State<S>, _ a: some Consumable<U>, _ b: some Consumable<V>, _ c: some Consumable<W>,
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U, V, W) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, One(a), One(b), One(c)) { _, s, a, b, c in
      try await body(&s.value, a, b, c)
    }
  }

  /// Declares a reaction over a state and four molecules with an `async` body.
  @discardableResult
  public func react<S, U, V, W, X>(
    state s: State<S>, _ a: some Consumable<U>, _ b: some Consumable<V>, _ c: some Consumable<W>,
    _ d: some Consumable<X>, on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U, V, W, X) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, One(a), One(b), One(c), One(d)) {
      _, s, a, b, c, d in
      try await body(&s.value, a, b, c, d)
    }
  }

  /// Declares a reaction over a state and five molecules with an `async` body.
  @discardableResult
  public func react<S, U, V, W, X, Y>(
    state s: State<S>, _ a: some Consumable<U>, _ b: some Consumable<V>, _ c: some Consumable<W>,
    _ d: some Consumable<X>, _ e: some Consumable<Y>, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U, V, W, X, Y) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, One(a), One(b), One(c), One(d), One(e)) {
      _, s, a, b, c, d, e in
      try await body(&s.value, a, b, c, d, e)
    }
  }

  /// Declares a reaction over two states and one molecule with an `async` body.
  @discardableResult
  public func react<S, T, U>(
    state s: State<S>, state t: State<T>, _ a: some Consumable<U>, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, U) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, t.part, One(a)) { _, s, t, a in
      try await body(&s.value, &t.value, a)
    }
  }

  /// Declares a reaction over two states and two molecules with an `async` body.
  @discardableResult
  public func react<S, T, U, V>(
    state s: State<S>, state t: State<T>, _ a: some Consumable<U>, _ b: some Consumable<V>,
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, U, V) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, t.part, One(a), One(b)) { _, s, t, a, b in
      try await body(&s.value, &t.value, a, b)
    }
  }

  /// Declares a reaction over two states and three molecules with an `async` body.
  @discardableResult
  public func react<S, T, U, V, W>(
    state s: State<S>, state t: State<T>, _ a: some Consumable<U>, _ b: some Consumable<V>, _ c: some Consumable<W>,
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, U, V, W) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, t.part, One(a), One(b), One(c)) {
      _, s, t, a, b, c in
      try await body(&s.value, &t.value, a, b, c)
    }
  }

  /// Declares a reaction over two states and four molecules with an `async` body.
  @discardableResult
  public func react<S, T, U, V, W, X>(
    state s: State<S>, state t: State<T>, _ a: some Consumable<U>, _ b: some Consumable<V>, _ c: some Consumable<W>,
    _ d: some Consumable<X>, on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, U, V, W, X) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, t.part, One(a), One(b), One(c), One(d)) {
      _, s, t, a, b, c, d in
      try await body(&s.value, &t.value, a, b, c, d)
    }
  }

  /// Declares a reaction over seven molecules or more with an `async` body.
  @discardableResult
  public func react<
    A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable, G: Consumable,
    each More: Consumable
  >(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ more: repeat each More, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument, G.Argument, repeat (each More).Argument
      ) async throws -> Void
  ) -> Reaction {
    addTask(
      station(of: placement), recovery, Source(file, line), One(a), One(b), One(c), One(d), One(e), One(f), One(g),
      repeat One(each more)
    ) {
      (
        _: Void, a: A.Argument, b: B.Argument, c: C.Argument, d: D.Argument, e: E.Argument, f: F.Argument,
        g: G.Argument, more: repeat (each More).Argument
      ) in
      try await body(a, b, c, d, e, f, g, repeat each more)
    }
  }
}
