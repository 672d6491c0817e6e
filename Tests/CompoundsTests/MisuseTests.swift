import Compounds
import Crucible
import CrucibleTestSupport
import Testing

/// A mistake in the use of a compound, and a part of the message that must end the program.
struct Mistake: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let message: String
  let make: @Sendable (Soup.Options) async -> Void

  init(_ title: String, _ message: String, _ make: @escaping @Sendable (Soup.Options) -> Void) {
    self.init(awaiting: title, message) { make($0) }
  }

  init(awaiting title: String, _ message: String, _ make: @escaping @Sendable (Soup.Options) async -> Void) {
    testDescription = title
    self.message = message
    self.make = make
  }

  static let all: [Mistake] = [
    Mistake("a lock that nobody has, released", "lock 'cache' (CompoundsTests/MisuseTests.swift:") {
      Lock("cache", options: $0).release()
    },
    Mistake("a lock released twice", "released while nobody has it") {
      let lock = Lock(options: $0)
      try! lock.acquire.blocking()
      lock.release()
      lock.release()
    },
    Mistake("a keyed lock released twice", "keyed lock 'files' (CompoundsTests/MisuseTests.swift:") { _ in
      let locks = KeyedLock<Int>("files")
      try! locks.blocking.withLock(1) {}
      locks.release(1)
    },
    Mistake("a correlator without patience", "correlator 'replies' (CompoundsTests/MisuseTests.swift:") { _ in
      _ = Correlator<Int, Int>("replies", keepingReplies: .zero) { _, _ in }
    },
    Mistake("a cache for nothing", "cache 'pages' (CompoundsTests/MisuseTests.swift:") { _ in
      _ = Cache<Int, Int>(limit: 0, "pages") { $0 }
    },
    Mistake("a cache that renews what it has forgotten", "refreshingAfter must be at most keeping") { _ in
      _ = Cache<Int, Int>(keeping: .seconds(1), refreshingAfter: .seconds(2)) { $0 }
    },
    Mistake("keys that are known for no time", "dedup 'seen' (CompoundsTests/MisuseTests.swift:") { _ in
      _ = Dedup<Int>(for: .zero, "seen")
    },
    Mistake("a rate of none for each key", "the number of callers must be 1 to 1099511627776, not 0") { _ in
      _ = KeyedRateLimiter<Int>(0, per: .seconds(1))
    },
    Mistake("a permit too many", "released beyond its limit of 1") {
      let semaphore = Semaphore(permits: 0, limit: 1, options: $0)
      semaphore.release()
      semaphore.release()
    },
    Mistake("a permit too many of very many", "released beyond its limit of 64") {
      Semaphore(permits: 64, options: $0).release()
    },
    Mistake("fewer permits than none", "the number of permits must be 0 to 1099511627776, not -1") {
      _ = Semaphore(permits: -1, options: $0)
    },
    Mistake("a semaphore for no permit", "the limit must be 1 to 1099511627776, not 0") {
      _ = Semaphore(permits: 0, options: $0)
    },
    Mistake("a limit below the permits", "the limit must be 2 to 1099511627776, not 1") {
      _ = Semaphore(permits: 2, limit: 1, options: $0)
    },
    Mistake("a reader that leaves without having entered", "left by a reader while none is inside") {
      ReadWriteLock(options: $0).leave(.reading)
    },
    Mistake("a writer that leaves as a reader", "left by a reader while none is inside") {
      let lock = ReadWriteLock(options: $0)
      try! lock.enter.blocking(.writing)
      lock.leave(.reading)
    },
    Mistake("a reader that leaves as a writer", "left by a writer while none is inside") {
      let lock = ReadWriteLock(options: $0)
      try! lock.enter.blocking(.reading)
      lock.leave(.writing)
    },
    Mistake("a barrier for nobody", "the number of parties must be 1 to 1099511627776, not 0") {
      _ = Barrier(parties: 0, options: $0)
    },
    Mistake("a latch for fewer events than none", "the count must be 0 or more, not -1") {
      _ = CountDownLatch(-1, options: $0)
    },
    Mistake("an event too many for a latch", "counted down more often than 1 times") {
      let latch = CountDownLatch(1, options: $0)
      latch.countDown()
      latch.countDown()
    },
    Mistake("a buffer without room", "the capacity must be 1 to 1099511627776, not 0") {
      _ = BoundedBuffer<Int>(capacity: 0, options: $0)
    },
    Mistake("a pool of no agents", "the number of members must be 1 to 1048576, not 0") {
      _ = AgentPool(members: 0, options: $0) { 0 }
    },
    Mistake("fewer members added than none", "agents 'parsers' (CompoundsTests/MisuseTests.swift:") {
      AgentPool("parsers", members: 1, options: $0) { 0 }.add(-1)
    },
    Mistake("fewer members retired than none", "the number of members to retire must be 0 to 1099511627776, not -1") {
      AgentPool(members: 1, options: $0) { 0 }.retire(-1)
    },
    Mistake("fewer crashes of a supervised pool than none", "the number of crashes must be 0 or more, not -1") {
      _ = try! Supervisor(options: $0).supervise("parsers", members: 1, crashes: -1, options: $0) { 0 }
    },
    Mistake("fewer restarts than none", "the limit of restarts must be 0 or more, not -1 (CompoundsTests/") { _ in
      _ = Supervisor.Restarts(-1)
    },
    Mistake("a buffered channel without a buffer", "the capacity must be 1 or more, not 0") {
      _ = Channel<Int>(.buffered(0), options: $0)
    },
    Mistake("ticks without a period", "the period of 'tick' must be a microsecond or more, not 0.0 seconds") {
      _ = Channel.ticks(every: .zero, options: $0)
    },
    Mistake(awaiting: "fewer values of a generator than none", "the number of values must be 0 or more, not -1") {
      _ = try! await Generator<Int>(options: $0) { _ in }.take(-1)
    },
    Mistake("fewer reducers than one", "the number of reducers must be 1 to 1048576, not 0") {
      _ = try! blocking.mapReduce([1], into: 0, reducers: 0, options: $0, map: { $0 }, reduce: +=, combine: +=)
    },
    Mistake(awaiting: "fewer values of a channel than none", "the number of values must be 0 or more, not -1") {
      _ = try! await Channel<Int>(.unbounded, options: $0).receive(count: -1)
    },
    Mistake("fewer values of a generator than none, for a thread", "the number of values must be 0 or more, not -1") {
      _ = try! Generator<Int>(options: $0) { _ in }.blocking.take(-1)
    },
    Mistake("a thread that waits for what may run nothing", "the concurrency must be 1 or more, not 0") {
      _ = try! blocking.runAll([1], concurrency: 0, options: $0) { $0 }
    },
    Mistake("a sum that is too large", "counter 'visits' (CompoundsTests/MisuseTests.swift:") {
      _ = try! Counter(from: .max, "visits", options: $0).add.blocking(1)
    },
    Mistake("a sum that is too small", "the sum of -9223372036854775808 and -1 overflows") {
      _ = try! Counter(from: .min, options: $0).add.blocking(-1)
    },
    Mistake("a rate of none", "the number of callers must be 1 to 1099511627776, not 0") {
      _ = RateLimiter(0, per: .seconds(1), options: $0)
    },
    Mistake("batches of nothing", "the size must be 1 or more, not 0") {
      _ = Batcher<Int>(size: 0, within: .seconds(1), options: $0) { _ in }
    },
    Mistake("batches of nothing, by key", "batches 'rows' (CompoundsTests/MisuseTests.swift:") {
      _ = Batches<Int, Int>(size: 0, within: .seconds(1), by: { $0 }, "rows", options: $0) { _, _ in }
    },
    Mistake("a pool of no connections", "the limit must be 1 to 1099511627776, not 0") {
      _ = ConnectionPool(limit: 0, options: $0) { 0 }
    },
    Mistake("a connection given back twice", "connections 'database' (CompoundsTests/MisuseTests.swift:") {
      let pool = ConnectionPool(limit: 2, "database", options: $0) { 0 }
      let connection = try! pool.take.blocking()
      pool.misuse({ $0.giveBack(connection) }, { $0.giveBack(connection) })
    },
    Mistake("a connection that nobody has taken", "gave back a connection that no caller has") {
      ConnectionPool(limit: 2, options: $0) { 0 }.misuse { pool in
        let other = ConnectionPool(limit: 2, options: .init()) { 0 }
        pool.giveBack(try! other.take.blocking())
      }
    },
    Mistake("a connection discarded and given back", "gave back a connection that no caller has") {
      let pool = ConnectionPool(limit: 2, options: $0) { 0 }
      let connection = try! pool.take.blocking()
      pool.misuse({ $0.discard(connection) }, { $0.giveBack(connection) })
    },
    Mistake("a connection given back and discarded", "discarded a connection that no caller has") {
      let pool = ConnectionPool(limit: 2, options: $0) { 0 }
      let connection = try! pool.take.blocking()
      pool.misuse({ $0.giveBack(connection) }, { $0.discard(connection) })
    },
    Mistake(awaiting: "fewer hops than none", "neurons 'graph' (CompoundsTests/MisuseTests.swift:") {
      let entrance = Entrance()
      let graph = try! NeuronGraph("graph", entrance: entrance, neurons: [], options: $0)
      _ = try! await graph.stimulate(entrance.number(1), maxHops: -1)
    },
    Mistake(awaiting: "a run without a dendrite at a time", "the concurrency must be 1 to 1099511627776, not 0") {
      _ = try! await NeuronGraph("empty", entrance: NoAxon(), neurons: [], options: $0).stimulate(concurrency: 0)
    },
    Mistake(awaiting: "jobs that may run nothing", "map and reduce 'jobs' (CompoundsTests/MisuseTests.swift:") {
      _ = try! await runAll([1], concurrency: 0, "jobs", options: $0) { $0 }
    },
    Mistake("a neuron that may never run", "neuron 'none' (CompoundsTests/MisuseTests.swift:") { _ in
      _ = Neuron("none", NoAxon(), concurrency: 0) { _ in }
    },
  ]
}

extension ConnectionPool {
  /// Takes steps, and waits after each until the pool has noticed. A thread that has made a connection may still have
  /// the pool's state, and then consumes what returns, too. Two names have no order.
  fileprivate func misuse(_ steps: (ConnectionPool) -> Void...) {
    for step in steps {
      step(self)
      control.blocking.quiet(within: patience)
    }
  }
}

private struct Entrance: Axon {
  let number = Collateral<Int>("number")
}

@Suite(.watched)
struct `Misuse of a compound` {
  @Test(arguments: Mistake.all.indices.map { $0 })
  func `Misuse of a compound ends the process with a message about it`(index: Int) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [index = index as Int] in
      await Mistake.all[index].make(.init())
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains(Mistake.all[index].message), "of \(Mistake.all[index].testDescription): \(message)")
  }
}
