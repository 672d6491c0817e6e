import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Glibc
import Testing

/// A compound whose contract has a *before*, and a sequential model of it. What callers swap (by exchangers and
/// rendezvous) has no such model: the tests of these compounds find it in one place, always.
struct Modelled: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Runs one random history. Returns it if no order of its steps explains it.
  let trial: @Sendable (Soup.Options, UInt64) async throws -> String?

  static let all = [
    event, gate, latch, lock, semaphore, readers, locks, barrier, limiter, channel, buffer, counter, cache, dedup,
    debounce, throttle, batcher, promise, once, topic, publications, agent, asyncAgent, keyedLimiter, correlator,
    batches, windows, connections, agents, generator, coroutine,
  ]

  /// The reply to a call that waits for some microseconds, or not; nil if it was in vain. Such a call may be in vain at
  /// any time, because another thread may hold the compound up.
  @available(*, noasync)
  private static func attempt<Input, Output>(
    _ name: FastInjector<Input, Output>, _ input: Input, _ random: inout Seeded
  ) throws -> Output? {
    try name.blockingOutcome(input, within: limit(&random)).inTime()
  }

  private static func limit(_ random: inout Seeded) -> Duration {
    .nanoseconds(max(0, Int.random(in: -10_000...20_000, using: &random)))
  }

  private enum Signal: Sendable { case ask, turnOn, turnOff, pass }

  private struct Position: Hashable {
    var isOn = false
    var waiting = 0

    /// What asks passes at that moment, or with the next one that turns on.
    mutating func apply(_ signal: Signal) -> Bool {
      switch signal {
      case .ask: if !isOn { waiting += 1 }
      case .turnOn: self = Position(isOn: true)
      case .turnOff: isOn = false
      case .pass: return isOn
      }
      return true
    }
  }

  private static let event = Modelled(testDescription: "an event") { options, seed in
    let (event, recorder) = (AsyncEvent(options: options), Recorder<Signal>())
    let waiting = (0..<24).map { _ in Task { try await event.wait() } }
    await event.control.expectWaiting(waiting.count)
    for _ in waiting { recorder.record { .ask } }
    try await recorder.run(seed: seed) { random, _ in
      try recorder.record {
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
          try event.set.blocking()
          return .turnOn
        case 1, 2:
          try event.reset.blocking()
          return .turnOff
        default: return try attempt(event.wait, (), &random) == nil ? nil : .pass
        }
      }
    }
    await event.control.quiet(within: patience)
    let left = event.control.snapshot()["wait"]
    try await event.set()
    for waiter in waiting { try await waiter.value }
    return recorder.unexplained(from: Position()) {
      $0.apply($1)
    } finally: {
      $0.waiting == left
    }
  }

  private static let gate = Modelled(testDescription: "a switch") { options, seed in
    let (gate, recorder, asked, ran) = (Switch(options: options), Recorder<Signal>(), Tally(), Tally())
    try await recorder.run(seed: seed) { random, _ in
      try recorder.record {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          try gate.turnOn.blocking()
          return .turnOn
        case 1:
          try gate.turnOff.blocking()
          return .turnOff
        default:
          asked.add()
          gate.request { ran.add() }
          return .ask
        }
      }
    }
    await gate.control.quiet(within: patience)
    let left = gate.control.snapshot()["request"]!
    return recorder.unexplained(from: Position()) {
      $0.apply($1)
    } finally: {
      $0.waiting == left && ran.count == asked.count - left
    }
  }

  private static let latch = Modelled(testDescription: "a latch") { options, seed in
    let (latch, recorder) = (CountDownLatch(3, options: options), Recorder<Signal>())
    try await recorder.run(seed: seed) { random, number in
      try recorder.record {
        if number % 100 == 2 {
          latch.countDown()
          return .ask
        }
        return try attempt(latch.wait, (), &random) == nil ? nil : .pass
      }
    }
    try await latch.wait()
    try await CountDownLatch(0, options: options).wait(within: .zero)
    return recorder.unexplained(from: 3) { missing, signal in
      if signal == .ask { missing -= 1 }
      return signal == .ask || missing == 0
    }
  }

  private static let lock = permits("a lock", 1, "free") { options in
    let lock = Lock(options: options)
    return (lock.control, lock.acquire, { lock.release() })
  }

  private static let semaphore = permits("a semaphore", 2, "permit") { options in
    let semaphore = Semaphore(permits: 2, options: options)
    return (semaphore.control, semaphore.acquire, { semaphore.release() })
  }

  /// A compound of `count` permits, whose name is `label`. `make` returns how to take one, and how to give it back.
  private static func permits(
    _ title: String, _ count: Int, _ label: String,
    _ make: @escaping @Sendable (Soup.Options) -> (Soup.Control, FastInjector<Void, Void>, @Sendable () -> Void)
  ) -> Modelled {
    Modelled(testDescription: title) { options, seed in
      let ((control, acquire, release), recorder) = (make(options), Recorder<Int>())
      try await recorder.run(seed: seed) { random, _ in
        let taken = try recorder.record { try attempt(acquire, (), &random) == nil ? nil : -1 }
        if taken == nil { return }
        recorder.record {
          release()
          return 1
        }
      }
      await control.expectRest(["\(label) \(count)"])
      return recorder.unexplained(from: count) { permits, change in
        permits += change
        return permits >= 0
      }
    }
  }

  private static let readers = Modelled(testDescription: "a lock of readers and writers") { options, seed in
    let (lock, recorder) = (ReadWriteLock(options: options), Recorder<Int>())
    try await recorder.run(seed: seed) { random, _ in
      let access: ReadWriteLock.Access = Bool.random(using: &random) ? .reading : .writing
      let weight = access == .reading ? 1 : 3  // a writer fills the room of three threads
      let entered = try recorder.record { try attempt(lock.enter, access, &random) == nil ? nil : weight }
      if entered == nil { return }
      recorder.record {
        lock.leave(access)
        return -weight
      }
    }
    await lock.control.expectRest(["turn 1", "room 1"])
    return recorder.unexplained(from: 0) { inside, weight in
      inside += weight
      return inside <= 3
    }
  }

  /// A key that is entered, or left if it is negative.
  private static let locks = Modelled(testDescription: "locks by key") { _, seed in
    let (locks, recorder) = (KeyedLock<Int>(), Recorder<Int>())
    try await recorder.run(seed: seed) { random, _ in
      let key = Int.random(in: 1...2, using: &random)
      let begin = recorder.tick()
      do {
        let end = try locks.blocking.withLock(key, within: limit(&random)) {
          recorder.record(key, since: begin)
          sched_yield()
          return recorder.tick()
        }
        recorder.record(-key, since: end)
      } catch {
        if error as? CallError != .timedOut { throw error }
      }
    }
    await locks.control.expectRest([])
    return recorder.unexplained(from: Set<Int>()) { held, key in
      key > 0 ? held.insert(key).inserted : held.remove(-key) != nil
    }
  }

  /// A reply that is delivered, or taken if it is negative.
  private static let correlator = Modelled(testDescription: "a correlator") { _, seed in
    let (unclaimed, recorder) = (Tally(), Recorder<Int>())
    let replies = Correlator<Int, Int> { _, _ in unclaimed.add() }
    try await recorder.run(seed: seed) { random, number in
      try recorder.record {
        if Bool.random(using: &random) { return replies.deliver(number, for: number % 2) ? number : nil }
        return try attempt(replies.reply, number % 2, &random).map { $0 % 2 == number % 2 ? -$0 : 0 }
      }
    }
    await replies.control.quiet(within: patience)
    let left = replies.control.snapshot()["arrived"]
    return recorder.unexplained(from: Set<Int>()) { arrived, reply in
      reply > 0 ? arrived.insert(reply).inserted : arrived.remove(-reply) != nil
    } finally: {
      $0.count == left && unclaimed.count == 0
    }
  }

  /// A caller that comes to a barrier, and one that goes on.
  private static let barrier = Modelled(testDescription: "a barrier") { options, seed in
    let (barrier, recorder) = (Barrier(parties: 3, options: options), Recorder<(number: Int, goesOn: Bool)>())
    try await recorder.run(seed: seed) { _, number in
      let begin = recorder.tick()
      try barrier.arrive.blocking()
      for goesOn in [false, true] { recorder.record((number, goesOn), since: begin) }
    }
    return recorder.unexplained(from: [Int]()) { come, step in
      if !step.goesOn {
        come.append(step.number)
        return true
      }
      return come.firstIndex(of: step.number).map { come.count >= 3 * ($0 / 3 + 1) } ?? false
    }
  }

  private struct Passed: Hashable {
    var now = 0
    var moments: [Int] = []
  }

  /// Milliseconds by which a thread advances the clock, or 0 for a caller that passes.
  private static let limiter = Modelled(testDescription: "a rate limiter") { options, seed in
    let (clock, recorder) = (ManualClock(), Recorder<Int>())
    let limiter = RateLimiter(2, per: .milliseconds(3), options: .init(matcher: options.matcher, clock: clock))
    try await recorder.run(seed: seed) { random, _ in
      try recorder.record {
        let time = max(0, Int.random(in: -2...2, using: &random))
        clock.advance(by: .milliseconds(time))
        if time > 0 { return time }
        return try limiter.pass.blockingOutcome((), within: .zero).inTime().map { 0 }
      }
    }
    await limiter.control.quiet(within: patience)
    await limiter.control.settle(clock, advancedBy: .milliseconds(3))
    await limiter.control.expectRest(["permit 2"])
    return recorder.unexplained(from: Passed()) { passed, time in
      passed.now += time
      if time > 0 { return true }
      passed.moments.removeAll { $0 + 3 <= passed.now }
      passed.moments.append(passed.now)
      return passed.moments.count <= 2
    }
  }

  private enum Turn: Sendable {
    case advanced
    case waits(Int, Int)
    case tried(Int, wait: Duration)
  }

  private struct Buckets: Hashable {
    var now = Duration.zero
    var full: [Int: Duration] = [:]
    var waiting: [Int: Int] = [:]

    /// While other callers wait, an attempt has to wait longer.
    mutating func apply(_ turn: Turn) -> Bool {
      switch turn {
      case .advanced: now += .seconds(1)
      case .waits(let key, let change): waiting[key, default: 0] += change
      case .tried(let key, let time):
        let begin = max(full[key, default: now], now)
        let wait = max(begin - now - .seconds(2), .zero)
        if time == .zero { full[key] = begin + .seconds(2) }
        return time == wait || waiting[key, default: 0] > 0 && time == max(wait, .seconds(2))
      }
      return waiting.values.allSatisfy { $0 >= 0 }
    }
  }

  private static let keyedLimiter = Modelled(testDescription: "a rate limiter by key") { _, seed in
    let (clock, recorder) = (ManualClock(), Recorder<Turn>())
    let limiter = KeyedRateLimiter<Int>(2, per: .seconds(4), options: .init(clock: clock))
    try await recorder.run(seed: seed) { random, _ in
      let (key, begin) = (Int.random(in: 1...2, using: &random), recorder.tick())
      try recorder.record {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          clock.advance(by: .seconds(1))
          return .advanced
        case 1: return .tried(key, wait: try limiter.attempt.blocking(key) ?? .zero)
        default:
          let isPassed = try limiter.pass.blockingOutcome(key, within: .zero).inTime() != nil
          for change in [1, -1] { recorder.record(.waits(key, change), since: begin) }
          return isPassed ? .tried(key, wait: .zero) : nil
        }
      }
    }
    for _ in 0..<3 { await limiter.control.settle(clock, advancedBy: .seconds(4)) }
    await limiter.control.expectRest([])
    return recorder.unexplained(from: Buckets()) { $0.apply($1) }
  }

  private enum Passage: Sendable {
    case sent(Int, Bool)
    case received(Int?)
    case closed(Bool)
  }

  private struct Line: Hashable {
    var values: [Int] = []
    var isClosed = false

    mutating func apply(_ passage: Passage) -> Bool {
      switch passage {
      case .sent(let value, let isSent):
        if isSent { values.append(value) }
        return isSent ? !isClosed && values.count <= 2 : isClosed || values.count == 2
      case .received(let value): return value == (values.isEmpty ? nil : values.removeFirst())
      case .closed(let wasOpen):
        defer { isClosed = true }
        return wasOpen != isClosed
      }
    }
  }

  private static let channel = Modelled(testDescription: "a channel") { options, seed in
    let (channel, recorder) = (Channel<Int>(.buffered(2), options: options), Recorder<Passage>())
    try await recorder.run(seed: seed) { random, number in
      recorder.record {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: .closed(channel.close())
        case 1...6: .sent(number, channel.trySend(number))
        default: .received(channel.tryReceive())
        }
      }
    }
    return recorder.unexplained(from: Line()) { $0.apply($1) }
  }

  private static let buffer = Modelled(testDescription: "a buffer") { options, seed in
    let (buffer, recorder) = (BoundedBuffer<Int>(capacity: 2, options: options), Recorder<Passage>())
    try await recorder.run(seed: seed) { random, number in
      try recorder.record {
        if Bool.random(using: &random) { return try attempt(buffer.put, number, &random).map { .sent(number, true) } }
        return try attempt(buffer.take, (), &random).map { .received($0) }
      }
    }
    await buffer.control.quiet(within: patience)
    let left = buffer.control.snapshot()["full"]
    return recorder.unexplained(from: Line()) {
      $0.apply($1)
    } finally: {
      $0.values.count == left
    }
  }

  private static let counter = Modelled(testDescription: "a counter") { options, seed in
    let (counter, recorder) = (Counter(options: options), Recorder<(added: Int, sum: Int)>())
    try await recorder.run(seed: seed) { random, number in
      let more = Int.random(in: 0...1, using: &random)
      try recorder.record { (more, try more == 0 ? counter.value.blocking() : counter.add.blocking(more)) }
    }
    return recorder.unexplained(from: 0) { sum, step in
      sum += step.added
      return sum == step.sum
    }
  }

  private enum Memory: Sendable {
    case got(Int)
    case forgot(Int)
  }

  private struct Known: Hashable {
    var value: Int?
    var forgotten = 0

    /// A value that is made anew was begun after the last `forget` had begun.
    mutating func apply(_ step: Memory) -> Bool {
      switch step {
      case .got(let number):
        if let value { return number == value }
        value = number
        return number > forgotten
      case .forgot(let moment):
        self = Known(forgotten: moment)
        return true
      }
    }
  }

  /// Each value is the moment at which its making began.
  private static let cache = Modelled(testDescription: "a cache") { options, seed in
    let recorder = Recorder<Memory>()
    let cache = Cache<Int, Int> { _ in recorder.tick() }
    try await recorder.run(seed: seed) { random, _ in
      try recorder.record {
        if Int.random(in: 0..<3, using: &random) > 0 { return .got(try cache.value.blocking(0)) }
        let moment = recorder.tick()
        try cache.invalidate.blocking(0)
        return .forgot(moment)
      }
    }
    return recorder.unexplained(from: Known()) { $0.apply($1) }
  }

  private enum Sight: Sendable {
    case came(Int, isFirst: Bool)
    case forgot(Int)
    case advanced(Int)
  }

  private struct Seen: Hashable {
    var now = 0
    var ends: [Int: Int] = [:]

    mutating func apply(_ sight: Sight) -> Bool {
      switch sight {
      case .came(let key, let isFirst):
        let isNew = ends[key].map { $0 <= now } ?? true
        if isNew { ends[key] = now + 3 }
        return isFirst == isNew
      case .forgot(let key): ends[key] = nil
      case .advanced(let time): now += time
      }
      return true
    }
  }

  private static let dedup = Modelled(testDescription: "a dedup") { _, seed in
    let (clock, recorder) = (ManualClock(), Recorder<Sight>())
    let dedup = Dedup<Int>(for: .milliseconds(3), options: .init(clock: clock))
    try await recorder.run(seed: seed) { random, _ in
      let key = Int.random(in: 1...2, using: &random)
      try recorder.record {
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
          clock.advance(by: .milliseconds(key))
          return .advanced(key)
        case 2:
          try dedup.forget.blocking(key)
          return .forgot(key)
        default: return .came(key, isFirst: try dedup.isFirst.blocking(key))
        }
      }
    }
    return recorder.unexplained(from: Seen()) { $0.apply($1) }
  }

  private static let debounce = Modelled(testDescription: "a debounce") { options, seed in
    let acted = Log<Int>()
    let byHand = Soup.Options(matcher: options.matcher, clock: ManualClock())
    let debounce = Debounce<Int>(for: .seconds(1), options: byHand) { acted.append($0) }
    return try await unexplained({ debounce.send($0) }, of: debounce.control, seed: seed) { acted.all == [$0] }
  }

  private static let throttle = Modelled(testDescription: "a throttle") { options, seed in
    let acted = Log<Int>()
    let byHand = Soup.Options(matcher: options.matcher, clock: ManualClock())
    let throttle = Throttle<Int>(every: .seconds(1), options: byHand) { acted.append($0) }
    return try await unexplained({ throttle.send($0) }, of: throttle.control, seed: seed) {
      acted.all.count == 2 && acted.all[1] == $0
    }
  }

  private static let batcher = batching("a batcher", keys: 1) { options, act in
    let batcher = Batcher<Int>(size: 3, within: .seconds(1), options: options, act)
    return (batcher.control, { batcher.add($0) }, { _ in batcher.flush() })
  }

  private static let batches = batching("batches by key", keys: 2) { options, act in
    let batches = Batches<Int, Int>(size: 3, within: .seconds(1), by: { $0 % 2 }, options: options) { act($1) }
    return (batches.control, { batches.add($0) }, { batches.flush($0) })
  }

  private struct Filling: Hashable {
    var batch = 0
    var items = 0

    /// Whether a batch that ends here is one of these.
    mutating func close(_ batches: [[Int]]) -> Bool {
      if items == 0 { return true }
      defer { self = Filling(batch: batch + 1) }
      return items == batches[batch].count
    }
  }

  /// Batches of three numbers, by the remainder of the number. `make` returns how to add a number, and to flush a key.
  private static func batching(
    _ title: String, keys: Int,
    _ make:
      @escaping @Sendable (Soup.Options, @escaping @Sendable ([Int]) -> Void) -> (
        Soup.Control, @Sendable (Int) -> Bool, @Sendable (Int) -> Void
      )
  ) -> Modelled {
    Modelled(testDescription: title) { options, seed in
      let (acted, recorder) = (Log<[Int]>(), Recorder<(key: Int, number: Int?)>())
      let (control, add, flush) = make(.init(matcher: options.matcher, clock: ManualClock()), acted.append)
      try await recorder.run(seed: seed) { random, number in
        let key = number % keys
        recorder.record {
          if Int.random(in: 0..<3, using: &random) > 0 { return add(number) ? (key, number) : nil }
          flush(key)
          return (key, nil)
        }
      }
      await control.drain(within: patience)
      let batches = Dictionary(grouping: acted.all) { $0[0] % keys }
      return recorder.unexplained(from: [Int: Filling]()) { fillings, step in
        var filling = fillings[step.key, default: Filling()]
        defer { fillings[step.key] = filling }
        let batches = batches[step.key, default: []]
        guard let number = step.number else { return filling.close(batches) }
        if batches.dropFirst(filling.batch).first?.dropFirst(filling.items).first != number { return false }
        filling.items += 1
        return filling.items < 3 || filling.close(batches)
      } finally: { fillings in
        batches.allSatisfy { key, batches in
          var filling = fillings[key, default: Filling()]
          return filling.close(batches) && filling.batch == batches.count
        }
      }
    }
  }

  /// Values, whose last digits are their time, and times to advance to, which are negative.
  private static let windows = Modelled(testDescription: "windows") { options, seed in
    let (given, late, recorder) = (Log<Int>(), Log<Int>(), Recorder<Int>())
    let windows = Windows<Int, Int>(
      .tumbling(.seconds(10)), by: { $0 / 100 % 2 }, at: { .seconds($0 % 100) }, lateness: .seconds(5), options: options
    ) {
      late.append($0)
    } action: {
      $0.values.forEach(given.append)
    }
    try await recorder.run(seed: seed) { random, number in
      recorder.record {
        let time = Int.random(in: 1...40, using: &random)
        if Bool.random(using: &random) { return windows.add(number * 100 + time) ? number * 100 + time : nil }
        return windows.advance(.seconds(time)) ? -time : nil
      }
    }
    await windows.control.drain(within: patience)
    return recorder.unexplained(from: 0) { newest, value in
      let time = abs(value) % 100
      defer { newest = max(newest, time) }
      if value < 0 { return true }
      let isLate = time / 10 * 10 + 10 <= newest - 5
      return given.all.filter { $0 == value }.count == (isLate ? 0 : 1)
        && late.all.filter { $0 == value }.count == (isLate ? 1 : 0)
    }
  }

  private enum Use: Sendable { case idle, lent, closed }

  /// A connection, and what becomes of it. Making one of three fails.
  private static let connections = Modelled(testDescription: "a pool of connections") { options, seed in
    let (made, closed, recorder) = (Tally(), Log<Int>(), Recorder<(connection: Int, use: Use)>())
    let pool = ConnectionPool(limit: 2, options: options) {
      let number = made.add()
      if number % 3 == 0 { throw Fault() }
      return number
    } close: {
      closed.append($0)
    }
    try await recorder.run(seed: seed) { random, _ in
      let outcome = pool.take.blockingOutcome((), within: limit(&random))
      let begin = recorder.tick()
      if case .failure(.failed) = outcome { return }
      guard let connection = try outcome.inTime() else { return }
      recorder.record((connection, .lent), since: begin)
      recorder.record {
        let isBroken = Int.random(in: 0..<4, using: &random) == 0
        _ = isBroken ? pool.discard(connection) : pool.giveBack(connection)
        return (connection, isBroken ? .closed : .idle)
      }
    }
    await pool.control.expectRest(["permit 2", "stock 1"])
    let gone = Set(closed.all)
    await pool.control.drain(within: patience)
    return recorder.unexplained(from: [Int: Use]()) { uses, step in
      defer { uses[step.connection] = step.use }
      if step.use != .lent { return uses[step.connection] == .lent }
      return uses[step.connection, default: .idle] == .idle && uses.values.count { $0 == .lent } < 2
    } finally: { uses in
      gone == Set(uses.filter { $0.value == .closed }.keys)
        && closed.all.sorted() == (1...made.count).filter { $0 % 3 != 0 }
    }
  }

  private enum Settling: Sendable {
    case settled(Int, isFirst: Bool)
    case got(Int)
  }

  /// Odd numbers are errors.
  private static let promise = Modelled(testDescription: "a promise") { options, seed in
    let (promise, recorder) = (Promise<Int>(options: options), Recorder<Settling>())
    try await recorder.run(seed: seed) { random, number in
      try recorder.record {
        if Int.random(in: 0..<4, using: &random) == 0 {
          let fault = Fault(number: number)
          return .settled(number, isFirst: number % 2 == 0 ? promise.fulfil(number) : promise.reject(fault))
        }
        let outcome = promise.value.blockingOutcome((), within: limit(&random))
        if case .failure(.failed(let error)) = outcome { return .got((error as! Fault).number) }
        return try outcome.inTime().map { .got($0) }
      }
    }
    return recorder.unexplained(from: Int?.none) { settled, step in
      switch step {
      case .settled(let number, let isFirst):
        defer { settled = settled ?? number }
        return isFirst == (settled == nil)
      case .got(let number): return settled == number
      }
    }
  }

  /// The number of the attempt that made the value, or 0 for one that failed, as do two of three.
  private static let once = Modelled(testDescription: "a value made once") { options, seed in
    let (attempts, recorder) = (Tally(), Recorder<Int>())
    let once = Once(options: options) {
      let number = attempts.add()
      if number % 3 != 0 { throw Fault() }
      return number
    }
    try await recorder.run(seed: seed) { random, _ in
      try recorder.record {
        let outcome = once.value.blockingOutcome((), within: Bool.random(using: &random) ? nil : limit(&random))
        if case .failure(.failed) = outcome { return 0 }
        return try outcome.inTime()
      }
    }
    return recorder.unexplained(from: 0) { value, number in
      defer { value = max(value, number) }
      return value == 0 || value == number
    }
  }

  private enum Post: Sendable {
    case published(Int)
    case subscribed(Int)
    case ended(Int)
  }

  /// The state is what each subscriber has got, as a number of values, up to its end.
  private static let topic = Modelled(testDescription: "a topic") { options, seed in
    let (topic, recorder) = (Topic<Int>(options: options), Recorder<Post>())
    let newest = Shared<(number: Int, subscription: Topic<Int>.Subscription)>(nil)
    let subscribers = Log<(number: Int, control: Soup.Control, got: Log<Int>)>()
    try await recorder.run(seed: seed) { random, number in
      try recorder.record {
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
          let got = Log<Int>()
          let subscription = try topic.subscribe(options: options) { got.append($0) }
          subscribers.append((number, subscription.control, got))
          newest.put((number, subscription))
          return .subscribed(number)
        case 1:
          guard let (number, subscription) = newest.take() else { return nil }
          try subscription.blocking.end()
          return .ended(number)
        default:
          topic.publish(number)
          return .published(number)
        }
      }
    }
    await topic.control.settle()
    for subscriber in subscribers.all { await subscriber.control.settle() }
    let got = Dictionary(uniqueKeysWithValues: subscribers.all.map { ($0.number, $0.got.all) })
    return recorder.unexplained(from: [Int: Int]()) { counts, post in
      switch post {
      case .published(let value):
        // What follows the last value that it got is dropped by its end.
        let isWanted = counts.allSatisfy { number, count in count >= got[number]!.count || got[number]![count] == value
        }
        counts = counts.mapValues { $0 + 1 }
        return isWanted
      case .subscribed(let number):
        counts[number] = 0
        return true
      case .ended(let number): return counts.removeValue(forKey: number).map { $0 >= got[number]!.count } ?? false
      }
    } finally: { counts in
      counts.allSatisfy { number, count in count == got[number]!.count }
    }
  }

  private static let publications = Modelled(testDescription: "publications") { _, seed in
    let (publications, recorder) = (PubSub<Int, Int>(), Recorder<Int>())
    let readers = [try await publications.subscribe(to: 1), try await publications.subscribe(to: 1)]
    try await recorder.run(seed: seed) { _, number in
      try recorder.record {
        try publications.blocking.publish(number, to: 1)
        return number
      }
    }
    await publications.control.stop(within: patience)
    for reader in readers {
      let got = try await reader.reduce(into: []) { $0.append($1) }
      if let wrong = unexplained(recorder, inOrder: got) { return wrong }
    }
    return nil
  }

  /// A broadcast, or 0 for a new member. The model counts the broadcasts of each member, the oldest member first.
  private static let agents = Modelled(testDescription: "a pool of agents") { options, seed in
    let (pool, recorder, got) = (AgentPool(members: 1, options: options) { [Int]() }, Recorder<Int>(), Log<[Int]>())
    try await recorder.run(seed: seed) { random, number in
      recorder.record {
        if Int.random(in: 0..<3, using: &random) > 0 { return pool.broadcast { $0.append(number) } ? number : nil }
        pool.add(1)
        return 0
      }
    }
    await pool.control.settle()
    pool.broadcast { got.append($0) }
    await pool.control.settle()
    let logs = got.all.sorted { $0.count > $1.count }
    return recorder.unexplained(from: [0]) { counts, number in
      if number == 0 {
        counts.append(0)
        return true
      }
      counts = counts.map { $0 + 1 }
      return counts[0] <= logs[0].count && logs[0][counts[0] - 1] == number
    } finally: { counts in
      logs.elementsEqual(counts) { $0 == logs[0].suffix($1) }
    }
  }

  private typealias Asking = Recorder<(number: Int, seen: [Int]?)>

  /// Explains calls, whose numbers a compound has seen in this order, with what it had seen then. A number in vain may
  /// be missing.
  private static func unexplained(_ recorder: Asking, seeing all: [Int]) -> String? {
    recorder.unexplained(from: 0) { count, step in
      if step.seen == nil && !all.contains(step.number) { return true }
      count += 1
      return count <= all.count && all[count - 1] == step.number && step.seen.map { $0 == Array(all[..<count]) } ?? true
    } finally: {
      $0 == all.count
    }
  }

  /// Messages, and questions with what they have seen. On other matchers than `arrival` a question may overtake.
  private static func asking<Asked: Recipient<[Int]>>(
    _ title: String, _ make: @escaping @Sendable (Soup.Options) -> Asked
  ) -> Modelled {
    Modelled(testDescription: title) { options, seed in
      let (agent, recorder) = (make(options), Asking())
      try await recorder.run(seed: seed) { random, number in
        try recorder.record {
          if options.matcher == .arrival && Bool.random(using: &random) {
            agent.send { $0.append(number) }
            return (number, nil)
          }
          return (
            number,
            try agent.blocking.ask { seen in
              seen.append(number)
              return seen
            }
          )
        }
      }
      let all = try await agent.ask { $0 }
      return unexplained(recorder, seeing: all)
    }
  }

  private static let agent = asking("an agent") { options in Agent(options: options) { [Int]() } }
  private static let asyncAgent = asking("an async agent") { options in AsyncAgent(options: options) { [Int]() } }

  /// A caller that gives up has told its number, or not.
  private static let coroutine = Modelled(testDescription: "a coroutine") { options, seed in
    let recorder = Asking()
    let coroutine = Coroutine<Int, [Int]>(options: options) { first, yield in
      var seen = [first]
      while true { seen.append(try await yield(seen)) }
    }
    try await recorder.run(seed: seed) { random, number in
      try recorder.record { (number, try attempt(coroutine.next, number, &random) ?? nil) }
    }
    return unexplained(recorder, seeing: try await coroutine.next(0)!.dropLast())
  }

  private static let generator = Modelled(testDescription: "a generator") { options, seed in
    let recorder = Recorder<Int?>()
    let generator = Generator<Int>(options: options) { yield in for number in 1...8 { try await yield(number) } }
    try await recorder.run(seed: seed) { random, _ in
      try recorder.record { try attempt(generator.next, (), &random) }
    }
    return recorder.unexplained(from: 0) { last, number in
      defer { last = min(last + 1, 8) }
      return number == (last < 8 ? last + 1 : nil)
    }
  }

  private static func unexplained(_ recorder: Recorder<Int>, inOrder all: [Int]) -> String? {
    recorder.unexplained(from: 0) { count, number in
      count += 1
      return count <= all.count && all[count - 1] == number
    } finally: {
      $0 == all.count
    }
  }

  /// Sends numbers, and looks whether one that may be the last one sent is right.
  private static func unexplained(
    _ send: @escaping @Sendable (Int) -> Bool, of control: Soup.Control, seed: UInt64, isRight: (Int) -> Bool
  ) async throws -> String? {
    let recorder = Recorder<Int>()
    try await recorder.run(seed: seed) { _, number in
      recorder.record { send(number) ? number : nil }
    }
    await control.drain(within: patience)
    return recorder.unexplained(from: 0) {
      $0 = $1
      return true
    } finally: {
      isRight($0)
    }
  }
}

@Suite(.watched)
struct `Compounds beside sequential models` {
  @Test(arguments: Modelled.all, matchers)
  func `Some order of the steps explains each history of a compound`(
    modelled: Modelled, matcher: Matcher
  ) async throws {
    let seed = Run.seed(of: "histories of \(modelled.testDescription) on \(matcher)")
    for round in 0..<UInt64(scaled(40)) {
      let unexplained = try await modelled.trial(.init(matcher: matcher), seed &+ round &* 1_000)
      #expect(unexplained == nil)
      if unexplained != nil { return }
    }
  }

  @Test func `A history that no order explains is found`() {
    func history(_ moments: [(Int, Int)]) -> [Step<Int>] {
      moments.enumerated().map { Step(action: $0, begin: $1.0, end: $1.1) }
    }
    // The steps must take effect in the order of their numbers.
    func isInOrder(_ steps: [Step<Int>]) -> Bool {
      isExplained(steps, from: 0) { next, number in
        defer { next += 1 }
        return number == next
      } finally: {
        $0 == steps.count
      }
    }
    #expect(isInOrder(history([(1, 2), (3, 4), (5, 6)])))
    #expect(isInOrder(history([(5, 9), (1, 8), (7, 10)])))
    #expect(!isInOrder(history([(3, 4), (1, 2)])))
    #expect(!isInOrder(history([(3, 9), (1, 8), (2, 3)])))
  }
}
