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
      let a = A._take(inputs[1])
      do {
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
  public func react<S: SendableMetatype, A: Consumable, B: Consumable, Failure: Error>(
    _ pattern: StatePattern3<S, A, B>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, A.Argument, B.Argument) throws(Failure) -> Void
  ) -> Reaction {
    add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      let a = A._take(inputs[1])
      let b = B._take(inputs[2])
      do {
        try body(&State<S>.value(inputs[0]).pointee, a, b)
        A._finish(consume a)
        B._finish(consume b)
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
      let a = A._take(inputs[1])
      let b = B._take(inputs[2])
      let c = C._take(inputs[3])
      do {
        try body(&State<S>.value(inputs[0]).pointee, a, b, c)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
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
      let a = A._take(inputs[1])
      let b = B._take(inputs[2])
      let c = C._take(inputs[3])
      let d = D._take(inputs[4])
      do {
        try body(&State<S>.value(inputs[0]).pointee, a, b, c, d)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
        D._finish(consume d)
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
      let a = A._take(inputs[1])
      let b = B._take(inputs[2])
      let c = C._take(inputs[3])
      let d = D._take(inputs[4])
      let e = E._take(inputs[5])
      do {
        try body(&State<S>.value(inputs[0]).pointee, a, b, c, d, e)
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
}
