extension Soup {
  /// Declares a reaction over an array of names of one type; the body gets an array of values in the same order.
  ///
  /// ```swift
  /// let parts = soup.slow("part", of: Int.self, count: n)
  /// soup.react(all: parts) { values in print(values.reduce(0, +)) }
  /// ```
  ///
  /// A name may stand in the array more than once. At most 64 inputs; an empty array is an error.
  ///
  /// - Complexity: O(inputs) a firing, which allocates the array for the body.
  @inlinable
  @discardableResult
  public func react<Name: Consumable, Failure: Error>(
    all names: [Name], on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable ([Name.Argument]) throws(Failure) -> Void
  ) -> Reaction {
    let count = names.count
    return add(names.map(\._name), placement, recovery, Source(file, line)) { reaction, inputs in
      var values = (0..<count).map { Name._take(inputs[$0]) }
      do throws(Failure) {
        try body(values)
        while let value = values.popLast() { Name._finish(consume value) }
      } catch {
        reaction.fail(error, inputs, values.map(Name._failed))
      }
    }
  }

  /// Declares a reaction over an array of names and other names before it.
  ///
  /// ```swift
  /// soup.react(round, all: parts) { round, values in print(round, values) }
  /// ```
  @discardableResult
  public func react<A: Consumable, each More: Consumable, Name: Consumable, Failure: Error>(
    _ a: A, _ more: repeat each More, all names: [Name], on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (A.Argument, repeat (each More).Argument, [Name.Argument]) throws(Failure) -> Void
  ) -> Reaction {
    addEach(placement, recovery, Source(file, line), One(a), repeat One(each more), Many(names), run: body)
  }

  /// Declares a reaction over an array of names, and any other names before it, with an `async` body.
  @discardableResult
  public func react<each More: Consumable, Name: Consumable>(
    _ more: repeat each More, all names: [Name], on placement: Placement? = nil, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (repeat (each More).Argument, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addPack(station(of: placement), recovery, Source(file, line), repeat One(each more), Many(names), run: body)
  }

  /// Declares a reaction over an array of names on the main actor.
  @discardableResult
  public func react<Name: Consumable>(
    all names: [Name], on place: MainPlacement, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable ([Name.Argument]) throws -> Void
  ) -> Reaction {
    react(all: names, on: .mainThread, recovery: recovery, file: file, line: line) { values throws in
      try MainActor.assumeIsolated { try body(values) }
    }
  }

  /// Declares a reaction over an array of names, and any other names before it, on the main actor.
  ///
  /// The body may be `async` or not.
  ///
  /// - Complexity: each firing makes a task.
  @discardableResult
  public func react<each More: Consumable, Name: Consumable>(
    _ more: repeat each More, all names: [Name], on place: MainPlacement, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (repeat (each More).Argument, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addMainPack(recovery, Source(file, line), repeat One(each more), Many(names), run: body)
  }

  /// Declares a reaction over an array of names, and any other names before it, on an actor.
  @discardableResult
  public func react<each More: Consumable, Name: Consumable, Isolation: Actor>(
    _ more: repeat each More, all names: [Name], on place: ActorPlacement<Isolation>, recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body:
      @escaping @Sendable (isolated Isolation, repeat (each More).Argument, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addPack(place, recovery, Source(file, line), repeat One(each more), Many(names), run: body)
  }
}
