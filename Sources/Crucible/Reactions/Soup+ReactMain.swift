extension Soup {
  /// Declares a reaction whose body is isolated to the main actor.
  ///
  /// ```swift
  /// soup.react(page, on: .main) { page in window.show(page) }
  /// ```
  ///
  /// ``MainPlacement/main`` says when the body runs at once.
  ///
  /// - Complexity: a firing from another thread makes a task.
  @discardableResult
  public func react<A: Input, each More: Input>(
    _ a: A, _ more: repeat each More, on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (A.Argument, repeat (each More).Argument) throws -> Void
  ) -> Reaction {
    addOnMain(recovery, StaticSource(file, line), a, repeat each more, run: body)
  }

  /// Declares a reaction over a state and one molecule on the main actor.
  @discardableResult
  public func react<S: ~Copyable, U>(
    state s: State<S>, _ a: some Input<U>, on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, U) throws -> Void
  ) -> Reaction {
    addOnMain(recovery, StaticSource(file, line), s.part, a) { s, a in try body(&s.value, a) }
  }

  /// Declares a reaction over a state and two molecules on the main actor.
  @discardableResult
  public func react<S: ~Copyable, U, V>(
    state s: State<S>, _ a: some Input<U>, _ b: some Input<V>, on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, U, V) throws -> Void
  ) -> Reaction {
    addOnMain(recovery, StaticSource(file, line), s.part, a, b) { s, a, b in try body(&s.value, a, b) }
  }

  /// Declares a reaction over a state and three molecules on the main actor.
  @discardableResult
  public func react<S: ~Copyable, U, V, W>(
    state s: State<S>, _ a: some Input<U>, _ b: some Input<V>, _ c: some Input<W>, on place: MainPlacement,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, U, V, W) throws -> Void
  ) -> Reaction {
    addOnMain(recovery, StaticSource(file, line), s.part, a, b, c) { s, a, b, c in try body(&s.value, a, b, c) }
  }

  /// Declares a reaction over two states and one molecule on the main actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U>(
    state s: State<S>, state t: State<T>, _ a: some Input<U>, on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, inout sending T, U) throws -> Void
  ) -> Reaction {
    addOnMain(recovery, StaticSource(file, line), s.part, t.part, a) { s, t, a in try body(&s.value, &t.value, a) }
  }
}
