extension Soup {
  /// Declares a reaction that takes a state: the body changes the state in place, and gives it back when it ends.
  ///
  /// ```swift
  /// soup.react(state: counter, increment) { n, _ in n += 1 }
  /// ```
  ///
  /// Reactions that share a state never run at the same time. If a body throws, the state stays as it left it.
  ///
  /// - Complexity: O(inputs) a firing, without allocation, unless an input is an array or a group.
  @inlinable
  @discardableResult
  public func react<S: ~Copyable, A: Input<U>, U, Failure: Error>(
    state s: State<S>, _ a: A, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U) throws(Failure) -> Void
  ) -> Reaction {
    guard let pattern = Pattern(s.name, a._name) else {
      return addEach(placement, recovery, StaticSource(file, line), s.part, a) { s, a throws(Failure) in
        try body(&s.value, a)
      }
    }
    return add(pattern, placement, recovery, StaticSource(file, line)) { reaction, inputs in
      var rest = _Inputs(inputs + 1)
      let a = A._take(&rest)
      do throws(Failure) {
        try body(&State<S>.value(inputs[0]).pointee, a)
        A._finish(consume a)
      } catch {
        reaction.fail(error, inputs, A._failed(a))
      }
    }
  }

  /// Declares a reaction over a state and two molecules.
  @inlinable
  @discardableResult
  public func react<S: ~Copyable, A: Input<U>, B: Input<V>, U, V, Failure: Error>(
    state s: State<S>, _ a: A, _ b: B, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U, V) throws(Failure) -> Void
  ) -> Reaction {
    guard let pattern = Pattern(s.name, a._name, b._name) else {
      return addEach(placement, recovery, StaticSource(file, line), s.part, a, b) { s, a, b throws(Failure) in
        try body(&s.value, a, b)
      }
    }
    return add(pattern, placement, recovery, StaticSource(file, line)) { reaction, inputs in
      var rest = _Inputs(inputs + 1)
      let a = A._take(&rest)
      let b = B._take(&rest)
      do throws(Failure) {
        try body(&State<S>.value(inputs[0]).pointee, a, b)
        A._finish(consume a)
        B._finish(consume b)
      } catch {
        reaction.fail(error, inputs, A._failed(a) + B._failed(b))
      }
    }
  }

  /// Declares a reaction over a state and three molecules.
  @inlinable
  @discardableResult
  public func react<S: ~Copyable, A: Input<U>, B: Input<V>, C: Input<W>, U, V, W, Failure: Error>(
    state s: State<S>, _ a: A, _ b: B, _ c: C, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U, V, W) throws(Failure) -> Void
  ) -> Reaction {
    guard let pattern = Pattern(s.name, a._name, b._name, c._name) else {
      return addEach(placement, recovery, StaticSource(file, line), s.part, a, b, c) { s, a, b, c throws(Failure) in
        try body(&s.value, a, b, c)
      }
    }
    return add(pattern, placement, recovery, StaticSource(file, line)) { reaction, inputs in
      var rest = _Inputs(inputs + 1)
      let a = A._take(&rest)
      let b = B._take(&rest)
      let c = C._take(&rest)
      do throws(Failure) {
        try body(&State<S>.value(inputs[0]).pointee, a, b, c)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
      } catch {
        reaction.fail(error, inputs, A._failed(a) + B._failed(b) + C._failed(c))
      }
    }
  }

  /// Declares a reaction over a state and four molecules.
  @inlinable
  @discardableResult
  public func react<S: ~Copyable, A: Input<U>, B: Input<V>, C: Input<W>, D: Input<X>, U, V, W, X, Failure: Error>(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U, V, W, X) throws(Failure) -> Void
  ) -> Reaction {
    guard let pattern = Pattern(s.name, a._name, b._name, c._name, d._name) else {
      return addEach(placement, recovery, StaticSource(file, line), s.part, a, b, c, d) {
        s, a, b, c, d throws(Failure) in
        try body(&s.value, a, b, c, d)
      }
    }
    return add(pattern, placement, recovery, StaticSource(file, line)) { reaction, inputs in
      var rest = _Inputs(inputs + 1)
      let a = A._take(&rest)
      let b = B._take(&rest)
      let c = C._take(&rest)
      let d = D._take(&rest)
      do throws(Failure) {
        try body(&State<S>.value(inputs[0]).pointee, a, b, c, d)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
        D._finish(consume d)
      } catch {
        reaction.fail(error, inputs, A._failed(a) + B._failed(b) + C._failed(c) + D._failed(d))
      }
    }
  }

  /// Declares a reaction that takes two states at once: the body changes both in place.
  ///
  /// ```swift
  /// soup.react(state: giro, state: savings, transfer) { giro, savings, amount in
  ///   giro -= amount
  ///   savings += amount
  /// }
  /// ```
  ///
  /// The reaction fires when both states are present, and never runs at the same time as another reaction of either.
  /// There is no locking order to keep. The two states must differ, because each has one copy. The body must keep their
  /// values apart: if they would share an object that is not `Sendable`, the code does not compile.
  ///
  /// - Complexity: O(inputs) a firing, without allocation, unless an input is an array or a group.
  @inlinable
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, A: Input<U>, U, Failure: Error>(
    state s: State<S>, state t: State<T>, _ a: A, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, U) throws(Failure) -> Void
  ) -> Reaction {
    guard let pattern = Pattern(s.name, t.name, a._name) else {
      return addEach(placement, recovery, StaticSource(file, line), s.part, t.part, a) { s, t, a throws(Failure) in
        try body(&s.value, &t.value, a)
      }
    }
    return add(pattern, placement, recovery, StaticSource(file, line)) { reaction, inputs in
      var rest = _Inputs(inputs + 2)
      let a = A._take(&rest)
      do throws(Failure) {
        try body(&State<S>.Cell(inputs[0]).value, &State<T>.Cell(inputs[1]).value, a)
        A._finish(consume a)
      } catch {
        reaction.fail(error, inputs, A._failed(a))
      }
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
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Input, Failure: Error>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, inout sending U, A.Argument) throws(Failure) -> Void
  ) -> Reaction {
    addEach(placement, recovery, StaticSource(file, line), s.part, t.part, u.part, a) {
      (s: State<S>.Cell, t: State<T>.Cell, u: State<U>.Cell, a: A.Argument) throws(Failure) in
      try body(&s.value, &t.value, &u.value, a)
    }
  }
}
