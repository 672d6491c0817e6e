extension Soup {
  /// Declares a reaction: when one molecule of every name is present, it consumes them at once and runs the body.
  ///
  /// ```swift
  /// soup.react(a, b, on: .inline) { x, y in print(x + y) }
  /// ```
  ///
  /// A name may stand there more than once; the reaction then consumes as many of it. The body gets one argument for
  /// each molecule, in the order of the names: the value of a slow one, a ``Call`` for a fast one. A state comes first,
  /// with its label: `soup.react(state: counter, increment) { n, _ in n += 1 }`.
  ///
  /// The placement says where the body runs. The body may run at any time, on any thread, several at once unless a
  /// state keeps them apart, so it is `@Sendable`. If it throws, every caller whose fast molecule it had and had not
  /// answered gets ``CallError/failed(_:)`` with the error. If there is no such caller, the soup's ``Options/onError``
  /// gets it. What was consumed stays consumed, unless the recovery puts it back.
  ///
  /// - Complexity: O(inputs) a firing, without allocation.
  @inlinable
  @discardableResult
  public func react<A: Consumable<U>, U, Failure: Error>(
    _ a: A, on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (U) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(a._name), placement, recovery, Source(file, line)) { reaction, inputs in
      let a = A._take(inputs[0])
      do throws(Failure) {
        try body(a)
        A._finish(consume a)
      } catch {
        reaction.fail(error, inputs, [A._failed(a)])
      }
    }
  }

  /// Declares a reaction over two molecules.
  @inlinable
  @discardableResult
  public func react<A: Consumable<U>, B: Consumable<V>, U, V, Failure: Error>(
    _ a: A, _ b: B, on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (U, V) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(a._name, b._name), placement, recovery, Source(file, line)) { reaction, inputs in
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      do throws(Failure) {
        try body(a, b)
        A._finish(consume a)
        B._finish(consume b)
      } catch {
        reaction.fail(error, inputs, [A._failed(a), B._failed(b)])
      }
    }
  }

  /// Declares a reaction over three molecules.
  @inlinable
  @discardableResult
  public func react<A: Consumable<U>, B: Consumable<V>, C: Consumable<W>, U, V, W, Failure: Error>(
    _ a: A, _ b: B, _ c: C, on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (U, V, W) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(a._name, b._name, c._name), placement, recovery, Source(file, line)) { reaction, inputs in
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      let c = C._take(inputs[2])
      do throws(Failure) {
        try body(a, b, c)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
      } catch {
        reaction.fail(error, inputs, [A._failed(a), B._failed(b), C._failed(c)])
      }
    }
  }

  /// Declares a reaction over four molecules.
  @inlinable
  @discardableResult
  public func react<A: Consumable<U>, B: Consumable<V>, C: Consumable<W>, D: Consumable<X>, U, V, W, X, Failure: Error>(
    _ a: A, _ b: B, _ c: C, _ d: D, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (U, V, W, X) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(a._name, b._name, c._name, d._name), placement, recovery, Source(file, line)) { reaction, inputs in
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      let c = C._take(inputs[2])
      let d = D._take(inputs[3])
      do throws(Failure) {
        try body(a, b, c, d)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
        D._finish(consume d)
      } catch {
        reaction.fail(error, inputs, [A._failed(a), B._failed(b), C._failed(c), D._failed(d)])
      }
    }
  }

  /// Declares a reaction over five molecules.
  @inlinable
  @discardableResult
  public func react<
    A: Consumable<U>, B: Consumable<V>, C: Consumable<W>, D: Consumable<X>, E: Consumable<Y>, U, V, W, X, Y,
    Failure: Error
  >(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (U, V, W, X, Y) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(a._name, b._name, c._name, d._name, e._name), placement, recovery, Source(file, line)) {
      reaction, inputs in
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      let c = C._take(inputs[2])
      let d = D._take(inputs[3])
      let e = E._take(inputs[4])
      do throws(Failure) {
        try body(a, b, c, d, e)
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

  /// Declares a reaction over six molecules.
  @inlinable
  @discardableResult
  public func react<
    A: Consumable<U>, B: Consumable<V>, C: Consumable<W>, D: Consumable<X>, E: Consumable<Y>, F: Consumable<Z>, U, V, W,
    X, Y, Z, Failure: Error
  >(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (U, V, W, X, Y, Z) throws(Failure) -> Void
  ) -> Reaction {
    add(Pattern(a._name, b._name, c._name, d._name, e._name, f._name), placement, recovery, Source(file, line)) {
      reaction, inputs in
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      let c = C._take(inputs[2])
      let d = D._take(inputs[3])
      let e = E._take(inputs[4])
      let f = F._take(inputs[5])
      do throws(Failure) {
        try body(a, b, c, d, e, f)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
        D._finish(consume d)
        E._finish(consume e)
        F._finish(consume f)
      } catch {
        reaction.fail(
          error, inputs, [A._failed(a), B._failed(b), C._failed(c), D._failed(d), E._failed(e), F._failed(f)])
      }
    }
  }

  /// Declares a reaction over seven molecules or more.
  ///
  /// - Complexity: O(inputs) a firing. Each input costs more than in a reaction of up to six.
  @discardableResult
  public func react<
    A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable, G: Consumable,
    each More: Consumable, Failure: Error
  >(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ more: repeat each More, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument, G.Argument, repeat (each More).Argument
      ) throws(Failure) -> Void
  ) -> Reaction {
    addEach(
      placement, recovery, Source(file, line), One(a), One(b), One(c), One(d), One(e), One(f), One(g),
      repeat One(each more), run: body)
  }
}
