import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@testable import gallery

/// The problems of `Sources/Examples/Gallery` that keep tasks apart.
@Suite(.watched)
struct `Gallery of exclusion` {
  @Test(arguments: Run.setups)
  func `A program can double a counter in the open`(setup: Setup) async throws {
    let (counter, face) = makeOpenCounter(setup.options)
    counter(1000)
    #expect(try await face.control.leftovers() == ["counter": 2])
  }

  @Test func `Each discipline chooses what its name says`() {
    let waiting: [Access] = [.write, .read, .read]
    #expect(Discipline.ordered.next(of: waiting, after: .read) == .write)
    #expect(Discipline.fair.next(of: waiting, after: .read) == .write)
    #expect(Discipline.fair.next(of: waiting, after: .write) == .read)
    #expect(Discipline.majority.next(of: waiting, after: .read) == .read)
    #expect(Discipline.majority.next(of: [.read], after: .read) == .read)
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
