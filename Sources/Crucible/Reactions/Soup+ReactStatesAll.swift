// An array of names beside states. Where names stand before the array, the body gets the values of both as one
// parameter, for the reason that `Soup+ReactWide.swift` tells.

extension Soup {
  /// Declares a reaction over a state and an array of names.
  ///
  /// ```swift
  /// let (rows, cells) = (soup.state("rows", [[Int]]()), soup.slow("cell", of: Int.self, count: 3))
  /// soup.react(state: rows, all: cells) { rows, row in rows.append(row) }
  /// ```
  ///
  /// - Complexity: O(inputs) a firing, which allocates the array for the body.
  @discardableResult
  public func react<S: ~Copyable, Name: Consumable, Failure: Error>(
    state s: State<S>, all names: [Name], on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, [Name.Argument]) throws(Failure) -> Void
  ) -> Reaction {
    addEach(placement, recovery, Source(file, line), s.part, Many(names)) { s, values throws(Failure) in
      try body(&s.value, values)
    }
  }

  /// Declares a reaction over two states and an array of names.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, Name: Consumable, Failure: Error>(
    state s: State<S>, state t: State<T>, all names: [Name], on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, [Name.Argument]) throws(Failure) -> Void
  ) -> Reaction {
    addEach(placement, recovery, Source(file, line), s.part, t.part, Many(names)) { s, t, values throws(Failure) in
      try body(&s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states and an array of names.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, Name: Consumable, Failure: Error>(
    state s: State<S>, state t: State<T>, state u: State<U>, all names: [Name], on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout sending S, inout sending T, inout sending U, [Name.Argument]) throws(Failure) -> Void
  ) -> Reaction {
    addEach(placement, recovery, Source(file, line), s.part, t.part, u.part, Many(names)) {
      s, t, u, values throws(Failure) in
      try body(&s.value, &t.value, &u.value, values)
    }
  }

  /// Declares a reaction over a state, other names and an array of names.
  ///
  /// ```swift
  /// let (key, parts) = (soup.slow("key", of: String.self), soup.slow("part", of: Int.self, count: 3))
  /// let table = soup.state("table", [String: [Int]]())
  /// soup.react(state: table, key, all: parts) { table, values in
  ///   let (key, row) = values.all
  ///   table[key] = row
  /// }
  /// ```
  ///
  /// - Complexity: O(inputs) a firing, which allocates the array for the body.
  @discardableResult
  public func react<S: ~Copyable, A: Consumable, each More: Consumable, Name: Consumable, Failure: Error>(
    state s: State<S>, _ a: A, _ more: repeat each More, all names: [Name], on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout S, Values<(A.Argument, repeat (each More).Argument, [Name.Argument])>) throws(Failure)
      -> Void
  ) -> Reaction {
    let part = Several(One(a), repeat One(each more), Many(names))
    return addEach(placement, recovery, Source(file, line), s.part, part) { s, values throws(Failure) in
      try body(&s.value, values)
    }
  }

  /// Declares a reaction over two states, other names and an array of names.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, A: Consumable, each More: Consumable, Name: Consumable, Failure: Error>(
    state s: State<S>, state t: State<T>, _ a: A, _ more: repeat each More, all names: [Name],
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        inout sending S, inout sending T, Values<(A.Argument, repeat (each More).Argument, [Name.Argument])>
      ) throws(Failure) -> Void
  ) -> Reaction {
    let part = Several(One(a), repeat One(each more), Many(names))
    return addEach(placement, recovery, Source(file, line), s.part, t.part, part) { s, t, values throws(Failure) in
      try body(&s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states, other names and an array of names.
  @discardableResult
  public func react<
    S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, each More: Consumable, Name: Consumable, Failure: Error
  >(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, _ more: repeat each More, all names: [Name],
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        inout sending S, inout sending T, inout sending U,
        Values<(A.Argument, repeat (each More).Argument, [Name.Argument])>
      ) throws(Failure) -> Void
  ) -> Reaction {
    let part = Several(One(a), repeat One(each more), Many(names))
    return addEach(placement, recovery, Source(file, line), s.part, t.part, u.part, part) {
      s, t, u, values throws(Failure) in
      try body(&s.value, &t.value, &u.value, values)
    }
  }

  /// Declares a reaction over a state and an array of names with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, Name: Consumable>(
    state s: State<S>, all names: [Name], on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout S, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, Many(names)) { _, s, values in
      try await body(&s.value, values)
    }
  }

  /// Declares a reaction over two states and an array of names with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, Name: Consumable>(
    state s: State<S>, state t: State<T>, all names: [Name], on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout sending S, inout sending T, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, t.part, Many(names)) { _, s, t, values in
      try await body(&s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states and an array of names with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, Name: Consumable>(
    state s: State<S>, state t: State<T>, state u: State<U>, all names: [Name], on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout sending S, inout sending T, inout sending U, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), s.part, t.part, u.part, Many(names)) {
      _, s, t, u, values in
      try await body(&s.value, &t.value, &u.value, values)
    }
  }

  /// Declares a reaction over a state, other names and an array of names with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, A: Consumable, each More: Consumable, Name: Consumable>(
    state s: State<S>, _ a: A, _ more: repeat each More, all names: [Name], on placement: Placement? = nil,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (inout S, Values<(A.Argument, repeat (each More).Argument, [Name.Argument])>) async throws ->
      Void
  ) -> Reaction {
    let part = Several(One(a), repeat One(each more), Many(names))
    return addTask(station(of: placement), recovery, Source(file, line), s.part, part) { _, s, values in
      try await body(&s.value, values)
    }
  }

  /// Declares a reaction over two states, other names and an array of names with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, A: Consumable, each More: Consumable, Name: Consumable>(
    state s: State<S>, state t: State<T>, _ a: A, _ more: repeat each More, all names: [Name],
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        inout sending S, inout sending T, Values<(A.Argument, repeat (each More).Argument, [Name.Argument])>
      ) async throws -> Void
  ) -> Reaction {
    let part = Several(One(a), repeat One(each more), Many(names))
    return addTask(station(of: placement), recovery, Source(file, line), s.part, t.part, part) { _, s, t, values in
      try await body(&s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states, other names and an array of names with an `async` body.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, each More: Consumable, Name: Consumable>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, _ more: repeat each More, all names: [Name],
    on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        inout sending S, inout sending T, inout sending U,
        Values<(A.Argument, repeat (each More).Argument, [Name.Argument])>
      ) async throws -> Void
  ) -> Reaction {
    let part = Several(One(a), repeat One(each more), Many(names))
    return addTask(station(of: placement), recovery, Source(file, line), s.part, t.part, u.part, part) {
      _, s, t, u, values in
      try await body(&s.value, &t.value, &u.value, values)
    }
  }

  /// Declares a reaction over a state and an array of names on the main actor.
  @discardableResult
  public func react<S: ~Copyable, Name: Consumable>(
    state s: State<S>, all names: [Name], on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, Source(file, line), s.part, Many(names)) { _, s, values in
      try await body(&s.value, values)
    }
  }

  /// Declares a reaction over two states and an array of names on the main actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, Name: Consumable>(
    state s: State<S>, state t: State<T>, all names: [Name], on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (inout sending S, inout sending T, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, Source(file, line), s.part, t.part, Many(names)) { _, s, t, values in
      try await body(&s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states and an array of names on the main actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, Name: Consumable>(
    state s: State<S>, state t: State<T>, state u: State<U>, all names: [Name], on place: MainPlacement,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (inout sending S, inout sending T, inout sending U, [Name.Argument]) async throws
      -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, Source(file, line), s.part, t.part, u.part, Many(names)) {
      _, s, t, u, values in
      try await body(&s.value, &t.value, &u.value, values)
    }
  }

  /// Declares a reaction over a state, other names and an array of names on the main actor.
  @discardableResult
  public func react<S: ~Copyable, A: Consumable, each More: Consumable, Name: Consumable>(
    state s: State<S>, _ a: A, _ more: repeat each More, all names: [Name], on place: MainPlacement,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (
        inout sending S, Values<(A.Argument, repeat (each More).Argument, [Name.Argument])>
      ) async throws -> Void
  ) -> Reaction {
    let part = Several(One(a), repeat One(each more), Many(names))
    return addTask(MainStation.shared, recovery, Source(file, line), s.part, part) { _, s, values in
      try await body(&s.value, values)
    }
  }

  /// Declares a reaction over two states, other names and an array of names on the main actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, A: Consumable, each More: Consumable, Name: Consumable>(
    state s: State<S>, state t: State<T>, _ a: A, _ more: repeat each More, all names: [Name], on place: MainPlacement,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (
        inout sending S, inout sending T, Values<(A.Argument, repeat (each More).Argument, [Name.Argument])>
      ) async throws -> Void
  ) -> Reaction {
    let part = Several(One(a), repeat One(each more), Many(names))
    return addTask(MainStation.shared, recovery, Source(file, line), s.part, t.part, part) { _, s, t, values in
      try await body(&s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states, other names and an array of names on the main actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, each More: Consumable, Name: Consumable>(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, _ more: repeat each More, all names: [Name],
    on place: MainPlacement, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @MainActor @Sendable (
        inout sending S, inout sending T, inout sending U,
        Values<(A.Argument, repeat (each More).Argument, [Name.Argument])>
      ) async throws -> Void
  ) -> Reaction {
    let part = Several(One(a), repeat One(each more), Many(names))
    return addTask(MainStation.shared, recovery, Source(file, line), s.part, t.part, u.part, part) {
      _, s, t, u, values in
      try await body(&s.value, &t.value, &u.value, values)
    }
  }

  /// Declares a reaction over a state and an array of names on an actor.
  @discardableResult
  public func react<S: ~Copyable, Name: Consumable, Isolation: Actor>(
    state s: State<S>, all names: [Name], on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, inout sending S, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, Source(file, line), s.part, Many(names)) { _, s, values in
      try await body(place.actor, &s.value, values)
    }
  }

  /// Declares a reaction over two states and an array of names on an actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, Name: Consumable, Isolation: Actor>(
    state s: State<S>, state t: State<T>, all names: [Name], on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (isolated Isolation, inout sending S, inout sending T, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, Source(file, line), s.part, t.part, Many(names)) { _, s, t, values in
      try await body(place.actor, &s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states and an array of names on an actor.
  @discardableResult
  public func react<S: ~Copyable, T: ~Copyable, U: ~Copyable, Name: Consumable, Isolation: Actor>(
    state s: State<S>, state t: State<T>, state u: State<U>, all names: [Name], on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (isolated Isolation, inout sending S, inout sending T, inout sending U, [Name.Argument])
      async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, Source(file, line), s.part, t.part, u.part, Many(names)) { _, s, t, u, values in
      try await body(place.actor, &s.value, &t.value, &u.value, values)
    }
  }

  /// Declares a reaction over a state, other names and an array of names on an actor.
  @discardableResult
  public func react<S: ~Copyable, A: Consumable, each More: Consumable, Name: Consumable, Isolation: Actor>(
    state s: State<S>, _ a: A, _ more: repeat each More, all names: [Name], on place: ActorPlacement<Isolation>,
    recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        isolated Isolation, inout sending S, Values<(A.Argument, repeat (each More).Argument, [Name.Argument])>
      ) async throws -> Void
  ) -> Reaction {
    let part = Several(One(a), repeat One(each more), Many(names))
    return addTask(place.station, recovery, Source(file, line), s.part, part) { _, s, values in
      try await body(place.actor, &s.value, values)
    }
  }

  /// Declares a reaction over two states, other names and an array of names on an actor.
  @discardableResult
  public func react<
    S: ~Copyable, T: ~Copyable, A: Consumable, each More: Consumable, Name: Consumable, Isolation: Actor
  >(
    state s: State<S>, state t: State<T>, _ a: A, _ more: repeat each More, all names: [Name],
    on place: ActorPlacement<Isolation>, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        isolated Isolation, inout sending S, inout sending T,
        Values<(A.Argument, repeat (each More).Argument, [Name.Argument])>
      ) async throws -> Void
  ) -> Reaction {
    let part = Several(One(a), repeat One(each more), Many(names))
    return addTask(place.station, recovery, Source(file, line), s.part, t.part, part) { _, s, t, values in
      try await body(place.actor, &s.value, &t.value, values)
    }
  }

  /// Declares a reaction over three states, other names and an array of names on an actor.
  @discardableResult
  public func react<
    S: ~Copyable, T: ~Copyable, U: ~Copyable, A: Consumable, each More: Consumable, Name: Consumable, Isolation: Actor
  >(
    state s: State<S>, state t: State<T>, state u: State<U>, _ a: A, _ more: repeat each More, all names: [Name],
    on place: ActorPlacement<Isolation>, recovery: Recovery = .report, file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (
        isolated Isolation, inout sending S, inout sending T, inout sending U,
        Values<(A.Argument, repeat (each More).Argument, [Name.Argument])>
      ) async throws -> Void
  ) -> Reaction {
    let part = Several(One(a), repeat One(each more), Many(names))
    return addTask(place.station, recovery, Source(file, line), s.part, t.part, u.part, part) { _, s, t, u, values in
      try await body(place.actor, &s.value, &t.value, &u.value, values)
    }
  }
}
