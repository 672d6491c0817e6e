extension Soup {
  /// Declares a reaction over one molecule whose body is isolated to an actor.
  ///
  /// ```swift
  /// soup.react(deposit, on: account) { account, x in account.balance += x }
  /// ```
  ///
  /// The body may be `async` or not. The soup keeps the actor: if the actor keeps an owning name of the soup, neither ever goes.
  ///
  /// - Complexity: each firing makes a task.
  @discardableResult
  public func react<A: Consumable, Isolation: Actor>(
    _ a: A, on actor: Isolation, onError recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, A.Argument) async throws -> Void
  ) -> Reaction {
    return add([a._name], ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      let a = A._take(inputs[0])
      return TakenBody(run: { try await body(actor, a) }) {
        [A._failed(a)]
      }
    }
  }

  /// Declares a reaction over two molecules whose body is isolated to an actor.
  @discardableResult
  public func react<A: Consumable, B: Consumable, Isolation: Actor>(
    _ pattern: Pattern2<A, B>, on actor: Isolation, onError recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, A.Argument, B.Argument) async throws -> Void
  ) -> Reaction {
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      return TakenBody(run: { try await body(actor, a, b) }) {
        [A._failed(a), B._failed(b)]
      }
    }
  }

  /// Declares a reaction over three molecules whose body is isolated to an actor.
  @discardableResult
  public func react<A: Consumable, B: Consumable, C: Consumable, Isolation: Actor>(
    _ pattern: Pattern3<A, B, C>, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, A.Argument, B.Argument, C.Argument) async throws -> Void
  ) -> Reaction {
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      let c = C._take(inputs[2])
      return TakenBody(run: { try await body(actor, a, b, c) }) {
        [A._failed(a), B._failed(b), C._failed(c)]
      }
    }
  }

  /// Declares a reaction over four molecules whose body is isolated to an actor.
  @discardableResult
  public func react<A: Consumable, B: Consumable, C: Consumable, D: Consumable, Isolation: Actor>(
    _ pattern: Pattern4<A, B, C, D>, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (isolated Isolation, A.Argument, B.Argument, C.Argument, D.Argument) async throws -> Void
  ) -> Reaction {
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      let c = C._take(inputs[2])
      let d = D._take(inputs[3])
      return TakenBody(run: { try await body(actor, a, b, c, d) }) {
        [A._failed(a), B._failed(b), C._failed(c), D._failed(d)]
      }
    }
  }

  /// Declares a reaction over five molecules whose body is isolated to an actor.
  @discardableResult
  public func react<A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, Isolation: Actor>(
    _ pattern: Pattern5<A, B, C, D, E>, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (isolated Isolation, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument) async throws
      -> Void
  ) -> Reaction {
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      let c = C._take(inputs[2])
      let d = D._take(inputs[3])
      let e = E._take(inputs[4])
      return TakenBody(run: { try await body(actor, a, b, c, d, e) }) {
        [A._failed(a), B._failed(b), C._failed(c), D._failed(d), E._failed(e)]
      }
    }
  }

  /// Declares a reaction over six molecules whose body is isolated to an actor.
  @discardableResult
  public func react<
    A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, F: Consumable, Isolation: Actor
  >(
    _ pattern: Pattern6<A, B, C, D, E, F>, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (isolated Isolation, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument, F.Argument)
      async throws -> Void
  ) -> Reaction {
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      let a = A._take(inputs[0])
      let b = B._take(inputs[1])
      let c = C._take(inputs[2])
      let d = D._take(inputs[3])
      let e = E._take(inputs[4])
      let f = F._take(inputs[5])
      return TakenBody(run: { try await body(actor, a, b, c, d, e, f) }) {
        [A._failed(a), B._failed(b), C._failed(c), D._failed(d), E._failed(e), F._failed(f)]
      }
    }
  }

  /// Declares a reaction over a state and one molecule whose body is isolated to an actor.
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, Isolation: Actor>(
    _ pattern: StatePattern2<S, A>, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, inout sending S, A.Argument) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body, to: (@Sendable (isolated Isolation, inout State<S>.Cell, A.Argument) async throws -> Void).self)
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      nonisolated(unsafe) let s = State<S>.cell(inputs[0])
      let a = A._take(inputs[1])
      return TakenBody(run: { try await body(actor, &s.pointee, a) }) {
        [A._failed(a)]
      }
    }
  }

  /// Declares a reaction over a state and two molecules whose body is isolated to an actor.
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, B: Consumable, Isolation: Actor>(
    _ pattern: StatePattern3<S, A, B>, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, inout sending S, A.Argument, B.Argument) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body, to: (@Sendable (isolated Isolation, inout State<S>.Cell, A.Argument, B.Argument) async throws -> Void).self)
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      nonisolated(unsafe) let s = State<S>.cell(inputs[0])
      let a = A._take(inputs[1])
      let b = B._take(inputs[2])
      return TakenBody(run: { try await body(actor, &s.pointee, a, b) }) {
        [A._failed(a), B._failed(b)]
      }
    }
  }

  /// Declares a reaction over a state and three molecules whose body is isolated to an actor.
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, Isolation: Actor>(
    _ pattern: StatePattern4<S, A, B, C>, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (isolated Isolation, inout sending S, A.Argument, B.Argument, C.Argument) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (isolated Isolation, inout State<S>.Cell, A.Argument, B.Argument, C.Argument) async throws -> Void)
        .self)
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      nonisolated(unsafe) let s = State<S>.cell(inputs[0])
      let a = A._take(inputs[1])
      let b = B._take(inputs[2])
      let c = C._take(inputs[3])
      return TakenBody(run: { try await body(actor, &s.pointee, a, b, c) }) {
        [A._failed(a), B._failed(b), C._failed(c)]
      }
    }
  }

  /// Declares a reaction over a state and four molecules whose body is isolated to an actor.
  @discardableResult
  public func react<S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable, Isolation: Actor>(
    _ pattern: StatePattern5<S, A, B, C, D>, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (isolated Isolation, inout sending S, A.Argument, B.Argument, C.Argument, D.Argument)
      async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (isolated Isolation, inout State<S>.Cell, A.Argument, B.Argument, C.Argument, D.Argument)
        async throws -> Void).self)
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      nonisolated(unsafe) let s = State<S>.cell(inputs[0])
      let a = A._take(inputs[1])
      let b = B._take(inputs[2])
      let c = C._take(inputs[3])
      let d = D._take(inputs[4])
      return TakenBody(run: { try await body(actor, &s.pointee, a, b, c, d) }) {
        [A._failed(a), B._failed(b), C._failed(c), D._failed(d)]
      }
    }
  }

  /// Declares a reaction over a state and five molecules whose body is isolated to an actor.
  @discardableResult
  public func react<
    S: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable, E: Consumable, Isolation: Actor
  >(
    _ pattern: StatePattern6<S, A, B, C, D, E>, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        isolated Isolation, inout sending S, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument
      ) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (
        isolated Isolation, inout State<S>.Cell, A.Argument, B.Argument, C.Argument, D.Argument, E.Argument
      ) async throws -> Void).self)
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      nonisolated(unsafe) let s = State<S>.cell(inputs[0])
      let a = A._take(inputs[1])
      let b = B._take(inputs[2])
      let c = C._take(inputs[3])
      let d = D._take(inputs[4])
      let e = E._take(inputs[5])
      return TakenBody(run: { try await body(actor, &s.pointee, a, b, c, d, e) }) {
        [A._failed(a), B._failed(b), C._failed(c), D._failed(d), E._failed(e)]
      }
    }
  }

  /// Declares a reaction over two states and one molecule whose body is isolated to an actor.
  @discardableResult
  public func react<S: SendableMetatype, T: SendableMetatype, A: Consumable, Isolation: Actor>(
    _ pattern: StatesPattern3<S, T, A>, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, inout sending S, inout sending T, A.Argument) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (isolated Isolation, inout State<S>.Cell, inout State<T>.Cell, A.Argument) async throws -> Void)
        .self)
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      nonisolated(unsafe) let s = State<S>.cell(inputs[0])
      nonisolated(unsafe) let t = State<T>.cell(inputs[1])
      let a = A._take(inputs[2])
      return TakenBody(run: { try await body(actor, &s.pointee, &t.pointee, a) }) {
        [A._failed(a)]
      }
    }
  }

  /// Declares a reaction over two states and two molecules whose body is isolated to an actor.
  @discardableResult
  public func react<S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, Isolation: Actor>(
    _ pattern: StatesPattern4<S, T, A, B>, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (isolated Isolation, inout sending S, inout sending T, A.Argument, B.Argument) async throws ->
      Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (isolated Isolation, inout State<S>.Cell, inout State<T>.Cell, A.Argument, B.Argument) async throws
        -> Void).self)
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      nonisolated(unsafe) let s = State<S>.cell(inputs[0])
      nonisolated(unsafe) let t = State<T>.cell(inputs[1])
      let a = A._take(inputs[2])
      let b = B._take(inputs[3])
      return TakenBody(run: { try await body(actor, &s.pointee, &t.pointee, a, b) }) {
        [A._failed(a), B._failed(b)]
      }
    }
  }

  /// Declares a reaction over two states and three molecules whose body is isolated to an actor.
  @discardableResult
  public func react<
    S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, Isolation: Actor
  >(
    _ pattern: StatesPattern5<S, T, A, B, C>, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (isolated Isolation, inout sending S, inout sending T, A.Argument, B.Argument, C.Argument)
      async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (isolated Isolation, inout State<S>.Cell, inout State<T>.Cell, A.Argument, B.Argument, C.Argument)
        async throws -> Void).self)
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      nonisolated(unsafe) let s = State<S>.cell(inputs[0])
      nonisolated(unsafe) let t = State<T>.cell(inputs[1])
      let a = A._take(inputs[2])
      let b = B._take(inputs[3])
      let c = C._take(inputs[4])
      return TakenBody(run: { try await body(actor, &s.pointee, &t.pointee, a, b, c) }) {
        [A._failed(a), B._failed(b), C._failed(c)]
      }
    }
  }

  /// Declares a reaction over two states and four molecules whose body is isolated to an actor.
  @discardableResult
  public func react<
    S: SendableMetatype, T: SendableMetatype, A: Consumable, B: Consumable, C: Consumable, D: Consumable,
    Isolation: Actor
  >(
    _ pattern: StatesPattern6<S, T, A, B, C, D>, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        isolated Isolation, inout sending S, inout sending T, A.Argument, B.Argument, C.Argument, D.Argument
      ) async throws -> Void
  ) -> Reaction {
    let body = unsafeBitCast(
      body,
      to: (@Sendable (
        isolated Isolation, inout State<S>.Cell, inout State<T>.Cell, A.Argument, B.Argument, C.Argument, D.Argument
      ) async throws -> Void).self)
    return add(pattern.names, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      nonisolated(unsafe) let s = State<S>.cell(inputs[0])
      nonisolated(unsafe) let t = State<T>.cell(inputs[1])
      let a = A._take(inputs[2])
      let b = B._take(inputs[3])
      let c = C._take(inputs[4])
      let d = D._take(inputs[5])
      return TakenBody(run: { try await body(actor, &s.pointee, &t.pointee, a, b, c, d) }) {
        [A._failed(a), B._failed(b), C._failed(c), D._failed(d)]
      }
    }
  }
}
