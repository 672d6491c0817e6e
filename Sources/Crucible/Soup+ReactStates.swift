extension Soup {
  /// Declares a reaction that takes two states at once: the body may change both in place.
  ///
  /// ```swift
  /// soup.react(giro & savings & transfer) { giro, savings, amount in
  ///   giro -= amount
  ///   savings += amount
  /// }
  /// ```
  ///
  /// It runs when both states are there, and never at the same time as another reaction of either. So there is no order in
  /// which to lock them. Two different states: there is one copy of each. The body must leave them apart: that they come to share
  /// an object that is not `Sendable` does not compile.
  @inlinable
  @discardableResult
  public func react<S: SendableMetatype, T: SendableMetatype, A: Consumable, Failure: Error>(
    _ pattern: StatesPattern3<S, T, A>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, A.Argument) throws(Failure) -> Void
  ) -> Reaction {
    // What `sending` promises has been checked where the body was written; the cells themselves are nobody else's meanwhile.
    let body = unsafeBitCast(body, to: (@Sendable (inout S, inout T, A.Argument) throws(Failure) -> Void).self)
    return add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      let a = A._take(inputs[2])
      do {
        try body(&State<S>.value(inputs[0]).pointee, &State<T>.value(inputs[1]).pointee, a)
        A._finish(consume a)
      } catch {
        reaction.fail(error, inputs, A._failed(a))
      }
    }
  }

  /// Declares a reaction over two states and two molecules.
  @inlinable
  @discardableResult
  public func react<S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, Failure: Error>(
    _ pattern: StatesPattern4<S, T, A, B>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, A.Argument, B.Argument) throws(Failure) -> Void
  ) -> Reaction {
    // What `sending` promises has been checked where the body was written; the cells themselves are nobody else's meanwhile.
    let body = unsafeBitCast(
      body, to: (@Sendable (inout S, inout T, A.Argument, B.Argument) throws(Failure) -> Void).self)
    return add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      let a = A._take(inputs[2])
      let b = B._take(inputs[3])
      do {
        try body(&State<S>.value(inputs[0]).pointee, &State<T>.value(inputs[1]).pointee, a, b)
        A._finish(consume a)
        B._finish(consume b)
      } catch {
        reaction.fail(error, inputs, A._failed(a), B._failed(b))
      }
    }
  }

  /// Declares a reaction over two states and three molecules.
  @inlinable
  @discardableResult
  public func react<
    S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, Failure: Error
  >(
    _ pattern: StatesPattern5<S, T, A, B, C>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout sending S, inout sending T, A.Argument, B.Argument, C.Argument) throws(Failure) -> Void
  ) -> Reaction {
    // What `sending` promises has been checked where the body was written; the cells themselves are nobody else's meanwhile.
    let body = unsafeBitCast(
      body, to: (@Sendable (inout S, inout T, A.Argument, B.Argument, C.Argument) throws(Failure) -> Void).self)
    return add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      let a = A._take(inputs[2])
      let b = B._take(inputs[3])
      let c = C._take(inputs[4])
      do {
        try body(&State<S>.value(inputs[0]).pointee, &State<T>.value(inputs[1]).pointee, a, b, c)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
      } catch {
        reaction.fail(error, inputs, A._failed(a), B._failed(b), C._failed(c))
      }
    }
  }

  /// Declares a reaction over two states and four molecules.
  @inlinable
  @discardableResult
  public func react<
    S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable, Failure: Error
  >(
    _ pattern: StatesPattern6<S, T, A, B, C, D>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout sending S, inout sending T, A.Argument, B.Argument, C.Argument, D.Argument)
      throws(Failure) -> Void
  ) -> Reaction {
    // What `sending` promises has been checked where the body was written; the cells themselves are nobody else's meanwhile.
    let body = unsafeBitCast(
      body,
      to: (@Sendable (inout S, inout T, A.Argument, B.Argument, C.Argument, D.Argument) throws(Failure) -> Void).self)
    return add(pattern.names, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      let a = A._take(inputs[2])
      let b = B._take(inputs[3])
      let c = C._take(inputs[4])
      let d = D._take(inputs[5])
      do {
        try body(&State<S>.value(inputs[0]).pointee, &State<T>.value(inputs[1]).pointee, a, b, c, d)
        A._finish(consume a)
        B._finish(consume b)
        C._finish(consume c)
        D._finish(consume d)
      } catch {
        reaction.fail(error, inputs, A._failed(a), B._failed(b), C._failed(c), D._failed(d))
      }
    }
  }

  @available(
    *, unavailable, message: "a pattern of states alone would react for ever: add a molecule, state & state & molecule"
  )
  public func react<S: SendableMetatype, T: SendableMetatype, Failure: Error>(
    _ pattern: StatesPattern2<S, T>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, inout T) throws(Failure) -> Void
  ) { fatalError("unavailable") }
}
