extension Soup {
  /// Declares a reaction: when one molecule of every name is present, it consumes them at once and runs the body.
  ///
  /// ```swift
  /// soup.react(a, b, on: .inline) { x, y in print(x + y) }
  /// ```
  ///
  /// A pattern may have a name more than once; the reaction then consumes as many molecules of it. The body gets one
  /// argument for each molecule, in the order of the names. A slow molecule gives its value, a fast one a ``Call``. A
  /// state comes first, with its label: `soup.react(state: counter, increment) { n, _ in n += 1 }`.
  ///
  /// The placement says where the body runs. The body is `@Sendable`: it may run at any time, on any thread, and
  /// several times at once unless a state prevents that. If the body throws, ``Recovery`` says what happens.
  ///
  /// - Complexity: O(inputs) a firing, without allocation, unless an input is an array or a group.
  @inlinable
  @discardableResult
  public func react<A: Input<U>, U, Failure: Error>(
    _ a: A, on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (U) throws(Failure) -> Void
  ) -> Reaction {
    guard let pattern = Pattern(a._name) else {
      return addEach(placement, recovery, StaticSource(file, line), a, run: body)
    }
    return add(pattern, placement, recovery, StaticSource(file, line)) { reaction, inputs in
      var rest = _Inputs(inputs)
      let a = A._take(&rest)
      do throws(Failure) {
        try body(a)
        A._finish(consume a)
      } catch {
        reaction.fail(error, inputs, A._failed(a))
      }
    }
  }

  /// Declares a reaction over two molecules.
  @inlinable
  @discardableResult
  public func react<A: Input<U>, B: Input<V>, U, V, Failure: Error>(
    _ a: A, _ b: B, on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (U, V) throws(Failure) -> Void
  ) -> Reaction {
    guard let pattern = Pattern(a._name, b._name) else {
      return addEach(placement, recovery, StaticSource(file, line), a, b, run: body)
    }
    return add(pattern, placement, recovery, StaticSource(file, line)) { reaction, inputs in
      var rest = _Inputs(inputs)
      let a = A._take(&rest)
      let b = B._take(&rest)
      do throws(Failure) {
        try body(a, b)
        A._finish(consume a)
        B._finish(consume b)
      } catch {
        reaction.fail(error, inputs, A._failed(a) + B._failed(b))
      }
    }
  }

  /// Declares a reaction over three molecules.
  @inlinable
  @discardableResult
  public func react<A: Input<U>, B: Input<V>, C: Input<W>, U, V, W, Failure: Error>(
    _ a: A, _ b: B, _ c: C, on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (U, V, W) throws(Failure) -> Void
  ) -> Reaction {
    guard let pattern = Pattern(a._name, b._name, c._name) else {
      return addEach(placement, recovery, StaticSource(file, line), a, b, c, run: body)
    }
    return add(pattern, placement, recovery, StaticSource(file, line)) { reaction, inputs in
      var rest = _Inputs(inputs)
      let a = A._take(&rest)
      let b = B._take(&rest)
      let c = C._take(&rest)
      do throws(Failure) {
        try body(a, b, c)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
      } catch {
        reaction.fail(error, inputs, A._failed(a) + B._failed(b) + C._failed(c))
      }
    }
  }

  /// Declares a reaction over four molecules.
  @inlinable
  @discardableResult
  public func react<A: Input<U>, B: Input<V>, C: Input<W>, D: Input<X>, U, V, W, X, Failure: Error>(
    _ a: A, _ b: B, _ c: C, _ d: D, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (U, V, W, X) throws(Failure) -> Void
  ) -> Reaction {
    guard let pattern = Pattern(a._name, b._name, c._name, d._name) else {
      return addEach(placement, recovery, StaticSource(file, line), a, b, c, d, run: body)
    }
    return add(pattern, placement, recovery, StaticSource(file, line)) { reaction, inputs in
      var rest = _Inputs(inputs)
      let a = A._take(&rest)
      let b = B._take(&rest)
      let c = C._take(&rest)
      let d = D._take(&rest)
      do throws(Failure) {
        try body(a, b, c, d)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
        D._finish(consume d)
      } catch {
        reaction.fail(error, inputs, A._failed(a) + B._failed(b) + C._failed(c) + D._failed(d))
      }
    }
  }

  /// Declares a reaction over five molecules.
  @inlinable
  @discardableResult
  public func react<A: Input<U>, B: Input<V>, C: Input<W>, D: Input<X>, E: Input<Y>, U, V, W, X, Y, Failure: Error>(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (U, V, W, X, Y) throws(Failure) -> Void
  ) -> Reaction {
    guard let pattern = Pattern(a._name, b._name, c._name, d._name, e._name) else {
      return addEach(placement, recovery, StaticSource(file, line), a, b, c, d, e, run: body)
    }
    return add(pattern, placement, recovery, StaticSource(file, line)) { reaction, inputs in
      var rest = _Inputs(inputs)
      let a = A._take(&rest)
      let b = B._take(&rest)
      let c = C._take(&rest)
      let d = D._take(&rest)
      let e = E._take(&rest)
      do throws(Failure) {
        try body(a, b, c, d, e)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
        D._finish(consume d)
        E._finish(consume e)
      } catch {
        reaction.fail(error, inputs, A._failed(a) + B._failed(b) + C._failed(c) + D._failed(d) + E._failed(e))
      }
    }
  }

  /// Declares a reaction over six molecules.
  @inlinable
  @discardableResult
  public func react<
    A: Input<U>, B: Input<V>, C: Input<W>, D: Input<X>, E: Input<Y>, F: Input<Z>, U, V, W, X, Y, Z, Failure: Error
  >(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (U, V, W, X, Y, Z) throws(Failure) -> Void
  ) -> Reaction {
    guard let pattern = Pattern(a._name, b._name, c._name, d._name, e._name, f._name) else {
      return addEach(placement, recovery, StaticSource(file, line), a, b, c, d, e, f, run: body)
    }
    return add(pattern, placement, recovery, StaticSource(file, line)) { reaction, inputs in
      var rest = _Inputs(inputs)
      let a = A._take(&rest)
      let b = B._take(&rest)
      let c = C._take(&rest)
      let d = D._take(&rest)
      let e = E._take(&rest)
      let f = F._take(&rest)
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
          error, inputs, A._failed(a) + B._failed(b) + C._failed(c) + D._failed(d) + E._failed(e) + F._failed(f))
      }
    }
  }

  /// Declares a reaction over an array of names: it takes a molecule of each, and the body gets an array of values.
  ///
  /// ```swift
  /// let parts = soup.slow("part", of: Int.self, count: n)
  /// soup.react(parts) { values in print(values.reduce(0, +)) }
  /// ```
  ///
  /// A name may stand in the array more than once. Every form of `react` takes an array, also an empty one, for a name.
  ///
  /// - Complexity: O(inputs) a firing, which allocates the array for the body.
  @inlinable
  @discardableResult
  public func react<Name: Consumable, Failure: Error>(
    _ names: [Name], on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable ([Name.Argument]) throws(Failure) -> Void
  ) -> Reaction {
    let count = names.count
    return add(names.map(\.name), placement, recovery, StaticSource(file, line)) { reaction, inputs in
      var rest = _Inputs(inputs)
      var values = (0..<count).map { _ in Name._take(&rest) }
      do throws(Failure) {
        try body(values)
        while let value = values.popLast() { Name._finish(consume value) }
      } catch {
        reaction.fail(error, inputs, values.flatMap(Name._failed))
      }
    }
  }

  /// Declares a reaction over seven molecules or more.
  ///
  /// - Complexity: O(inputs) a firing. Each input costs more than in a reaction of up to six.
  @discardableResult
  public func react<
    A: Input, B: Input, C: Input, D: Input, E: Input, F: Input, G: Input, each More: Input, Failure: Error
  >(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ more: repeat each More, on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument, G.Argument, repeat (each More).Argument
      ) throws(Failure) -> Void
  ) -> Reaction {
    addEach(
      placement, recovery, StaticSource(file, line), a, b, c, d, e, f, g,
      repeat each more, run: body)
  }
}
