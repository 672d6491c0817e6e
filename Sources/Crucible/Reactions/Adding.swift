// What the forms of `react` have in common, besides the hot synchronous ones, which are written out for each number of inputs.

/// The states of a firing, while its body has them.
///
/// The compiler may see them sent to wherever the body runs: nobody else has them meanwhile.
struct Cells: @unchecked Sendable {
  private let first: UnsafeMutableRawPointer
  private let second: UnsafeMutableRawPointer

  /// The cells of the first `count` inputs.
  init(_ inputs: UnsafePointer<UnsafeMutableRawPointer>, _ count: Int) {
    first = inputs[0]
    second = inputs[count > 1 ? 1 : 0]
  }

  subscript<Value: SendableMetatype>(index: Int, as type: Value.Type) -> Value {
    _read { yield Soup.State<Value>.value(index == 0 ? first : second).pointee }
    nonmutating _modify { yield &Soup.State<Value>.value(index == 0 ? first : second).pointee }
  }
}

/// Moves the arguments of a body out of a firing's inputs, one after the other.
struct Inputs {
  private let inputs: UnsafePointer<UnsafeMutableRawPointer>
  private var index: Int

  init(_ inputs: UnsafePointer<UnsafeMutableRawPointer>, after states: Int = 0) {
    self.inputs = inputs
    index = states
  }

  mutating func next() -> UnsafeMutableRawPointer {
    defer { index += 1 }
    return inputs[index]
  }
}

extension Soup {
  /// Where the `async` bodies of that placement run.
  func station(of placement: Placement?) -> Station {
    switch (placement ?? context.placement).kind {
    case .pool: TaskStation.pool
    case .inline: InlineStation.shared
    case .station(let station): station
    }
  }

  /// Declares a reaction with a synchronous body over any number of molecules.
  ///
  /// Not inlinable, and neither is its caller: specialized for names that carry functions, it crashes the optimizer of Swift
  /// 6.3 (`Tests/Refusals/optimized.swift`).
  func addEach<each Name: Consumable, Failure: Error>(
    _ names: repeat each Name, on placement: Placement?, _ recovery: Recovery, _ source: Source,
    run body: @escaping @Sendable (repeat (each Name).Argument) throws(Failure) -> Void
  ) -> Reaction {
    var list: [OpaquePointer] = []
    for name in repeat each names { list.append(name._name) }
    return add(list, placement, recovery, source) { reaction, inputs in
      var rest = Inputs(inputs)
      let arguments = (repeat (each Name)._take(rest.next()))
      do {
        try body(repeat each arguments)
        func finish<N: Consumable>(_: N.Type, _ argument: consuming N.Argument) { N._finish(argument) }
        repeat finish((each Name).self, each arguments)
      } catch {
        var failed: [AnyObject] = []
        for (name, argument) in repeat ((each Name).self, each arguments) { failed.append(name._failed(argument)) }
        reaction.fail(error, inputs, failed)
      }
    }
  }

  /// Declares a reaction whose body runs on the main actor.
  func addOnMain<each Name: Consumable>(
    _ recovery: Recovery, _ source: Source, _ states: [OpaquePointer], _ names: repeat each Name,
    run body: @escaping @MainActor @Sendable (Cells, repeat (each Name).Argument) throws -> Void
  ) -> Reaction {
    let count = states.count
    var list = states
    for name in repeat each names { list.append(name._name) }
    return add(list, .mainThread, recovery, source) { reaction, inputs in
      let cells = Cells(inputs, count)
      var rest = Inputs(inputs, after: count)
      let arguments = (repeat (each Name)._take(rest.next()))
      do {
        try MainActor.assumeIsolated { try body(cells, repeat each arguments) }
        func finish<N: Consumable>(_: N.Type, _ argument: consuming N.Argument) { N._finish(argument) }
        repeat finish((each Name).self, each arguments)
      } catch {
        var failed: [AnyObject] = []
        for (name, argument) in repeat ((each Name).self, each arguments) { failed.append(name._failed(argument)) }
        reaction.fail(error, inputs, failed)
      }
    }
  }

  /// Declares a reaction with an `async` body.
  func addTask<each Name: Consumable>(
    _ station: Station, _ recovery: Recovery, _ source: Source, _ states: [OpaquePointer], _ names: repeat each Name,
    run body: nonisolated(nonsending) @escaping @Sendable (Cells, repeat (each Name).Argument) async throws -> Void
  ) -> Reaction {
    let count = states.count
    var list = states
    for name in repeat each names { list.append(name._name) }
    return add(list, station, recovery, source) { inputs in
      let cells = Cells(inputs, count)
      var rest = Inputs(inputs, after: count)
      let arguments = (repeat (each Name)._take(rest.next()))
      return TakenBody(run: { try await body(cells, repeat each arguments) }) {
        var failed: [AnyObject] = []
        for (name, argument) in repeat ((each Name).self, each arguments) { failed.append(name._failed(argument)) }
        return failed
      }
    }
  }

  /// Declares a reaction over an array with an `async` body.
  func addTask<Name: Consumable>(
    _ station: Station, _ recovery: Recovery, _ source: Source, all names: [Name],
    run body: nonisolated(nonsending) @escaping @Sendable ([Name.Argument]) async throws -> Void
  ) -> Reaction {
    let count = names.count
    return add(names.map(\._name), station, recovery, source) { inputs in
      let values = (0..<count).map { Name._take(inputs[$0]) }
      return TakenBody(run: { try await body(values) }) { values.map(Name._failed) }
    }
  }
}
