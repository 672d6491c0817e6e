import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@testable import gallery

/// The problems of `Sources/Examples/Gallery` that bring tasks together.
@Suite(.watched)
struct `Gallery of meetings` {
  @Test(arguments: [1, 2, 5], Run.setups)
  func `Callers meet in groups, and each gets what all of its group brought`(n: Int, setup: Setup) async throws {
    let (meet, control) = makeMeeting(of: n, bringing: Int.self, setup.options)
    let brought = try await together(4 * n) { number in (number, try await meet(number)) }
    for (number, group) in brought { #expect(group.count == n && group.contains(number)) }
    #expect(Set(brought.map(\.1)).count == 4)
    #expect(try await control.leftovers() == [:])
  }

  @Test(arguments: Run.setups)
  func `A barrier lets nobody begin a round before all have ended the last`(setup: Setup) async throws {
    let barrier = makeBarrier(parties: 3, setup.options)
    let (arrived, early) = (Tally(), Tally())
    _ = try await together(3) { _ in
      for round in 1...30 {
        arrived.add()
        try await barrier.arrive(round)
        if arrived.count < 3 * round { early.add() }
      }
    }
    #expect(early.count == 0)
    #expect(try await barrier.control.leftovers() == [:])
  }

  @Test(arguments: [0, 1, 2, 7], Run.setups)
  func `Dancers pair up, and an odd one learns it when the doors close`(count: Int, setup: Setup) async throws {
    let (dance, close, control) = makeDance(setup.options)
    let probe = Probe(control)
    async let partners = together(count) { number in try await dance(number) }
    try await probe.untilInjected(dance, count: count)
    try await probe.untilReplied(dance, count: count / 2 * 2)
    try await close()
    let pairs = try await partners
    #expect(pairs.count { $0 == nil } == count % 2)
    for (number, partner) in pairs.enumerated() { if let partner { #expect(pairs[partner] == number) } }
    #expect(try await control.leftovers() == ["closed": 1])
  }

  @Test(arguments: Run.setups)
  func `Two hydrogen atoms and one oxygen atom make water`(setup: Setup) async throws {
    let water = makeWater(setup.options)
    let molecules = try await together(30) { number in
      try await number < 20 ? water.hydrogen(number) : water.oxygen(number)
    }
    for molecule in molecules { #expect(molecule.count { $0 < 20 } == 2) }
    #expect(Set(molecules.flatMap { $0 }).count == 30)
    #expect(try await water.control.leftovers() == [:])
  }

  @Test(arguments: Run.setups)
  func `A boat crosses with four of one kind or two of each`(setup: Setup) async throws {
    let river = makeRiver(setup.options)
    let boats = try await together(24) { number in
      try await number < 8 ? river.hacker() : river.serf()
    }
    for boat in boats { #expect([0, 2, 4].contains(boat.hackers) && boat.hackers + boat.serfs == 4) }
    #expect(try await river.control.leftovers() == [:])
  }

  @Test(arguments: Run.setups)
  func `A roller coaster rides full, and every car comes back`(setup: Setup) async throws {
    let coaster = makeCoaster(cars: 2, seats: 3, setup.options)
    let rides = try await together(12) { number in (number, try await coaster.ride(number)) }
    for (number, ride) in rides { #expect(ride.count == 3 && ride.contains(number)) }
    #expect(try await coaster.control.leftovers() == ["car": 2])
  }

  @Test(arguments: [0, 1, 100], Run.setups)
  func `Smokers smoke every pair that is laid out`(rounds: Int, setup: Setup) async throws {
    let (smoked, left) = try await smoke(rounds: rounds, setup.options)
    #expect(smoked.reduce(0, +) == rounds)
    #expect(left == [:])
  }

  @Test(arguments: Run.setups)
  func `A receiver takes from whichever channel has something, once`(setup: Setup) async throws {
    let channels = makeTwoChannels(setup.options)
    async let received = together(20) { _ in try await channels.receive() }
    for n in 0..<10 {
      channels.number(n)
      channels.text("\(n)")
    }
    let all = try await received
    for n in 0..<10 {
      #expect(all.count { $0 == .number(n) } == 1)
      #expect(all.count { $0 == .text("\(n)") } == 1)
    }
    #expect(try await channels.control.leftovers() == [:])
  }

  @Test(arguments: Run.setups)
  func `Chameneos meet two at a time, as often as the mall permits`(setup: Setup) async throws {
    #expect(try await meet([.blue, .red, .yellow, .blue], meetings: 50, setup.options).reduce(0, +) == 100)
    #expect(try await meet([.blue], meetings: 50, setup.options) == [0])
    #expect(try await meet([.blue, .red], meetings: 0, setup.options) == [0, 0])
  }
}
