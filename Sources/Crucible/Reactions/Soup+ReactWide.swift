// The rare wide forms with states: their bodies cannot end in a pack, for Swift 6.3 does not infer `inout` before one.

extension Soup {
  /// Declares a reaction over a state and an array of names.
  ///
  /// ```swift
  /// soup.react(state: totals, all: parts) { totals, values in totals.append(values) }
  /// ```
  ///
  /// - Complexity: O(inputs) a firing, which allocates the array for the body.
  @discardableResult
  public func react<S: ~Copyable, Name: Consumable, Failure: Error>(
    state s: State<S>, all names: [Name], on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, [Name.Argument]) throws(Failure) -> Void
  ) -> Reaction {
    addEach(placement, recovery, Source(file, line), s.part, Many(names)) {
      (s: State<S>.Cell, values: [Name.Argument]) throws(Failure) in
      try body(&s.value, values)
    }
  }

  /// Declares a reaction over a state, one molecule and an array of names.
  @discardableResult
  public func react<S: ~Copyable, A: Consumable, Name: Consumable, Failure: Error>(
    state s: State<S>, _ a: A, all names: [Name], on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, A.Argument, [Name.Argument]) throws(Failure) -> Void
  ) -> Reaction {
    addEach(placement, recovery, Source(file, line), s.part, One(a), Many(names)) {
      (s: State<S>.Cell, a: A.Argument, values: [Name.Argument]) throws(Failure) in
      try body(&s.value, a, values)
    }
  }

  /// Declares a reaction over two states and an array of names.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, Name: Consumable, Failure: Error>(
    state s: State<S>, state t: State<T>, all names: [Name], on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, [Name.Argument]) throws(Failure) -> Void
  ) -> Reaction {
    addEach(placement, recovery, Source(file, line), s.part, t.part, Many(names)) {
      (s: State<S>.Cell, t: State<T>.Cell, values: [Name.Argument]) throws(Failure) in
      try body(&s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states and one molecule.
  ///
  /// ```swift
  /// soup.react(state: giro, state: savings, state: fees, transfer) { giro, savings, fees, amount in … }
  /// ```
  ///
  /// The three states must differ.
  ///
  /// - Complexity: O(inputs) a firing. Each input costs more than in a reaction of one or two states.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, Failure: Error>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, inout sending U, A.Argument) throws(Failure) -> Void
  ) -> Reaction {
    addEach(placement, recovery, Source(file, line), s.part, t.part, u.part, One(a)) {
      (s: State<S>.Cell, t: State<T>.Cell, u: State<U>.Cell, a: A.Argument) throws(Failure) in
      try body(&s.value, &t.value, &u.value, a)
    }
  }

  /// Declares a reaction over three states and two molecules.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, B: Consumable, Failure: Error>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, _ b: B, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout sending S, inout sending T, inout sending U, A.Argument, B.Argument) throws(Failure) ->
      Void
  ) -> Reaction {
    addEach(placement, recovery, Source(file, line), s.part, t.part, u.part, One(a), One(b)) {
      (s: State<S>.Cell, t: State<T>.Cell, u: State<U>.Cell, a: A.Argument, b: B.Argument) throws(Failure) in
      try body(&s.value, &t.value, &u.value, a, b)
    }
  }

  /// Declares a reaction over a state and six molecules.
  @discardableResult
  public func react<
    S: ~Copyable, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable,
    Failure: Error
  >(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout S, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument)
      throws(Failure) -> Void
  ) -> Reaction {
    addEach(placement, recovery, Source(file, line), s.part, One(a), One(b), One(c), One(d), One(e), One(f)) {
      (s: State<S>.Cell, a: A.Argument, b: B.Argument, c: C.Argument, d: D.Argument, e: E.Argument, f: F.Argument)
        throws(Failure) in
      try body(&s.value, a, b, c, d, e, f)
    }
  }

  /// Declares a reaction over a state and an array of names with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, Name: Consumable>(
    state s: State<S>, all names: [Name], on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, Many(names)) { _, s, values in
      try await body(&s.value, values)
    }
  }

  /// Declares a reaction over a state, one molecule and an array of names with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, A: Consumable, Name: Consumable>(
    state s: State<S>, _ a: A, all names: [Name], on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, A.Argument, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, One(a), Many(names)) { _, s, a, values in
      try await body(&s.value, a, values)
    }
  }

  /// Declares a reaction over two states and an array of names with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, Name: Consumable>(
    state s: State<S>, state t: State<T>, all names: [Name], on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, t.part, Many(names)) { _, s, t, values in
      try await body(&s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states and one molecule with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, inout sending U, A.Argument) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, t.part, u.part, One(a)) { _, s, t, u, a in
      try await body(&s.value, &t.value, &u.value, a)
    }
  }

  /// Declares a reaction over three states and two molecules with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, B: Consumable>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, _ b: B, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout sending S, inout sending T, inout sending U, A.Argument, B.Argument) async throws ->
      Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, t.part, u.part, One(a), One(b)) {
      _, s, t, u, a, b in
      try await body(&s.value, &t.value, &u.value, a, b)
    }
  }

  /// Declares a reaction over a state and six molecules with an `async` body.
  @discardableResult
  public func react<
    S: ~Copyable, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable
  >(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout S, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument) async throws
      -> Void
  ) -> Reaction {
    addTask(
      station(of: placement), recovery, Source(file, line), s.part, One(a), One(b), One(c), One(d), One(e), One(f)
    ) { _, s, a, b, c, d, e, f in
      try await body(&s.value, a, b, c, d, e, f)
    }
  }
}
