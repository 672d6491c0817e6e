extension Soup {
  /// Declares a reaction over an array of names of one type, with an `async` body.
  @discardableResult
  public func react<Name: Consumable>(
    all names: [Name], on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable ([Name.Argument]) async throws -> Void
  ) -> Reaction {
    let count = names.count
    return add(
      names.map(\._name), placement, recovery, Source(file: file, line: line),
      async: { inputs in
        let values = (0..<count).map { Name._take(inputs[$0]) }
        return TakenBody(run: { try await body(values) }) { values.map(Name._failed) }
      })
  }

  /// Declares a reaction over any number of names of any types, with an `async` body.
  @discardableResult
  public func react<each Name: Consumable>(
    all names: repeat each Name, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (repeat (each Name).Argument) async throws -> Void
  ) -> Reaction {
    var list: [OpaquePointer] = []
    for name in repeat each names { list.append(name._name) }
    return add(
      list, placement, recovery, Source(file: file, line: line),
      async: { inputs in
        var index = -1
        func next() -> UnsafeMutableRawPointer {
          index += 1
          return inputs[index]
        }
        let arguments = (repeat (each Name)._take(next()))
        return TakenBody(run: { try await body(repeat each arguments) }) {
          var failed: [FailedInput] = []
          for (name, argument) in repeat ((each Name).self, each arguments) { failed.append(name._failed(argument)) }
          return failed
        }
      })
  }

  /// Declares a reaction over an array of names of one type, with an `async` body that is isolated to the main actor.
  @discardableResult
  public func react<Name: Consumable>(
    all names: [Name], on place: MainPlacement, onError recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable ([Name.Argument]) async throws -> Void
  ) -> Reaction {
    let count = names.count
    return add(names.map(\._name), MainStation.shared, recovery, Source(file: file, line: line)) { inputs in
      let values = (0..<count).map { Name._take(inputs[$0]) }
      return TakenBody(run: { try await body(values) }) { values.map(Name._failed) }
    }
  }

  /// Declares a reaction over any number of names of any types, with an `async` body that is isolated to the main actor.
  @discardableResult
  public func react<each Name: Consumable>(
    all names: repeat each Name, on place: MainPlacement, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (repeat (each Name).Argument) async throws -> Void
  ) -> Reaction {
    var list: [OpaquePointer] = []
    for name in repeat each names { list.append(name._name) }
    return add(list, MainStation.shared, recovery, Source(file: file, line: line)) { inputs in
      var index = -1
      func next() -> UnsafeMutableRawPointer {
        index += 1
        return inputs[index]
      }
      let arguments = (repeat (each Name)._take(next()))
      return TakenBody(run: { try await body(repeat each arguments) }) {
        var failed: [FailedInput] = []
        for (name, argument) in repeat ((each Name).self, each arguments) { failed.append(name._failed(argument)) }
        return failed
      }
    }
  }

  /// Declares a reaction over an array of names of one type, whose body is isolated to an actor.
  @discardableResult
  public func react<Name: Consumable, Isolation: Actor>(
    all names: [Name], on actor: Isolation, onError recovery: Recovery = .report, file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, [Name.Argument]) async throws -> Void
  ) -> Reaction {
    let count = names.count
    return add(names.map(\._name), ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      let values = (0..<count).map { Name._take(inputs[$0]) }
      return TakenBody(run: { try await body(actor, values) }) { values.map(Name._failed) }
    }
  }

  /// Declares a reaction over any number of names of any types, whose body is isolated to an actor.
  @discardableResult
  public func react<each Name: Consumable, Isolation: Actor>(
    all names: repeat each Name, on actor: Isolation, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated Isolation, repeat (each Name).Argument) async throws -> Void
  ) -> Reaction {
    var list: [OpaquePointer] = []
    for name in repeat each names { list.append(name._name) }
    return add(list, ActorStation(actor), recovery, Source(file: file, line: line)) { inputs in
      var index = -1
      func next() -> UnsafeMutableRawPointer {
        index += 1
        return inputs[index]
      }
      let arguments = (repeat (each Name)._take(next()))
      return TakenBody(run: { try await body(actor, repeat each arguments) }) {
        var failed: [FailedInput] = []
        for (name, argument) in repeat ((each Name).self, each arguments) { failed.append(name._failed(argument)) }
        return failed
      }
    }
  }
}
