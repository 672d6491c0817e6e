import Crucible
import CrucibleTesting
import Testing

@testable import gallery

/// Runs the problems of `Sources/Examples/Gallery` by many schedules.
@Suite struct GalleryExploringTests {
  private static let results = [
    "barrier": "two rounds of three", "cancelable": "55, and cancelled", "counter": "10 and 10", "crawler": "46 pages",
    "fork-join": "55", "groups": "two molecules, three boats, three rides", "hotline": nil, "maximum": "9",
    "merge-sort": "[1, 3, 4, 5, 9]", "multiplex": "six tasks, three at a time", "overload": nil,
    "pair-up": "two pairs, and nobody for the fifth", "paxos": nil, "philosophers": "[10, 10, 10] meals",
    "producer-consumer": "nine items through each of three lines",
    "primes": "[2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47]", "rendezvous": "one and 1; 3 met",
    "readers-writers-in-order": "three disciplines", "run-all": "[1, 4, 9, 16, 25]", "santa": "1 trip",
    "savages": "3 fillings for seven meals", "select": nil, "stop-and-restart": "[true, true]", "switch": "1 request",
  ]

  @Test(arguments: results.keys.sorted())
  func `A problem is solved by 10 schedules`(name: String) async throws {
    let solve = try #require(problems.first { $0.key == name }).value
    try await explore(schedules: 10, seed: 1) { _ in
      let result = try await solve()
      if let expected = Self.results[name]! { #expect(result == expected) }
    }
  }

  @Test func `A bathroom is free after visitors that have given up, by 100 schedules`() async throws {
    try await explore(schedules: 100, seed: 1) { world in
      let room = makeBathroom(places: 1)
      for (enter, leave) in [(room.woman, room.womanLeaves), (room.man, room.manLeaves)] {
        world.task("limited") { if (try? await enter(within: .seconds(1))) != nil { leave() } }
        world.thread("waiting") { if (try? enter.blocking()) != nil { leave() } }
      }
      await world.quiet()
      let counts = room.control.snapshot()
      #expect(counts["empty"] == 1 && counts["place"] == 1)
    }
  }

  @Test(arguments: [true, false])
  func `Items pass a line once, although callers give up, by 100 schedules`(isBounded: Bool) async throws {
    try await explore(schedules: 100, seed: 1) { world in
      let line = isBounded ? makeBoundedLine(of: Int.self, capacity: 1) : makeOrderedLine(of: Int.self)
      let (sent, received) = (Cell(), Cell())
      for number in 1...2 {
        world.task("put") { if (try? await line.put(number, within: .seconds(1))) != nil { sent.value += number } }
        world.task("take") { received.value += (try? await line.take(within: .seconds(1))) ?? 0 }
      }
      await world.quiet()
      while received.value < sent.value { received.value += try await line.take() }
      #expect(received.value == sent.value)
    }
  }
}
