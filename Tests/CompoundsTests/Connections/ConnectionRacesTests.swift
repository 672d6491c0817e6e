import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// What happens to the connections of one run, which are numbers. One thread of a run goes on at a time.
private final class Books: @unchecked Sendable {
  let world: World
  let limit: Int
  var made = 0, open = 0, closed: [Int] = [], used: Set<Int> = []
  /// The numbers that cannot be made.
  var broken: Set<Int> = []

  init(_ world: World, limit: Int) { (self.world, self.limit) = (world, limit) }

  func pool(_ policy: ConnectionPolicy = ConnectionPolicy(), check: Bool? = nil) -> ConnectionPool<Int> {
    let options = Soup.Options(matcher: world.matcher, onError: { _ in })
    let checking: @Sendable (Int) async throws -> Bool = { [world] _ in
      world.point()
      return check!
    }
    return ConnectionPool(
      limit: limit, policy: policy, options: options, make: { try await self.make() },
      check: check == nil ? nil : checking, close: { self.close($0) })
  }

  private func make() async throws -> Int {
    made += 1
    open += 1
    let number = made
    #expect(open <= limit, "too many connections are open")
    world.point()
    if broken.contains(number) {
      open -= 1
      closed.append(number)
      throw Broken()
    }
    return number
  }

  private func close(_ connection: Int) {
    #expect(!used.contains(connection) && !closed.contains(connection), "\(connection) is in use, or closed already")
    world.point()
    open -= 1
    closed.append(connection)
  }

  /// Starts a caller that uses a connection, and may be refused.
  @discardableResult
  func caller(_ name: String, _ pool: ConnectionPool<Int>, breaks: Bool = false) -> Task<Void, any Error> {
    world.task(name) {
      do {
        try await pool.withConnection { connection in
          #expect(self.used.insert(connection).inserted && !self.closed.contains(connection))
          self.world.point()
          self.used.remove(connection)
          if breaks { throw Broken() }
        }
      } catch is CallError {} catch is Broken {}
    }
  }

  struct Broken: Error {}
}

/// What may happen to a pool at the same time.
struct Race: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var limit = 2
  fileprivate let begin: @Sendable (Books) async -> ConnectionPool<Int>

  static let all = [
    Race(testDescription: "making one against giving one back") { books in
      let pool = books.pool()
      for number in 1...3 { books.caller("\(number)", pool, breaks: number == 3) }
      return pool
    },
    Race(testDescription: "giving up against being served", limit: 1) { books in
      let pool = books.pool(ConnectionPolicy(dials: 1))
      for number in 1...2 { books.caller("\(number)", pool) }
      let third = books.caller("3", pool)
      books.world.task("cancelling") { third.cancel() }
      return pool
    },
    Race(testDescription: "closing one that is idle against taking it", limit: 1) { books in
      let pool = books.pool(ConnectionPolicy(idle: .milliseconds(1), life: .milliseconds(2)))
      books.caller("1", pool)
      books.world.task("later") {
        try await books.world.clock.sleep(for: .milliseconds(1))
        books.caller("2", pool)
        try await books.world.clock.sleep(for: .milliseconds(1))
        books.caller("3", pool)
      }
      return pool
    },
    Race(testDescription: "checking one against taking it", limit: 1) { books in
      let pool = books.pool(ConnectionPolicy(keepAlive: .milliseconds(1)), check: false)
      books.caller("1", pool)
      books.world.task("later") {
        try await books.world.clock.sleep(for: .milliseconds(1))
        books.caller("2", pool)
      }
      return pool
    },
    Race(testDescription: "failing to make one against giving up") { books in
      books.broken = [1, 2]
      let pool = books.pool(ConnectionPolicy(dials: 1, waiting: 2))
      for number in 1...2 { books.caller("\(number)", pool) }
      let third = books.caller("3", pool)
      books.world.task("cancelling") { third.cancel() }
      return pool
    },
    Race(testDescription: "keeping a minimum against breaking it") { books in
      books.broken = [2]
      let pool = books.pool(ConnectionPolicy(minimum: 1, backoff: .milliseconds(1)...(.milliseconds(1))))
      for number in 1...2 { books.caller("\(number)", pool, breaks: number == 1) }
      return pool
    },
  ]
}

@Suite(.watched)
struct `Races of connections` {
  @Test(arguments: Race.all, End.allCases)
  func `A pool keeps its promises by 1,000 schedules`(race: Race, end: End) async throws {
    try await explore(matchers: [.automatic, .locked], schedules: scaled(1000), seed: 1) { world in
      let books = Books(world, limit: race.limit)
      let pool = await race.begin(books)
      switch end {
      case .none: break
      case .drain: world.task("drain") { #expect(await pool.control.drain().isQuiet) }
      case .stop: world.task("stop") { #expect(await pool.control.stop().isQuiet) }
      }
      await world.quiet()
      if end == .none {
        while true {
          if case .success(let lease) = await pool.take.outcome() {
            pool.giveBack(lease)
            break
          }
        }
        await pool.control.drain()
        await world.quiet()
      }
      #expect(books.closed.sorted() == Array(1..<books.made + 1) && books.open == 0, "each is closed once")
      #expect(pool.control.explain().callers.isEmpty)
    }
  }
}
