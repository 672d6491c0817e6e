// What the forms of `react` have in common, besides the hot synchronous ones, which are written out for each number of
// inputs.

/// What a body gets as one parameter, and the inputs that it is made of.
///
/// All forms of `react` but the hot synchronous ones are made of parts.
protocol Part<Argument>: Sendable {
  associatedtype Argument: Sendable

  var names: [OpaquePointer] { get }
  func take(_ inputs: inout Inputs) -> Argument
  /// Ends the argument after the body has returned.
  func finish(_ argument: consuming Argument)
  /// The argument's inputs, after the body has thrown; none for a state, which goes back by itself.
  func failed(_ argument: Argument) -> [AnyObject]
}

/// Moves the arguments of a body out of a firing's inputs, one after the other.
struct Inputs {
  private let inputs: UnsafePointer<UnsafeMutableRawPointer>
  private var index = 0

  init(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) { self.inputs = inputs }

  mutating func next() -> UnsafeMutableRawPointer {
    defer { index += 1 }
    return inputs[index]
  }
}

/// One molecule. The soup keeps its name.
struct One<Name: Consumable>: Part, @unchecked Sendable {
  let names: [OpaquePointer]

  init(_ name: Name) { names = [name._name] }

  func take(_ inputs: inout Inputs) -> Name.Argument { Name._take(inputs.next()) }
  func finish(_ argument: consuming Name.Argument) { Name._finish(argument) }
  func failed(_ argument: Name.Argument) -> [AnyObject] { [Name._failed(argument)] }
}

/// A molecule of each name of an array. The soup keeps the names.
struct Many<Name: Consumable>: Part, @unchecked Sendable {
  let names: [OpaquePointer]

  init(_ names: [Name]) { self.names = names.map(\._name) }

  func take(_ inputs: inout Inputs) -> [Name.Argument] { names.map { _ in Name._take(inputs.next()) } }
  func finish(_ arguments: consuming [Name.Argument]) {
    while let last = arguments.popLast() { Name._finish(consume last) }
  }
  func failed(_ arguments: [Name.Argument]) -> [AnyObject] { arguments.map(Name._failed) }
}

/// Several parts, of which the body gets the arguments as one parameter.
struct Several<each P: Part>: Part, @unchecked Sendable {
  private let parts: (repeat each P)
  let names: [OpaquePointer]

  init(_ parts: repeat each P) {
    self.parts = (repeat each parts)
    names = Crucible.names(of: repeat each parts)
  }

  func take(_ inputs: inout Inputs) -> Soup.Values<(repeat (each P).Argument)> {
    Soup.Values(all: (repeat (each parts).take(&inputs)))
  }
  func finish(_ argument: consuming Soup.Values<(repeat (each P).Argument)>) {
    repeat (each parts).finish(each argument.all)
  }
  func failed(_ argument: Soup.Values<(repeat (each P).Argument)>) -> [AnyObject] {
    Crucible.failed(repeat each parts, arguments: repeat each argument.all)
  }
}

extension Soup.State where Value: ~Copyable {
  /// A state: the body changes its value in place, in its cell. The soup keeps the name.
  struct InPlace: Part, @unchecked Sendable {
    let names: [OpaquePointer]

    func take(_ inputs: inout Inputs) -> Cell { Cell(inputs.next()) }
    func finish(_ argument: consuming Cell) {}
    func failed(_ argument: Cell) -> [AnyObject] { [] }
  }

  var part: InPlace { InPlace(names: [name]) }
}

private func names<each P: Part>(of parts: repeat each P) -> [OpaquePointer] {
  var names: [OpaquePointer] = []
  for part in repeat each parts { names += part.names }
  return names
}

private func failed<each P: Part>(_ parts: repeat each P, arguments: repeat (each P).Argument) -> [AnyObject] {
  var failed: [AnyObject] = []
  for (part, argument) in repeat (each parts, each arguments) { failed += part.failed(argument) }
  return failed
}

extension Soup {
  /// Where the `async` bodies of that placement run.
  func station(of placement: Placement?) -> Station {
    switch (placement ?? self.placement).kind {
    case .pool: TaskStation.pool
    case .inline: InlineStation.shared
    case .station(let station): station
    }
  }

  /// Declares a reaction with a synchronous body.
  ///
  /// Not inlinable, and neither is its caller: specialized for names that carry functions, it crashes the optimizer of
  /// Swift 6.3 (`Tests/Refusals/optimized.swift`).
  func addEach<each P: Part, Failure: Error>(
    _ placement: Placement?, _ recovery: Recovery, _ source: Source, _ parts: repeat each P,
    run body: @escaping @Sendable (repeat (each P).Argument) throws(Failure) -> Void
  ) -> Reaction {
    add(names(of: repeat each parts), placement, recovery, source) { reaction, inputs in
      var rest = Inputs(inputs)
      let arguments = (repeat (each parts).take(&rest))
      do throws(Failure) {
        try body(repeat each arguments)
        repeat (each parts).finish(each arguments)
      } catch {
        reaction.fail(error, inputs, failed(repeat each parts, arguments: repeat each arguments))
      }
    }
  }

  /// Declares a reaction with a synchronous body on the main actor.
  func addOnMain<each P: Part>(
    _ recovery: Recovery, _ source: Source, _ parts: repeat each P,
    run body: @escaping @MainActor @Sendable (repeat (each P).Argument) throws -> Void
  ) -> Reaction {
    addEach(.mainThread, recovery, source, repeat each parts) {
      (arguments: repeat (each P).Argument) throws in
      try MainActor.assumeIsolated { try body(repeat each arguments) }
    }
  }

  /// Declares a reaction with an `async` body.
  ///
  /// The body has a first parameter that says nothing: without it, the compiler of Swift 6.3 crashes at any closure
  /// given here, for it then begins with a pack and runs where its caller does.
  func addTask<each P: Part>(
    _ station: Station, _ recovery: Recovery, _ source: Source, _ parts: repeat each P,
    run body: nonisolated(nonsending) @escaping @Sendable (Void, repeat (each P).Argument) async throws -> Void
  ) -> Reaction {
    add(names(of: repeat each parts), station, recovery, source) { inputs in
      var rest = Inputs(inputs)
      let arguments = (repeat (each parts).take(&rest))
      return TakenBody(run: { try await body((), repeat each arguments) }) {
        failed(repeat each parts, arguments: repeat each arguments)
      }
    }
  }
}
