extension Soup {
  /// Declares a reaction with an `async` body that is isolated to the main actor.
  ///
  /// ```swift
  /// soup.react(page, on: .main) { page in window.show(try await render(page)) }
  /// ```
  ///
  /// - Complexity: each firing makes a task.
  @discardableResult
  public func react<A: Input, each More: Input>(
    _ a: A, _ more: repeat each More, on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (A.Argument, repeat (each More).Argument) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, StaticSource(file, line), a, repeat each more) {
      (_: Void, a: A.Argument, more: repeat (each More).Argument) in try await body(a, repeat each more)
    }
  }

  /// Declares a reaction over a state and one molecule with an `async` body on the main actor.
  @discardableResult
  public func react<S: ~Copyable, U>(
    state s: State<S>, _ a: some Input<U>, on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, U) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, StaticSource(file, line), s.part, a) { _, s, a in try await body(&s.value, a)
    }
  }

  /// Declares a reaction over a state and two molecules with an `async` body on the main actor.
  @discardableResult
  public func react<S: ~Copyable, U, V>(
    state s: State<S>, _ a: some Input<U>, _ b: some Input<V>, on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, U, V) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, StaticSource(file, line), s.part, a, b) { _, s, a, b in
      try await body(&s.value, a, b)
    }
  }

  /// Declares a reaction over a state and three molecules with an `async` body on the main actor.
  @discardableResult
  public func react<S: ~Copyable, U, V, W>(
    state s: State<S>, _ a: some Input<U>, _ b: some Input<V>, _ c: some Input<W>, on place: MainPlacement,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, U, V, W) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, StaticSource(file, line), s.part, a, b, c) { _, s, a, b, c in
      try await body(&s.value, a, b, c)
    }
  }

  /// Declares a reaction over two states and one molecule with an `async` body on the main actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U>(
    state s: State<S>, state t: State<T>, _ a: some Input<U>, on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, inout sending T, U) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, StaticSource(file, line), s.part, t.part, a) { _, s, t, a in
      try await body(&s.value, &t.value, a)
    }
  }

  /// Declares a reaction over three states and one molecule on the main actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Input>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, on place: MainPlacement,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (inout sending S, inout sending T, inout sending U, A.Argument) async throws ->
      Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, StaticSource(file, line), s.part, t.part, u.part, a) { _, s, t, u, a in
      try await body(&s.value, &t.value, &u.value, a)
    }
  }
}
