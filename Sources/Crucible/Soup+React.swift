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
      let a = A._take(inputs[0])
      do {
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
  public func react<A: Consumable, B: Consumable, Failure: Error>(
    _ pattern: Pattern2<A, B>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (A.Argument, B.Argument) throws(Failure) -> Void
  ) -> Reaction {
    add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      do {
        try body(a, b)
        A._finish(consume a)
        B._finish(consume b)
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
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      let c = C._take(inputs[2])
      do {
        try body(a, b, c)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
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
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      let c = C._take(inputs[2])
      let d = D._take(inputs[3])
      do {
        try body(a, b, c, d)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
        D._finish(consume d)
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
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      let c = C._take(inputs[2])
      let d = D._take(inputs[3])
      let e = E._take(inputs[4])
      do {
        try body(a, b, c, d, e)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
        D._finish(consume d)
        E._finish(consume e)
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
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      let c = C._take(inputs[2])
      let d = D._take(inputs[3])
      let e = E._take(inputs[4])
      let f = F._take(inputs[5])
      do {
        try body(a, b, c, d, e, f)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
        D._finish(consume d)
        E._finish(consume e)
        F._finish(consume f)
      } catch {
        reaction.fail(error, inputs, A._failed(a), B._failed(b), C._failed(c), D._failed(d), E._failed(e), F._failed(f))
      }
    }
  }
}
