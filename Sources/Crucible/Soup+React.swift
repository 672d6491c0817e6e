extension Soup {
  /// Declares a reaction: when one molecule of every name of the pattern is there, it consumes them at once and runs the body.
  ///
  /// ```swift
  /// soup.react(a & b, on: .inline) { x, y in print(x + y) }
  /// ```
  ///
  /// A name may stand in a pattern more than once; then as many of it are consumed. The body gets one argument for each
  /// molecule in the order of the pattern: the value of a slow one, a ``Call`` for a fast one.
  ///
  /// - Parameters:
  ///   - placement: where the body runs.
  ///   - body: runs at any time, on any thread, several at once unless a state keeps them apart; to be `@Sendable`. It may
  ///     throw: each caller whose fast molecule it had and had not answered gets ``CallError/failed(_:)`` with the error; if
  ///     there is none, the soup's `onError` gets it. What was consumed stays consumed.
  @inlinable
  @discardableResult
  public func react<A: Consumable, Failure: Error>(
    _ a: A, on placement: Placement? = nil, onError recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (A.Argument) throws(Failure) -> Void
  ) -> Reaction {
    add([a._name], placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      var a = A._take(inputs[0])
      do {
        try body(a)
        A._finish(&a)
      } catch {
        reaction.fail(error, inputs, A._failed(a))
      }
    }
  }

  /// Declares a reaction over two molecules.
  @inlinable
  @discardableResult
  public func react<A: Consumable, B: Consumable, Failure: Error>(
    _ pattern: Pattern2<A, B>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (A.Argument, B.Argument) throws(Failure) -> Void
  ) -> Reaction {
    add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      var a = A._take(inputs[0])
      var b = B._take(inputs[1])
      do {
        try body(a, b)
        A._finish(&a)
        B._finish(&b)
      } catch {
        reaction.fail(error, inputs, A._failed(a), B._failed(b))
      }
    }
  }

  /// Declares a reaction over three molecules.
  @inlinable
  @discardableResult
  public func react<A: Consumable, B: Consumable, C: Consumable, Failure: Error>(
    _ pattern: Pattern3<A, B, C>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (A.Argument, B.Argument, C.Argument) throws(Failure) -> Void
  ) -> Reaction {
    add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      var a = A._take(inputs[0])
      var b = B._take(inputs[1])
      var c = C._take(inputs[2])
      do {
        try body(a, b, c)
        A._finish(&a)
        B._finish(&b)
        C._finish(&c)
      } catch {
        reaction.fail(error, inputs, A._failed(a), B._failed(b), C._failed(c))
      }
    }
  }

  /// Declares a reaction over four molecules.
  @inlinable
  @discardableResult
  public func react<A: Consumable, B: Consumable, C: Consumable, D: Consumable, Failure: Error>(
    _ pattern: Pattern4<A, B, C, D>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (A.Argument, B.Argument, C.Argument, D.Argument) throws(Failure) -> Void
  ) -> Reaction {
    add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      var a = A._take(inputs[0])
      var b = B._take(inputs[1])
      var c = C._take(inputs[2])
      var d = D._take(inputs[3])
      do {
        try body(a, b, c, d)
        A._finish(&a)
        B._finish(&b)
        C._finish(&c)
        D._finish(&d)
      } catch {
        reaction.fail(error, inputs, A._failed(a), B._failed(b), C._failed(c), D._failed(d))
      }
    }
  }

  /// Declares a reaction over five molecules.
  @inlinable
  @discardableResult
  public func react<A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, Failure: Error>(
    _ pattern: Pattern5<A, B, C, D, E>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (A.Argument, B.Argument, C.Argument, D.Argument, E.Argument) throws(Failure) -> Void
  ) -> Reaction {
    add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      var a = A._take(inputs[0])
      var b = B._take(inputs[1])
      var c = C._take(inputs[2])
      var d = D._take(inputs[3])
      var e = E._take(inputs[4])
      do {
        try body(a, b, c, d, e)
        A._finish(&a)
        B._finish(&b)
        C._finish(&c)
        D._finish(&d)
        E._finish(&e)
      } catch {
        reaction.fail(error, inputs, A._failed(a), B._failed(b), C._failed(c), D._failed(d), E._failed(e))
      }
    }
  }

  /// Declares a reaction over six molecules.
  @inlinable
  @discardableResult
  public func react<
    A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable, Failure: Error
  >(
    _ pattern: Pattern6<A, B, C, D, E, F>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument) throws(Failure) ->
      Void
  ) -> Reaction {
    add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      var a = A._take(inputs[0])
      var b = B._take(inputs[1])
      var c = C._take(inputs[2])
      var d = D._take(inputs[3])
      var e = E._take(inputs[4])
      var f = F._take(inputs[5])
      do {
        try body(a, b, c, d, e, f)
        A._finish(&a)
        B._finish(&b)
        C._finish(&c)
        D._finish(&d)
        E._finish(&e)
        F._finish(&f)
      } catch {
        reaction.fail(error, inputs, A._failed(a), B._failed(b), C._failed(c), D._failed(d), E._failed(e), F._failed(f))
      }
    }
  }
}
