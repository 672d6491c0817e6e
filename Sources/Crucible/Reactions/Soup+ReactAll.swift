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
      do {
        try body(values)
        while let value = values.popLast() { Name._finish(value) }
      } catch {
        reaction.fail(error, inputs, values.map(Name._failed))
      }
    }
  }

  /// Declares a reaction over an array of names of one type with an `async` body.
  @discardableResult
  public func react<Name: Consumable>(
    all names: [Name], on placement: Placement? = nil, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable ([Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(station(of: placement), recovery, Source(file, line), all: names) { try await body($0) }
  }

  /// Declares a reaction over an array of names of one type on the main actor.
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

  /// Declares a reaction over an array of names of one type with an `async` body on the main actor.
  @discardableResult
  public func react<Name: Consumable>(
    all names: [Name], on place: MainPlacement, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable ([Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, Source(file, line), all: names) { try await body($0) }
  }

  /// Declares a reaction over an array of names of one type on an actor.
  @discardableResult
  public func react<Name: Consumable, Isolation: Actor>(
    all names: [Name], on place: ActorPlacement<Isolation>, recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, Source(file, line), all: names) { try await body(place.actor, $0) }
  }
}
