extension Soup {
  /// Declares a reaction with an `async` body.
  ///
  /// ```swift
  /// soup.react(request) { call in call.reply(try await fetch(call.input)) }
  /// ```
  ///
  /// The body keeps its states until it has ended, also while it is suspended. The soup is not quiet until then.
  /// Cancelling a caller's task does not cancel the body, which can look at ``Call/isAwaited``.
  ///
  /// The placement says where the body runs, and where it resumes after a suspension.
  ///
  /// - Complexity: each firing makes a task.
  @discardableResult
  public func react<A: Input, each More: Input>(
    _ a: A, _ more: repeat each More, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (A.Argument, repeat (each More).Argument) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, StaticSource(file, line), a, repeat each more) {
      (_: Void, a: A.Argument, more: repeat (each More).Argument) in try await body(a, repeat each more)
    }
  }

  /// Declares a reaction over a state and one molecule with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, U>(
    state s: State<S>, _ a: some Input<U>, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, StaticSource(file, line), s.part, a) { _, s, a in
      try await body(&s.value, a)
    }
  }

  /// Declares a reaction over a state and two molecules with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, U, V>(
    state s: State<S>, _ a: some Input<U>, _ b: some Input<V>, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U, V) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, StaticSource(file, line), s.part, a, b) { _, s, a, b in
      try await body(&s.value, a, b)
    }
  }

  /// Declares a reaction over a state and three molecules with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, U, V, W>(
    state s: State<S>, _ a: some Input<U>, _ b: some Input<V>, _ c: some Input<W>, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U, V, W) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, StaticSource(file, line), s.part, a, b, c) { _, s, a, b, c in
      try await body(&s.value, a, b, c)
    }
  }

  /// Declares a reaction over two states and one molecule with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U>(
    state s: State<S>, state t: State<T>, _ a: some Input<U>, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, U) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, StaticSource(file, line), s.part, t.part, a) { _, s, t, a in
      try await body(&s.value, &t.value, a)
    }
  }

  /// Declares a reaction over three states and one molecule with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Input>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, inout sending U, A.Argument) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, StaticSource(file, line), s.part, t.part, u.part, a) { _, s, t, u, a in
      try await body(&s.value, &t.value, &u.value, a)
    }
  }
}
