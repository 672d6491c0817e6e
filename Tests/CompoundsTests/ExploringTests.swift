import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Runs small worlds of the compounds by many schedules: alone, beside a drain, and beside a stop.
@Suite(.watched) struct `Compounds by many schedules` {
  @Test(arguments: Row.places + Row.lines + Row.actions + Row.others, End.allCases)
  func `A compound keeps its promises by 50 schedules`(row: Row, end: End) async throws {
    // A drain has ten seconds, which are not over before its work.
    try await explore(schedules: 50, seed: 1, timeWaits: end == .drain) { world in
      let notes = Notes(world, end)
      let (control, check) = try await row.begin(notes)
      if end == .drain {
        world.task("drain") {
          let report = await control.drain()
          notes.dropped = report.unfinished.reduce(0) { $0 + $1.molecules }
          if row.drains && !report.isQuiet { throw Wrong(text: "\(report)") }
        }
      } else if end == .stop {
        world.task("stop") {
          let report = await control.stop()
          notes.dropped = report.dropped
          if !report.isQuiet { throw Wrong(text: "\(report)") }
        }
      }
      await world.quiet()
      try await check()
    }
  }

  @Test func `A drain of connections serves the callers that wait although making one fails`() async throws {
    try await explore(schedules: 200, seed: 1, timeWaits: true) { world in
      let pool = ConnectionPool<Int>(limit: 1) {
        try await world.clock.sleep(for: .seconds(1))
        throw Wrong(text: "no connection")
      }
      for number in 1...2 { world.task("caller \(number)") { _ = try? await pool.take() } }
      try await world.clock.sleep(for: .milliseconds(500))
      let report = await pool.control.drain()
      #expect(report.isQuiet)
    }
  }

  @Test func `A drain of connections leaves callers that are paused, and counts them`() async throws {
    try await explore(schedules: 2, seed: 1, timeWaits: true) { world in
      let pool = ConnectionPool(limit: 1) { 7 }
      pool.control.pause(pool.take)
      world.task("paused") { _ = try? await pool.take() }
      await world.quiet()
      let report = await pool.control.drain()
      #expect(report.isQuiet && report.unfinished.map(\.description) == ["take 1 (paused)"], "\(report)")
    }
  }

  @Test func `A drain of connections ends although the last caller gives up`() async throws {
    try await explore(schedules: 1000, seed: 1, timeWaits: true) { world in
      let pool = ConnectionPool(limit: 1, options: Soup.Options(onError: { _ in })) { 7 }
      let caller = world.task("caller") {
        if let lease = try? await pool.take() { pool.giveBack(lease) }
      }
      world.task("cancelling") { caller.cancel() }
      world.task("drain") {
        let report = await pool.control.drain()
        #expect(report.isQuiet)
      }
    }
  }
}

enum End: CaseIterable, Sendable { case none, drain, stop }

private struct Wrong: Error { let text: String }

/// What the tasks of a world have noted. One of them runs at a time.
private final class Notes: @unchecked Sendable {
  let world: World, end: End, options = Soup.Options(onError: { _ in })
  var sent: [Int] = [], got: [Int] = [], dropped = 0, inside = 0, most = 0

  init(_ world: World, _ end: End) { (self.world, self.end) = (world, end) }

  /// Starts a caller with a limit, one that is cancelled, and one that waits. Each of them may give up.
  func callers(_ call: @escaping @Sendable (_ number: Int, _ limit: Duration?) async throws -> Void) {
    for number in 1...3 {
      let task = world.task("\(number)") {
        do { try await call(number, number == 1 ? .seconds(1) : nil) } catch let error as CallError {
          if error != [.timedOut, .cancelled, .stopped][number - 1] && (error != .stopped || self.end == .none) {
            throw error
          }
        }
      }
      if number == 2 { world.task("cancelling") { task.cancel() } }
    }
  }

  /// Is inside for a second.
  func visit() async {
    (inside, most) = (inside + 1, max(most, inside + 1))
    try? await world.clock.sleep(for: .seconds(1))
    inside -= 1
  }
}

extension FastInjector {
  fileprivate func call(_ input: Input, _ limit: Duration?) async throws(CallError) -> Output {
    if let limit { try await self(input, within: limit) } else { try await self(input) }
  }
}

struct Row: Sendable, CustomTestStringConvertible {
  fileprivate typealias Check = @Sendable () async throws -> Void
  let testDescription: String
  /// Whether a drain is quiet. It waits in vain for a closure that rests.
  var drains = true
  fileprivate let begin: @Sendable (Notes) async throws -> (Soup.Control, Check)

  /// A compound that lets one caller in at a time, or runs its closure once at a time.
  private static func place<C: Compound>(
    _ name: String, drains: Bool = true, _ make: @escaping @Sendable (Notes) -> C,
    enter: @escaping @Sendable (C, Notes, Duration?) async throws -> Void
  ) -> Row {
    Row(testDescription: name, drains: drains) { n in
      let one = make(n)
      n.callers { _, limit in try await enter(one, n, limit) }
      let check: Check = {
        #expect(n.most <= 1)
        if n.end == .none { try await enter(one, n, nil) }
      }
      return (one.control, check)
    }
  }

  static let places = [
    place("lock") { n in
      Lock(options: n.options)
    } enter: { lock, n, limit in
      try await lock.withLock(within: limit) { await n.visit() }
    },
    place("semaphore") { n in
      Semaphore(permits: 1, options: n.options)
    } enter: { semaphore, n, limit in
      try await semaphore.withPermit(within: limit) { await n.visit() }
    },
    place("read-write lock") { n in
      ReadWriteLock(options: n.options)
    } enter: { lock, n, limit in
      if limit != nil { try await lock.withReading(within: limit) { #expect(n.inside == 0) } }
      try await lock.withWriting(within: limit) { await n.visit() }
    },
    place("keyed lock") { n in
      KeyedLock<Int>(options: n.options)
    } enter: { lock, n, limit in
      try await lock.withLock(7, within: limit) { await n.visit() }
    },
    place("connections") { n in
      ConnectionPool(limit: 1, options: n.options, make: { 7 })
    } enter: { pool, n, limit in
      try await pool.withConnection(within: limit) { _ in await n.visit() }
    },
    place("once") { n in
      Once(options: n.options) { await n.visit() }
    } enter: { once, _, limit in
      try await once.value.call((), limit)
    },
    place("cache") { n in
      Cache<Int, Void>(options: n.options) { _ in await n.visit() }
    } enter: { cache, _, limit in
      try await cache.value.call(7, limit)
    },
    place("generator", drains: false) { n in
      Generator<Int>(options: n.options) { yield in
        for number in 1... {
          await n.visit()
          try await yield(number)
        }
      }
    } enter: { numbers, _, limit in
      _ = try await numbers.take(2, within: limit)
    },
  ]

  static let lines = [ChannelCapacity.unbuffered, .buffered(1), .buffered(2), .unbounded].map { capacity in
    Row(testDescription: "channel, \(capacity)") { n in
      let channel = Channel<Int>(capacity, options: n.options)
      n.callers { number, limit in
        for value in [number, number + 10] {
          try await channel.send.call(value, limit)
          n.sent.append(value)
        }
      }
      n.world.task("pausing") {
        channel.control.pause()
        n.world.point()
        channel.control.resume()
      }
      n.world.thread("leaving") { n.got += (try? channel.blocking.receive(count: 1, within: .seconds(1))) ?? [] }
      let staying = n.world.task("staying") {
        var kept: [Int] = []
        while let value = try? await channel.receive() {
          #expect(!kept.contains(value + 10), "\(value) comes too late")
          kept.append(value)
          n.got.append(value)
        }
      }
      let check: Check = {
        channel.close()
        try await staying.value
        #expect(Set(n.got).count == n.got.count && Set(n.got).isSubset(of: n.sent))
        #expect(n.end != .none || n.got.count == n.sent.count)
      }
      return (channel.control, check)
    }
  }

  /// A compound that acts on values. Each comes once at most, and if not, a report counts it.
  private static func action<C: Compound>(
    _ name: String, keeps: Bool = false, make: @escaping @Sendable (Notes) throws -> C,
    add: @escaping @Sendable (C, Notes, Int) -> Bool
  ) -> Row {
    Row(testDescription: name) { n in
      let one = try make(n)
      for numbers in [1...2, 3...3] {
        n.world.task("adding \(numbers)") { for number in numbers where add(one, n, number) { n.sent.append(number) } }
      }
      let check: Check = {
        #expect(Set(n.got).count == n.got.count && Set(n.got).isSubset(of: n.sent))
        #expect(n.got.count + (keeps || n.end == .stop ? n.dropped : 0) >= n.sent.count)
      }
      return (one.control, check)
    }
  }

  static let actions = [
    action("batcher") { n in
      Batcher<Int>(size: 2, within: .seconds(1), options: n.options) { items in
        await n.visit()
        n.got += items
      }
    } add: { batcher, _, number in
      batcher.add(number)
    },
    action("batches") { n in
      Batches<Int, Int>(size: 2, within: .seconds(1), by: { $0 % 2 }, options: n.options) { _, items in
        await n.visit()
        n.got += items
      }
    } add: { batches, _, number in
      batches.add(number)
    },
    action("windows") { n in
      let shape = Windows<Int, Int>.Shape.tumbling(.seconds(2))
      return Windows(shape, by: { $0 % 2 }, options: n.options, onLate: { n.got.append($0) }) { window in
        await n.visit()
        n.got += window.values
      }
    } add: { windows, _, number in
      windows.add(number)
    },
    action("correlator", keeps: true) { n in
      let replies = Correlator<Int, Int>(keepingReplies: .seconds(1), options: n.options) { n.got.append($1) }
      n.world.task("limited") {
        if let reply = try? await replies.reply(1, within: .seconds(2)) { n.got.append(reply) }
      }
      return replies
    } add: { replies, _, number in
      replies.deliver(number, for: number)
    },
    action("agents", keeps: true) { n in
      let pool = AgentPool(members: 2, options: n.options) { 0 }
      n.world.task("retiring") { pool.retire(1) }
      n.world.task("all") { pool.broadcast { _ in n.world.point() } }
      return pool
    } add: { pool, n, number in
      pool.send { @Sendable _ in n.got.append(number) }
    },
    action("supervisor") { n in
      let supervisor = Supervisor(options: n.options)
      let agent = try supervisor.supervise("a", restarts: .init(1, delay: .seconds(1)), options: n.options) { 0 }
      n.world.task("asking") { try? await agent.ask { $0 += 1 } }
      for number in 1...2 { n.world.task("crash \(number)") { agent.crash(with: Wrong(text: "crash")) } }
      return supervisor
    } add: { _, _, _ in
      false
    },
  ]
  static let others = [
    Row(testDescription: "steps") { n in
      let steps = Cancelable(from: 0, options: n.options) { number in
        number += 1
        n.most = number
        return number < 4
      }
      n.callers { _, limit in n.got.append(try await steps.cancel.call((), limit)) }
      let check: Check = {
        #expect(n.got.allSatisfy { $0 == n.most })
        let result = n.end == .none ? try await steps.result() : nil
        #expect(n.end != .none || result == (n.most == 4 ? 4 : nil))
      }
      return (steps.control, check)
    },
    Row(testDescription: "publications") { n in
      let numbers = PubSub<Int, Int>(options: n.options)
      for buffer in 1...2 {
        n.world.task("reader \(buffer)") {
          let subscription = try? await numbers.subscribe(to: 7, buffer: buffer)
          let got = try await subscription?.prefix(2).reduce(into: [Int]()) { $0.append($1) } ?? []
          n.inside += 1
          #expect(got.elementsEqual((got.first ?? 0)...(got.first ?? 0) + 1) || n.end != .none && got.count < 2)
        }
      }
      n.world.task("publisher") {
        var number = 0
        while n.inside < 2, (try? await numbers.publish(number, to: 7)) != nil { number += 1 }
      }
      return (numbers.control, { if n.end == .none { #expect(numbers.control.contents == []) } })
    },
  ]
}
