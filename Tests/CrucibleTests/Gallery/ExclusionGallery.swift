import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@testable import gallery

/// The problems of `Sources/Examples/Gallery` that keep tasks apart.
@Suite(.watched)
struct `Gallery of exclusion` {
  @Test(arguments: Run.setups)
  func `Counters count what four tasks add, in the open and encapsulated`(setup: Setup) async throws {
    for counter in [makeOpenCounter(setup.options).face, makeCounter(setup.options)] {
      _ = try await together(4) { _ in for _ in 0..<100 { counter.increment() } }
      _ = try await counter.control.leftovers()
      #expect(try await counter.value() == 400)
    }
  }

  @Test(arguments: Run.setups)
  func `A program can double a counter in the open`(setup: Setup) async throws {
    let (counter, face) = makeOpenCounter(setup.options)
    counter(1000)
    #expect(try await face.control.leftovers() == ["counter": 2])
  }

  @Test(arguments: [1, 3], Run.setups)
  func `A multiplex admits its number of tasks at most, and a mutex one`(permits: Int, setup: Setup) async throws {
    let multiplex = permits == 1 ? makeMutex(setup.options) : makeMultiplex(permits: permits, setup.options)
    let (inside, overlaps) = (Tally(), Tally())
    _ = try await together(6) { _ in
      for _ in 0..<20 {
        try await multiplex.enter()
        if inside.add() > permits { overlaps.add() }
        await Task.yield()
        inside.add(-1)
        multiplex.leave()
      }
    }
    #expect(overlaps.count == 0)
    #expect(try await multiplex.control.leftovers() == ["permit": permits])
  }

  @Test(arguments: Run.setups)
  func `Readers and writers in no order never meet`(setup: Setup) async throws {
    let room = makeReadersWriters(setup.options)
    let clashes = try await visit {
      switch $0 {
      case .read: try await room.read()
      case .write: try await room.write()
      }
    } leave: {
      switch $0 {
      case .read: room.endRead()
      case .write: room.endWrite()
      }
    }
    #expect(clashes == 0)
    #expect(try await room.control.leftovers() == ["idle": 1])
  }

  @Test(arguments: [Discipline.ordered, .fair, .majority], Run.setups)
  func `Readers and writers under a discipline never meet`(discipline: Discipline, setup: Setup) async throws {
    let room = makeReadersWriters(discipline, setup.options)
    let clashes = try await visit {
      try await room.enter($0)
    } leave: {
      room.leave($0)
    }
    #expect(clashes == 0)
    #expect(try await room.control.leftovers() == [:])
  }

  @Test func `Each discipline chooses what its name says`() {
    let waiting: [Access] = [.write, .read, .read]
    #expect(Discipline.ordered.next(of: waiting, after: .read) == .write)
    #expect(Discipline.fair.next(of: waiting, after: .read) == .write)
    #expect(Discipline.fair.next(of: waiting, after: .write) == .read)
    #expect(Discipline.majority.next(of: waiting, after: .read) == .read)
    #expect(Discipline.majority.next(of: [.read], after: .read) == .read)
  }

  /// Returns how often a writer shared the room, while four readers and two writers come and go.
  private func visit(
    _ enter: @escaping @Sendable (Access) async throws -> Void, leave: @escaping @Sendable (Access) -> Void
  ) async throws -> Int {
    let (reading, writing, clashes) = (Tally(), Tally(), Tally())
    _ = try await together(6) { number in
      let access: Access = number < 4 ? .read : .write
      for _ in 0..<20 {
        try await enter(access)
        let inside = access == .read ? reading : writing
        inside.add()
        if writing.count > 1 || writing.count == 1 && reading.count > 0 { clashes.add() }
        await Task.yield()
        inside.add(-1)
        leave(access)
      }
    }
    return clashes.count
  }

  @Test(arguments: Run.setups)
  func `Women and men never meet in the bathroom, which is never too full`(setup: Setup) async throws {
    let bathroom = makeBathroom(places: 3, setup.options)
    let (women, men, clashes) = (Tally(), Tally(), Tally())
    _ = try await together(8) { number in
      let isWoman = number % 2 == 0
      for _ in 0..<20 {
        try await isWoman ? bathroom.woman() : bathroom.man()
        (isWoman ? women : men).add()
        if women.count > 0 && men.count > 0 || women.count + men.count > 3 { clashes.add() }
        await Task.yield()
        (isWoman ? women : men).add(-1)
        (isWoman ? bathroom.womanLeaves : bathroom.manLeaves)()
      }
    }
    #expect(clashes.count == 0)
    #expect(try await bathroom.control.leftovers() == ["empty": 1, "place": 3])
  }

  @Test(arguments: [1, 2, 5, 15], Run.setups)
  func `Philosophers eat as often as they are hungry, also after a restart`(seats: Int, setup: Setup) async throws {
    let table = makeTable(seats: seats, setup.options)
    for _ in 0..<2 {
      for fork in table.forks { fork() }
      _ = try await together(seats) { number in try await table.seat(20 * seats + number) }
      #expect(try await table.control.leftovers() == Dictionary(uniqueKeysWithValues: forks(seats)))
      #expect(try await table.eaten() == Array(repeating: 20, count: seats))
      #expect(await table.control.stop().isQuiet)
      try await table.control.restart()
    }
  }

  private func forks(_ seats: Int) -> [(String, Int)] { (0..<seats).map { ("fork[\($0)]", 1) } }

  @Test(arguments: Run.setups)
  func `The barber cuts everybody who found a chair, and nobody else`(setup: Setup) async throws {
    let barber = makeBarber(chairs: 3, setup.options)
    let probe = Probe(barber.control)
    async let cut = together(5) { number in try await barber.enter(number) }
    try await probe.untilReplied(barber.enter, count: 2)
    barber.open()
    #expect(try await cut.count { $0 } == 3)
    #expect(try await barber.enter(5))
    #expect(try await barber.control.leftovers() == ["barber": 1])
  }
}
