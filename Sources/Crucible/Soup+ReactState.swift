extension Soup {
  /// Declares a reaction that takes a state: the body may change it in place, and it goes back when the body ends.
  ///
  /// ```swift
  /// soup.react(counter & increment) { n, _ in n += 1 }
  /// ```
  ///
  /// Reactions that share a state never run at the same time. If the body throws, the state goes back as the body left it.
  @inlinable
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, Failure: Error>(
    _ pattern: StatePattern2<S, A>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, A.Argument) throws(Failure) -> Void
  ) -> Reaction {
    add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      var a = A._take(inputs[1])
      do {
        try body(&State<S>.value(inputs[0]).pointee, a)
        A._finish(&a)
      } catch {
        reaction.fail(error, inputs, A._failed(a))
      }
    }
  }

  /// Declares a reaction over a state and two molecules.
  @inlinable
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, B: Consumable, Failure: Error>(
    _ pattern: StatePattern3<S, A, B>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, A.Argument, B.Argument) throws(Failure) -> Void
  ) -> Reaction {
    add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      var a = A._take(inputs[1])
      var b = B._take(inputs[2])
      do {
        try body(&State<S>.value(inputs[0]).pointee, a, b)
        A._finish(&a)
        B._finish(&b)
      } catch {
        reaction.fail(error, inputs, A._failed(a), B._failed(b))
      }
    }
  }

  /// Declares a reaction over a state and three molecules.
  @inlinable
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, Failure: Error>(
    _ pattern: StatePattern4<S, A, B, C>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, A.Argument, B.Argument, C.Argument) throws(Failure) -> Void
  ) -> Reaction {
    add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      var a = A._take(inputs[1])
      var b = B._take(inputs[2])
      var c = C._take(inputs[3])
      do {
        try body(&State<S>.value(inputs[0]).pointee, a, b, c)
        A._finish(&a)
        B._finish(&b)
        C._finish(&c)
      } catch {
        reaction.fail(error, inputs, A._failed(a), B._failed(b), C._failed(c))
      }
    }
  }

  /// Declares a reaction over a state and four molecules.
  @inlinable
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable, Failure: Error>(
    _ pattern: StatePattern5<S, A, B, C, D>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, A.Argument, B.Argument, C.Argument, D.Argument) throws(Failure) -> Void
  ) -> Reaction {
    add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      var a = A._take(inputs[1])
      var b = B._take(inputs[2])
      var c = C._take(inputs[3])
      var d = D._take(inputs[4])
      do {
        try body(&State<S>.value(inputs[0]).pointee, a, b, c, d)
        A._finish(&a)
        B._finish(&b)
        C._finish(&c)
        D._finish(&d)
      } catch {
        reaction.fail(error, inputs, A._failed(a), B._failed(b), C._failed(c), D._failed(d))
      }
    }
  }

  /// Declares a reaction over a state and five molecules.
  @inlinable
  @discardableResult
  public func react<
    S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, Failure: Error
  >(
    _ pattern: StatePattern6<S, A, B, C, D, E>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout S, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument) throws(Failure) -> Void
  ) -> Reaction {
    add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      var a = A._take(inputs[1])
      var b = B._take(inputs[2])
      var c = C._take(inputs[3])
      var d = D._take(inputs[4])
      var e = E._take(inputs[5])
      do {
        try body(&State<S>.value(inputs[0]).pointee, a, b, c, d, e)
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
}
