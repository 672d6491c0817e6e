extension Soup {
  /// Declares a reaction that takes a state: the body changes it in place, and it goes back when the body ends.
  ///
  /// ```swift
  /// soup.react(state: counter, increment) { n, _ in n += 1 }
  /// ```
  ///
  /// Reactions that share a state never run at the same time. If the body throws, the state goes back as the body left
  /// it.
  ///
  /// - Complexity: O(inputs) a firing, without allocation.
  @inlinable
  @discardableResult
  public func react<S: ~Copyable, A: Consumable<U>, U, Failure: Error>(
    state s: State<S>, _ a: A, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(s.name, a._name), placement, recovery, Source(file, line)) { reaction, inputs in
      let a = A._take(inputs[1])
      do throws(Failure) {
        try body(&State<S>.value(inputs[0]).pointee, a)
        A._finish(consume a)
      } catch {
        reaction.fail(error, inputs, [A._failed(a)])
      }
    }
  }

  /// Declares a reaction over a state and two molecules.
  @inlinable
  @discardableResult
  public func react<S: ~Copyable, A: Consumable<U>, B: Consumable<V>, U, V, Failure: Error>(
    state s: State<S>, _ a: A, _ b: B, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U, V) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(s.name, a._name, b._name), placement, recovery, Source(file, line)) { reaction, inputs in
      let a = A._take(inputs[1])
      let b = B._take(inputs[2])
      do throws(Failure) {
        try body(&State<S>.value(inputs[0]).pointee, a, b)
        A._finish(consume a)
        B._finish(consume b)
      } catch {
        reaction.fail(error, inputs, [A._failed(a), B._failed(b)])
      }
    }
  }

  /// Declares a reaction over a state and three molecules.
  @inlinable
  @discardableResult
  public func react<S: ~Copyable, A: Consumable<U>, B: Consumable<V>, C: Consumable<W>, U, V, W, Failure: Error>(
    state s: State<S>, _ a: A, _ b: B, _ c: C, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U, V, W) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(s.name, a._name, b._name, c._name), placement, recovery, Source(file, line)) { reaction, inputs in
      let a = A._take(inputs[1])
      let b = B._take(inputs[2])
      let c = C._take(inputs[3])
      do throws(Failure) {
        try body(&State<S>.value(inputs[0]).pointee, a, b, c)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
      } catch {
        reaction.fail(error, inputs, [A._failed(a), B._failed(b), C._failed(c)])
      }
    }
  }

  /// Declares a reaction over a state and four molecules.
  @inlinable
  @discardableResult
  public func react<
    S: ~Copyable, A: Consumable<U>, B: Consumable<V>, C: Consumable<W>, D: Consumable<X>, U, V, W, X, Failure: Error
  >(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U, V, W, X) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(s.name, a._name, b._name, c._name, d._name), placement, recovery, Source(file, line)) {
      reaction, inputs in
      let a = A._take(inputs[1])
      let b = B._take(inputs[2])
      let c = C._take(inputs[3])
      let d = D._take(inputs[4])
      do throws(Failure) {
        try body(&State<S>.value(inputs[0]).pointee, a, b, c, d)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
        D._finish(consume d)
      } catch {
        reaction.fail(error, inputs, [A._failed(a), B._failed(b), C._failed(c), D._failed(d)])
      }
    }
  }

  /// Declares a reaction over a state and five molecules.
  @inlinable
  @discardableResult
  public func react<
    S: ~Copyable, A: Consumable<U>, B: Consumable<V>, C: Consumable<W>, D: Consumable<X>, E: Consumable<Y>, U, V, W, X,
    Y,
    Failure: Error
  >(
    state s: State<S>, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, U, V, W, X, Y) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(s.name, a._name, b._name, c._name, d._name, e._name), placement, recovery, Source(file, line)) {
      reaction, inputs in
      let a = A._take(inputs[1])
      let b = B._take(inputs[2])
      let c = C._take(inputs[3])
      let d = D._take(inputs[4])
      let e = E._take(inputs[5])
      do throws(Failure) {
        try body(&State<S>.value(inputs[0]).pointee, a, b, c, d, e)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
        D._finish(consume d)
        E._finish(consume e)
      } catch {
        reaction.fail(error, inputs, [A._failed(a), B._failed(b), C._failed(c), D._failed(d), E._failed(e)])
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
  /// It fires when both states are present, and never runs at the same time as another reaction of either. There is no
  /// order in which to lock them. The two states must differ: there is one copy of each. The body must keep their
  /// values apart: code by which they come to share an object that is not `Sendable` does not compile.
  ///
  /// - Complexity: O(inputs) a firing, without allocation.
  @inlinable
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, A: Consumable<U>, U, Failure: Error>(
    state s: State<S>, state t: State<T>, _ a: A, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, U) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(s.name, t.name, a._name), placement, recovery, Source(file, line)) { reaction, inputs in
      let a = A._take(inputs[2])
      do throws(Failure) {
        try body(&State<S>.Cell(inputs[0]).value, &State<T>.Cell(inputs[1]).value, a)
        A._finish(consume a)
      } catch {
        reaction.fail(error, inputs, [A._failed(a)])
      }
    }
  }

  /// Declares a reaction over two states and two molecules.
  @inlinable
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, A: Consumable<U>, B: Consumable<V>, U, V, Failure: Error>(
    state s: State<S>, state t: State<T>, _ a: A, _ b: B, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, U, V) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(s.name, t.name, a._name, b._name), placement, recovery, Source(file, line)) { reaction, inputs in
      let a = A._take(inputs[2])
      let b = B._take(inputs[3])
      do throws(Failure) {
        try body(&State<S>.Cell(inputs[0]).value, &State<T>.Cell(inputs[1]).value, a, b)
        A._finish(consume a)
        B._finish(consume b)
      } catch {
        reaction.fail(error, inputs, [A._failed(a), B._failed(b)])
      }
    }
  }

  /// Declares a reaction over two states and three molecules.
  @inlinable
  @discardableResult
  public func react<
    S: ~Copyable, T: ~Copyable, A: Consumable<U>, B: Consumable<V>, C: Consumable<W>, U, V, W, Failure: Error
  >(
    state s: State<S>, state t: State<T>, _ a: A, _ b: B, _ c: C, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, U, V, W) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(s.name, t.name, a._name, b._name, c._name), placement, recovery, Source(file, line)) {
      reaction, inputs in
      let a = A._take(inputs[2])
      let b = B._take(inputs[3])
      let c = C._take(inputs[4])
      do throws(Failure) {
        try body(&State<S>.Cell(inputs[0]).value, &State<T>.Cell(inputs[1]).value, a, b, c)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
      } catch {
        reaction.fail(error, inputs, [A._failed(a), B._failed(b), C._failed(c)])
      }
    }
  }

  /// Declares a reaction over two states and four molecules.
  @inlinable
  @discardableResult
  public func react<
    S: ~Copyable, T: ~Copyable, A: Consumable<U>, B: Consumable<V>, C: Consumable<W>, D: Consumable<X>, U, V, W, X,
    Failure: Error
  >(
    state s: State<S>, state t: State<T>, _ a: A, _ b: B, _ c: C, _ d: D, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, U, V, W, X) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(s.name, t.name, a._name, b._name, c._name, d._name), placement, recovery, Source(file, line)) {
      reaction, inputs in
      let a = A._take(inputs[2])
      let b = B._take(inputs[3])
      let c = C._take(inputs[4])
      let d = D._take(inputs[5])
      do throws(Failure) {
        try body(&State<S>.Cell(inputs[0]).value, &State<T>.Cell(inputs[1]).value, a, b, c, d)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
        D._finish(consume d)
      } catch {
        reaction.fail(error, inputs, [A._failed(a), B._failed(b), C._failed(c), D._failed(d)])
      }
    }
  }
}
