// The wide forms with states. Swift 6.3 does not infer `inout` in a closure whose type ends in a pack, and crashes at a
// call of one that takes a tuple of a pack. So the body gets the values of many names in a struct.

extension Soup {
  /// The values of several molecules, for a body that takes states and many names.
  ///
  /// ```swift
  /// let n = soup.slow("n", of: Int.self)
  /// let (s, t, u) = (soup.state("s", 0), soup.state("t", 0), soup.state("u", 0))
  /// soup.react(state: s, state: t, state: u, n, n) { s, t, u, values in
  ///   let (x, y) = values.all
  ///   s += x + y
  /// }
  /// ```
  public struct Values<All: Sendable>: Sendable {
    /// The values in the order of the names, as a tuple: for a fast molecule its ``Call``, for an array of names an
    /// array.
    ///
    /// Take it apart as a whole, by `let (x, y) = values.all`. Swift 6.3 does not compile `values.all.1`.
    ///
    /// - Complexity: O(1).
    public let all: All
  }
}

extension Soup {
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

  /// Declares a reaction over a state and six molecules or more.
  ///
  /// ```swift
  /// let (sum, n) = (soup.state("sum", 0), soup.slow("n", of: Int.self))
  /// soup.react(state: sum, n, n, n, n, n, n) { sum, values in
  ///   let (a, b, c, d, e, f) = values.all
  ///   sum += a + b + c + d + e + f
  /// }
  /// ```
  ///
  /// - Complexity: O(inputs) a firing. Each input costs more than in a reaction of a state and up to five molecules.
  @discardableResult
  public func react<
    S: ~Copyable, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable,
    each More: Consumable, Failure: Error
  >(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ more: repeat each More,
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        inout S,
        Values<(A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument, repeat (each More).Argument)>
      ) throws(Failure) -> Void
  ) -> Reaction {
    let names = Several(One(a), One(b), One(c), One(d), One(e), One(f), repeat One(each more))
    return addEach(placement, recovery, Source(file, line), s.part, names) { s, values throws(Failure) in
      try body(&s.value, values)
    }
  }

  /// Declares a reaction over two states and five molecules or more.
  @discardableResult
  public func react<
    S: ~Copyable, T: ~Copyable, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable,
    each More: Consumable, Failure: Error
  >(
    state s: State<S>, state t: State<T>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ more: repeat each More,
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        inout sending S, inout sending T,
        Values<(A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, repeat (each More).Argument)>
      ) throws(Failure) -> Void
  ) -> Reaction {
    let names = Several(One(a), One(b), One(c), One(d), One(e), repeat One(each more))
    return addEach(placement, recovery, Source(file, line), s.part, t.part, names) { s, t, values throws(Failure) in
      try body(&s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states and two molecules or more.
  @discardableResult
  public func react<
    S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, B: Consumable, each More: Consumable, Failure: Error
  >(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, _ b: B, _ more: repeat each More,
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        inout sending S, inout sending T, inout sending U, Values<(A.Argument, B.Argument, repeat (each More).Argument)>
      ) throws(Failure) -> Void
  ) -> Reaction {
    let names = Several(One(a), One(b), repeat One(each more))
    return addEach(placement, recovery, Source(file, line), s.part, t.part, u.part, names) {
      s, t, u, values throws(Failure) in
      try body(&s.value, &t.value, &u.value, values)
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

  /// Declares a reaction over a state and six molecules or more with an `async` body.
  @discardableResult
  public func react<
    S: ~Copyable, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable,
    each More: Consumable
  >(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ more: repeat each More,
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        inout S,
        Values<(A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument, repeat (each More).Argument)>
      ) async throws -> Void
  ) -> Reaction {
    let names = Several(One(a), One(b), One(c), One(d), One(e), One(f), repeat One(each more))
    return addTask(station(of: placement), recovery, Source(file, line), s.part, names) { _, s, values in
      try await body(&s.value, values)
    }
  }

  /// Declares a reaction over two states and five molecules or more with an `async` body.
  @discardableResult
  public func react<
    S: ~Copyable, T: ~Copyable, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable,
    each More: Consumable
  >(
    state s: State<S>, state t: State<T>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ more: repeat each More,
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        inout sending S, inout sending T,
        Values<(A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, repeat (each More).Argument)>
      ) async throws -> Void
  ) -> Reaction {
    let names = Several(One(a), One(b), One(c), One(d), One(e), repeat One(each more))
    return addTask(station(of: placement), recovery, Source(file, line), s.part, t.part, names) { _, s, t, values in
      try await body(&s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states and two molecules or more with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, B: Consumable, each More: Consumable>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, _ b: B, _ more: repeat each More,
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        inout sending S, inout sending T, inout sending U, Values<(A.Argument, B.Argument, repeat (each More).Argument)>
      ) async throws -> Void
  ) -> Reaction {
    let names = Several(One(a), One(b), repeat One(each more))
    return addTask(station(of: placement), recovery, Source(file, line), s.part, t.part, u.part, names) {
      _, s, t, u, values in
      try await body(&s.value, &t.value, &u.value, values)
    }
  }
}
