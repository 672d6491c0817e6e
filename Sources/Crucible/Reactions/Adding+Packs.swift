// Bodies over a pack of names, which an array may follow. A closure cannot declare a parameter behind a pack, so the
// array is the pack's last part, and the body is passed on as one function over the whole pack.

extension Soup {
  func addPack<each P: Part>(
    _ station: Station, _ recovery: Recovery, _ source: Source, _ parts: repeat each P,
    run body: @escaping @Sendable (repeat (each P).Argument) async throws -> Void
  ) -> Reaction {
    addTask(station, recovery, source, repeat each parts) {
      (_: Void, rest: repeat (each P).Argument) in
      try await body(repeat each rest)
    }
  }

  func addMainPack<each P: Part>(
    _ recovery: Recovery, _ source: Source, _ parts: repeat each P,
    run body: @escaping @MainActor @Sendable (repeat (each P).Argument) async throws -> Void
  ) -> Reaction {
    addTask(MainStation.shared, recovery, source, repeat each parts) {
      (_: Void, rest: repeat (each P).Argument) in
      try await body(repeat each rest)
    }
  }

  func addPack<Isolation: Actor, each P: Part>(
    _ place: ActorPlacement<Isolation>, _ recovery: Recovery, _ source: Source, _ parts: repeat each P,
    run body: @escaping @Sendable (isolated Isolation, repeat (each P).Argument) async throws -> Void
  ) -> Reaction {
    addTask(place.station, recovery, source, repeat each parts) {
      (_: Void, rest: repeat (each P).Argument) in
      try await body(place.actor, repeat each rest)
    }
  }
}
