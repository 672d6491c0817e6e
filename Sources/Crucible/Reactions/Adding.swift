// The code that the forms of `react` have in common. The hot synchronous forms over names are written out instead, for
// each number of inputs. CONTRIBUTING.md says why the others have a form for each number, too. `Soup.Group` serves more
// inputs than they have, at a cost that is small compared with the task of a firing.

extension Soup.State where Value: ~Copyable {
  /// A state: the body changes its value in place, in its cell.
  @usableFromInline
  struct InPlace: Soup.Input {
    @usableFromInline let _name: OpaquePointer?

    @usableFromInline static func _take(_ inputs: inout Soup._Inputs) -> Cell { Cell(inputs.take()) }
  }

  @usableFromInline var part: InPlace { InPlace(_name: name) }
}

extension Soup {
  func station(of placement: Placement?) -> Station {
    switch (placement ?? self.placement).kind {
    case .automatic: ConcurrencyStation.shared
    case .pool: TaskStation.pool
    case .inline: InlineStation.inline
    case .station(let station): station
    }
  }

  // Not inlinable: specialized for names that carry functions, it crashes the optimizer of Swift 6.3
  // (`Tests/Refusals/optimized.swift`).
  @usableFromInline
  func addEach<each I: Input, Failure: Error>(
    _ placement: Placement?, _ recovery: Recovery, _ source: StaticSource, _ inputs: repeat each I,
    run body: @escaping @Sendable (repeat (each I).Argument) throws(Failure) -> Void
  ) -> Reaction {
    let names = _InputNames(of: repeat each inputs)
    return add(names.names, placement, recovery, source) { [counts = names.counts] reaction, inputs in
      var rest = _Inputs(inputs, counts: counts)
      let arguments = (repeat (each I)._take(&rest))
      do throws(Failure) {
        try body(repeat each arguments)
        repeat (each I)._finish(each arguments)
      } catch {
        reaction.fail(error, inputs, failed(repeat (each I).self, arguments: repeat each arguments))
      }
    }
  }

  func addOnMain<each I: Input>(
    _ recovery: Recovery, _ source: StaticSource, _ inputs: repeat each I,
    run body: @escaping @MainActor @Sendable (repeat (each I).Argument) throws -> Void
  ) -> Reaction {
    addEach(.mainThread, recovery, source, repeat each inputs) {
      (arguments: repeat (each I).Argument) throws in
      try MainActor.assumeIsolated { try body(repeat each arguments) }
    }
  }

  /// The body has an unused first parameter. Without it, the compiler of Swift 6.3 crashes at any closure given here.
  /// Then the closure's type begins with a pack, and the closure runs on its caller's executor.
  func addTask<each I: Input>(
    _ station: Station, _ recovery: Recovery, _ source: StaticSource, _ inputs: repeat each I,
    run body: nonisolated(nonsending) @escaping @Sendable (Void, repeat (each I).Argument) async throws -> Void
  ) -> Reaction {
    let names = _InputNames(of: repeat each inputs)
    return add(names.names, station, recovery, source) { [counts = names.counts] inputs in
      var rest = _Inputs(inputs, counts: counts)
      let arguments = (repeat (each I)._take(&rest))
      return TakenBody(run: { try await body((), repeat each arguments) }) { hasThrown in
        if hasThrown { return failed(repeat (each I).self, arguments: repeat each arguments) }
        repeat (each I)._stays(each arguments)
        return []
      }
    }
  }
}
