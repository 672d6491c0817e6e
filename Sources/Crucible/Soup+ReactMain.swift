extension Soup {
  /// Declares a reaction over one molecule whose body is isolated to the main actor.
  ///
  /// ```swift
  /// soup.react(page, on: .main) { page in window.show(page) }
  /// ```
  ///
  /// - Parameter place: ``MainPlacement/main``, which tells when the body runs at once.
  @discardableResult
  public func react<A: Consumable, Failure: Error>(
    _ a: A, on place: MainPlacement, onError recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (A.Argument) throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(body, to: (@Sendable (A.Argument) throws(Failure) -> Void).self)
    return react(a, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over two molecules whose body is isolated to the main actor.
  @discardableResult
  public func react<A: Consumable, B: Consumable, Failure: Error>(
    _ pattern: Pattern2<A, B>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (A.Argument, B.Argument) throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(body, to: (@Sendable (A.Argument, B.Argument) throws(Failure) -> Void).self)
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over three molecules whose body is isolated to the main actor.
  @discardableResult
  public func react<A: Consumable, B: Consumable, C: Consumable, Failure: Error>(
    _ pattern: Pattern3<A, B, C>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (A.Argument, B.Argument, C.Argument) throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(body, to: (@Sendable (A.Argument, B.Argument, C.Argument) throws(Failure) -> Void).self)
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over four molecules whose body is isolated to the main actor.
  @discardableResult
  public func react<A: Consumable, B: Consumable, C: Consumable, D: Consumable, Failure: Error>(
    _ pattern: Pattern4<A, B, C, D>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (A.Argument, B.Argument, C.Argument, D.Argument) throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body, to: (@Sendable (A.Argument, B.Argument, C.Argument, D.Argument) throws(Failure) -> Void).self)
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over five molecules whose body is isolated to the main actor.
  @discardableResult
  public func react<A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, Failure: Error>(
    _ pattern: Pattern5<A, B, C, D, E>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (A.Argument, B.Argument, C.Argument, D.Argument, E.Argument) throws(Failure) ->
      Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body, to: (@Sendable (A.Argument, B.Argument, C.Argument, D.Argument, E.Argument) throws(Failure) -> Void).self)
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over six molecules whose body is isolated to the main actor.
  @discardableResult
  public func react<
    A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable, Failure: Error
  >(
    _ pattern: Pattern6<A, B, C, D, E, F>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument)
      throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument) throws(Failure) -> Void)
        .self)
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over a state and one molecule whose body is isolated to the main actor.
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, Failure: Error>(
    _ pattern: StatePattern2<S, A>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, A.Argument) throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(body, to: (@Sendable (inout S, A.Argument) throws(Failure) -> Void).self)
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over a state and two molecules whose body is isolated to the main actor.
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, B: Consumable, Failure: Error>(
    _ pattern: StatePattern3<S, A, B>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, A.Argument, B.Argument) throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(body, to: (@Sendable (inout S, A.Argument, B.Argument) throws(Failure) -> Void).self)
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over a state and three molecules whose body is isolated to the main actor.
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, Failure: Error>(
    _ pattern: StatePattern4<S, A, B, C>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, A.Argument, B.Argument, C.Argument) throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body, to: (@Sendable (inout S, A.Argument, B.Argument, C.Argument) throws(Failure) -> Void).self)
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over a state and four molecules whose body is isolated to the main actor.
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable, Failure: Error>(
    _ pattern: StatePattern5<S, A, B, C, D>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (inout sending S, A.Argument, B.Argument, C.Argument, D.Argument) throws(Failure)
      -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body, to: (@Sendable (inout S, A.Argument, B.Argument, C.Argument, D.Argument) throws(Failure) -> Void).self)
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over a state and five molecules whose body is isolated to the main actor.
  @discardableResult
  public func react<
    S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, Failure: Error
  >(
    _ pattern: StatePattern6<S, A, B, C, D, E>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (inout sending S, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument)
      throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (inout S, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument) throws(Failure) -> Void).self
    )
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over two states and one molecule whose body is isolated to the main actor.
  @discardableResult
  public func react<S: SendableMetatype, T: SendableMetatype, A: Consumable, Failure: Error>(
    _ pattern: StatesPattern3<S, T, A>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, inout sending T, A.Argument) throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(body, to: (@Sendable (inout S, inout T, A.Argument) throws(Failure) -> Void).self)
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over two states and two molecules whose body is isolated to the main actor.
  @discardableResult
  public func react<S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, Failure: Error>(
    _ pattern: StatesPattern4<S, T, A, B>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (inout sending S, inout sending T, A.Argument, B.Argument) throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body, to: (@Sendable (inout S, inout T, A.Argument, B.Argument) throws(Failure) -> Void).self)
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over two states and three molecules whose body is isolated to the main actor.
  @discardableResult
  public func react<
    S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, Failure: Error
  >(
    _ pattern: StatesPattern5<S, T, A, B, C>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (inout sending S, inout sending T, A.Argument, B.Argument, C.Argument)
      throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body, to: (@Sendable (inout S, inout T, A.Argument, B.Argument, C.Argument) throws(Failure) -> Void).self)
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over two states and four molecules whose body is isolated to the main actor.
  @discardableResult
  public func react<
    S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable, Failure: Error
  >(
    _ pattern: StatesPattern6<S, T, A, B, C, D>, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (inout sending S, inout sending T, A.Argument, B.Argument, C.Argument, D.Argument)
      throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (inout S, inout T, A.Argument, B.Argument, C.Argument, D.Argument) throws(Failure) -> Void).self)
    return react(pattern, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over an array of names of one type, whose body is isolated to the main actor.
  @discardableResult
  public func react<Name: Consumable, Failure: Error>(
    all names: [Name], on place: MainPlacement, onError recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable ([Name.Argument]) throws(Failure) -> Void
  ) -> Reaction {
    let body = unsafeBitCast(body, to: (@Sendable ([Name.Argument]) throws(Failure) -> Void).self)
    return react(all: names, on: .mainThread, onError: recovery, file: file, line: line, body)
  }

  /// Declares a reaction over any number of names of any types, whose body is isolated to the main actor.
  @discardableResult
  public func react<each Name: Consumable, Failure: Error>(
    all names: repeat each Name, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (repeat (each Name).Argument) throws(Failure) -> Void
  ) -> Reaction {
    // A function over a pack cannot be cast: what is known is checked instead.
    react(all: repeat each names, on: .mainThread, onError: recovery, file: file, line: line) {
      (arguments: repeat (each Name).Argument) throws in
      try MainActor.assumeIsolated { try body(repeat each arguments) }
    }
  }
}
