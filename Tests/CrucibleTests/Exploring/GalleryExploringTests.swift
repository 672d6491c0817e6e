import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@testable import gallery

/// Runs the problems of `Sources/Examples/Gallery` by many schedules.
@Suite(.watched) struct GalleryExploringTests {
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

  @Test(arguments: Room.all)
  func `A room holds only visitors that may meet, although one gives up, by 50 schedules`(room: Room) async throws {
    try await explore(matchers: Soup.Matcher.all, schedules: 50, seed: 1) { world in
      let (enter, leave, control) = room.make(.init(matcher: world.matcher))
      let inside = [Cell(), Cell()]
      for number in 0..<4 {
        let task = world.task("visitor \(number)") {
          for _ in 1...2 {
            do { try await enter(number % 2) } catch CallError.cancelled { return }
            inside[number % 2].value += 1
            #expect(room.allows(inside[0].value, inside[1].value))
            world.point()
            inside[number % 2].value -= 1
            leave(number % 2)
          }
        }
        if number == 3 { world.task("cancelling") { task.cancel() } }
      }
      await world.quiet()
      let left = try await control.leftovers()
      #expect(left == room.rest)
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

/// A problem in which visitors share a room. Kind 0 stands for readers or women, kind 1 for writers or men.
struct Room: Sendable, CustomTestStringConvertible {
  typealias Visits = (
    enter: @Sendable (_ kind: Int) async throws -> Void, leave: @Sendable (_ kind: Int) -> Void, control: Soup.Control
  )
  let testDescription: String
  /// What is left in the soup once all visitors have left.
  let rest: [String: Int]
  let make: @Sendable (Soup.Options) -> Visits
  /// Whether so many visitors of each kind may be inside.
  let allows: @Sendable (Int, Int) -> Bool

  private static func multiplex(_ name: String, _ permits: Int) -> Room {
    Room(testDescription: name, rest: ["permit": permits]) { options in
      let room = permits == 1 ? makeMutex(options) : makeMultiplex(permits: permits, options)
      return ({ _ in try await room.enter() }, { _ in room.leave() }, room.control)
    } allows: {
      $0 + $1 <= permits
    }
  }

  private static func discipline(_ discipline: Discipline) -> Room {
    Room(testDescription: "readers and writers, \(discipline)", rest: [:]) { options in
      let (access, room) = ([Access.read, .write], makeReadersWriters(discipline, options))
      return ({ try await room.enter(access[$0]) }, { room.leave(access[$0]) }, room.control)
    } allows: {
      $1 == 0 || $0 + $1 == 1
    }
  }

  static let all = [
    multiplex("mutex", 1), multiplex("multiplex", 2), discipline(.ordered), discipline(.fair), discipline(.majority),
    Room(testDescription: "readers and writers", rest: ["idle": 1]) { options in
      let room = makeReadersWriters(options)
      return (
        { try await $0 == 0 ? room.read() : room.write() }, { $0 == 0 ? room.endRead() : room.endWrite() }, room.control
      )
    } allows: {
      $1 == 0 || $0 + $1 == 1
    },
    Room(testDescription: "bathroom", rest: ["empty": 1, "place": 2]) { options in
      let room = makeBathroom(places: 2, options)
      return (
        { try await $0 == 0 ? room.woman() : room.man() }, { $0 == 0 ? room.womanLeaves() : room.manLeaves() },
        room.control
      )
    } allows: {
      $0 + $1 <= 2 && ($0 == 0 || $1 == 0)
    },
  ]
}
