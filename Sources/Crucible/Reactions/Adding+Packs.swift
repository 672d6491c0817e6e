// Bodies over a pack of names, which an array may follow. A closure cannot declare a parameter behind a pack, so the
// array is the pack's last part, and the body is passed on as one function over the whole pack.

extension Soup {
  func addPack<each I: Input>(
    _ station: Station, _ recovery: Recovery, _ source: Source, _ inputs: repeat each I,
    run body: @escaping @Sendable (repeat (each I).Argument) async throws -> Void
  ) -> Reaction {
    addTask(station, recovery, source, repeat each inputs) {
      (_: Void, rest: repeat (each I).Argument) in
      try await body(repeat each rest)
    }
  }

  func addMainPack<each I: Input>(
    _ recovery: Recovery, _ source: Source, _ inputs: repeat each I,
    run body: @escaping @MainActor @Sendable (repeat (each I).Argument) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, source, repeat each inputs) {
      (_: Void, rest: repeat (each I).Argument) in
      try await body(repeat each rest)
    }
  }

  func addPack<Isolation: Actor, each I: Input>(
    _ place: ActorPlacement<Isolation>, _ recovery: Recovery, _ source: Source, _ inputs: repeat each I,
    run body: @escaping @Sendable (isolated Isolation, repeat (each I).Argument) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, source, repeat each inputs) {
      (_: Void, rest: repeat (each I).Argument) in
      try await body(place.actor, repeat each rest)
    }
  }
}
