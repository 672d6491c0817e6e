extension Soup {
  /// Declares a reaction over one molecule with an `async` body.
  ///
  /// ```swift
  /// soup.react(request) { call in call.reply(try await fetch(call.input)) }
  /// ```
  ///
  /// States that it takes stay with it until it has ended, across its suspensions; soups are not quiet until then. Cancelling a
  /// caller's task does not cancel the body, which can ask ``Call/isAwaited``.
  ///
  /// - Parameters:
  ///   - placement: where it runs, when it goes on after a suspension as well.
  ///   - body: as of a synchronous reaction.
  /// - Complexity: each firing makes a task.
  @discardableResult
  public func react<A: Consumable>(
    _ a: A, on placement: Placement? = nil, onError recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (A.Argument) async throws -> Void
  ) -> Reaction {
    return add(
      [a._name], placement, recovery, Source(file: file, line: line),
      async: { inputs in
        let a = A._take(inputs[0])
        return TakenBody(run: { try await body(a) }) {
          [A._failed(a)]
        }
      })
  }

  /// Declares a reaction over two molecules with an `async` body.
  @discardableResult
  public func react<A: Consumable, B: Consumable>(
    _ pattern: Pattern2<A, B>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (A.Argument, B.Argument) async throws -> Void
  ) -> Reaction {
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        let a = A._take(inputs[0])
        let b = B._take(inputs[1])
        return TakenBody(run: { try await body(a, b) }) {
          [A._failed(a), B._failed(b)]
        }
      })
  }

  /// Declares a reaction over three molecules with an `async` body.
  @discardableResult
  public func react<A: Consumable, B: Consumable, C: Consumable>(
    _ pattern: Pattern3<A, B, C>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (A.Argument, B.Argument, C.Argument) async throws -> Void
  ) -> Reaction {
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        let a = A._take(inputs[0])
        let b = B._take(inputs[1])
        let c = C._take(inputs[2])
        return TakenBody(run: { try await body(a, b, c) }) {
          [A._failed(a), B._failed(b), C._failed(c)]
        }
      })
  }

  /// Declares a reaction over four molecules with an `async` body.
  @discardableResult
  public func react<A: Consumable, B: Consumable, C: Consumable, D: Consumable>(
    _ pattern: Pattern4<A, B, C, D>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (A.Argument, B.Argument, C.Argument, D.Argument) async throws -> Void
  ) -> Reaction {
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        let a = A._take(inputs[0])
        let b = B._take(inputs[1])
        let c = C._take(inputs[2])
        let d = D._take(inputs[3])
        return TakenBody(run: { try await body(a, b, c, d) }) {
          [A._failed(a), B._failed(b), C._failed(c), D._failed(d)]
        }
      })
  }

  /// Declares a reaction over five molecules with an `async` body.
  @discardableResult
  public func react<A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable>(
    _ pattern: Pattern5<A, B, C, D, E>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (A.Argument, B.Argument, C.Argument, D.Argument, E.Argument) async throws -> Void
  ) -> Reaction {
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        let a = A._take(inputs[0])
        let b = B._take(inputs[1])
        let c = C._take(inputs[2])
        let d = D._take(inputs[3])
        let e = E._take(inputs[4])
        return TakenBody(run: { try await body(a, b, c, d, e) }) {
          [A._failed(a), B._failed(b), C._failed(c), D._failed(d), E._failed(e)]
        }
      })
  }

  /// Declares a reaction over six molecules with an `async` body.
  @discardableResult
  public func react<A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable>(
    _ pattern: Pattern6<A, B, C, D, E, F>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument) async throws -> Void
  ) -> Reaction {
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        let a = A._take(inputs[0])
        let b = B._take(inputs[1])
        let c = C._take(inputs[2])
        let d = D._take(inputs[3])
        let e = E._take(inputs[4])
        let f = F._take(inputs[5])
        return TakenBody(run: { try await body(a, b, c, d, e, f) }) {
          [A._failed(a), B._failed(b), C._failed(c), D._failed(d), E._failed(e), F._failed(f)]
        }
      })
  }

  /// Declares a reaction over a state and one molecule with an `async` body.
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable>(
    _ pattern: StatePattern2<S, A>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, A.Argument) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(body, to: (@Sendable (inout State<S>.Cell, A.Argument) async throws -> Void).self)
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        nonisolated(unsafe) let s = State<S>.cell(inputs[0])
        let a = A._take(inputs[1])
        return TakenBody(run: { try await body(&s.pointee, a) }) {
          [A._failed(a)]
        }
      })
  }

  /// Declares a reaction over a state and two molecules with an `async` body.
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, B: Consumable>(
    _ pattern: StatePattern3<S, A, B>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, A.Argument, B.Argument) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body, to: (@Sendable (inout State<S>.Cell, A.Argument, B.Argument) async throws -> Void).self)
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        nonisolated(unsafe) let s = State<S>.cell(inputs[0])
        let a = A._take(inputs[1])
        let b = B._take(inputs[2])
        return TakenBody(run: { try await body(&s.pointee, a, b) }) {
          [A._failed(a), B._failed(b)]
        }
      })
  }

  /// Declares a reaction over a state and three molecules with an `async` body.
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable>(
    _ pattern: StatePattern4<S, A, B, C>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, A.Argument, B.Argument, C.Argument) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body, to: (@Sendable (inout State<S>.Cell, A.Argument, B.Argument, C.Argument) async throws -> Void).self)
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        nonisolated(unsafe) let s = State<S>.cell(inputs[0])
        let a = A._take(inputs[1])
        let b = B._take(inputs[2])
        let c = C._take(inputs[3])
        return TakenBody(run: { try await body(&s.pointee, a, b, c) }) {
          [A._failed(a), B._failed(b), C._failed(c)]
        }
      })
  }

  /// Declares a reaction over a state and four molecules with an `async` body.
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable>(
    _ pattern: StatePattern5<S, A, B, C, D>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, A.Argument, B.Argument, C.Argument, D.Argument) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (inout State<S>.Cell, A.Argument, B.Argument, C.Argument, D.Argument) async throws -> Void).self)
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        nonisolated(unsafe) let s = State<S>.cell(inputs[0])
        let a = A._take(inputs[1])
        let b = B._take(inputs[2])
        let c = C._take(inputs[3])
        let d = D._take(inputs[4])
        return TakenBody(run: { try await body(&s.pointee, a, b, c, d) }) {
          [A._failed(a), B._failed(b), C._failed(c), D._failed(d)]
        }
      })
  }

  /// Declares a reaction over a state and five molecules with an `async` body.
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable>(
    _ pattern: StatePattern6<S, A, B, C, D, E>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout S, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (inout State<S>.Cell, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument) async throws ->
        Void).self)
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        nonisolated(unsafe) let s = State<S>.cell(inputs[0])
        let a = A._take(inputs[1])
        let b = B._take(inputs[2])
        let c = C._take(inputs[3])
        let d = D._take(inputs[4])
        let e = E._take(inputs[5])
        return TakenBody(run: { try await body(&s.pointee, a, b, c, d, e) }) {
          [A._failed(a), B._failed(b), C._failed(c), D._failed(d), E._failed(e)]
        }
      })
  }

  /// Declares a reaction over two states and one molecule with an `async` body.
  @discardableResult
  public func react<S: SendableMetatype, T: SendableMetatype, A: Consumable>(
    _ pattern: StatesPattern3<S, T, A>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, A.Argument) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body, to: (@Sendable (inout State<S>.Cell, inout State<T>.Cell, A.Argument) async throws -> Void).self)
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        nonisolated(unsafe) let s = State<S>.cell(inputs[0])
        nonisolated(unsafe) let t = State<T>.cell(inputs[1])
        let a = A._take(inputs[2])
        return TakenBody(run: { try await body(&s.pointee, &t.pointee, a) }) {
          [A._failed(a)]
        }
      })
  }

  /// Declares a reaction over two states and two molecules with an `async` body.
  @discardableResult
  public func react<S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable>(
    _ pattern: StatesPattern4<S, T, A, B>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, A.Argument, B.Argument) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body, to: (@Sendable (inout State<S>.Cell, inout State<T>.Cell, A.Argument, B.Argument) async throws -> Void).self
    )
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        nonisolated(unsafe) let s = State<S>.cell(inputs[0])
        nonisolated(unsafe) let t = State<T>.cell(inputs[1])
        let a = A._take(inputs[2])
        let b = B._take(inputs[3])
        return TakenBody(run: { try await body(&s.pointee, &t.pointee, a, b) }) {
          [A._failed(a), B._failed(b)]
        }
      })
  }

  /// Declares a reaction over two states and three molecules with an `async` body.
  @discardableResult
  public func react<S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, C: Consumable>(
    _ pattern: StatesPattern5<S, T, A, B, C>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout sending S, inout sending T, A.Argument, B.Argument, C.Argument) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (inout State<S>.Cell, inout State<T>.Cell, A.Argument, B.Argument, C.Argument) async throws -> Void)
        .self)
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        nonisolated(unsafe) let s = State<S>.cell(inputs[0])
        nonisolated(unsafe) let t = State<T>.cell(inputs[1])
        let a = A._take(inputs[2])
        let b = B._take(inputs[3])
        let c = C._take(inputs[4])
        return TakenBody(run: { try await body(&s.pointee, &t.pointee, a, b, c) }) {
          [A._failed(a), B._failed(b), C._failed(c)]
        }
      })
  }

  /// Declares a reaction over two states and four molecules with an `async` body.
  @discardableResult
  public func react<
    S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable
  >(
    _ pattern: StatesPattern6<S, T, A, B, C, D>, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout sending S, inout sending T, A.Argument, B.Argument, C.Argument, D.Argument)
      async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (inout State<S>.Cell, inout State<T>.Cell, A.Argument, B.Argument, C.Argument, D.Argument)
        async throws -> Void).self)
    return add(
      pattern.names, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        nonisolated(unsafe) let s = State<S>.cell(inputs[0])
        nonisolated(unsafe) let t = State<T>.cell(inputs[1])
        let a = A._take(inputs[2])
        let b = B._take(inputs[3])
        let c = C._take(inputs[4])
        let d = D._take(inputs[5])
        return TakenBody(run: { try await body(&s.pointee, &t.pointee, a, b, c, d) }) {
          [A._failed(a), B._failed(b), C._failed(c), D._failed(d)]
        }
      })
  }
}
