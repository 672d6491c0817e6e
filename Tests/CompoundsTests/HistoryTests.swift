import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Glibc
import Testing

/// A compound whose contract has a *before*, and a sequential model of it. What callers swap or lend (by exchangers,
/// rendezvous and pools of connections) has no such model: the tests of these compounds find it in one place, always.
struct Modelled: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Runs one random history. Returns it if no order of its steps explains it.
  let trial: @Sendable (Soup.Options, UInt64) async throws -> String?

  static let all = [
    event, gate, latch, lock, semaphore, readers, locks, barrier, limiter, channel, buffer, counter, cache, dedup,
    debounce, throttle, batcher, promise, once, topic, publications, agent, asyncAgent,
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
    return try await unexplained(debounce.send, of: debounce.control, seed: seed) { acted.all == [$0] }
  }

  private static let throttle = Modelled(testDescription: "a throttle") { options, seed in
    let acted = Log<Int>()
    let byHand = Soup.Options(matcher: options.matcher, clock: ManualClock())
    let throttle = Throttle<Int>(every: .seconds(1), options: byHand) { acted.append($0) }
    return try await unexplained(throttle.send, of: throttle.control, seed: seed) {
      acted.all.count == 2 && acted.all[1] == $0
    }
  }

  private static let batcher = Modelled(testDescription: "a batcher") { options, seed in
    let (acted, recorder) = (Log<Int>(), Recorder<Int>())
    let byHand = Soup.Options(matcher: options.matcher, clock: ManualClock())
    let batcher = Batcher<Int>(size: 4, within: .seconds(1), options: byHand) { $0.forEach(acted.append) }
    try await recorder.run(seed: seed) { _, number in recorder.record { batcher.add(number) ? number : nil } }
    await batcher.control.drain(within: patience)
    return unexplained(recorder, inOrder: acted.all)
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

  /// Messages, and questions with what they have seen. On other matchers than `arrival` a question may overtake.
  private static func asking<Asked: Recipient<[Int]>>(
    _ title: String, _ make: @escaping @Sendable (Soup.Options) -> Asked
  ) -> Modelled {
    Modelled(testDescription: title) { options, seed in
      let (agent, recorder) = (make(options), Recorder<(number: Int, seen: [Int]?)>())
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
      return recorder.unexplained(from: 0) { count, step in
        count += 1
        return all[count - 1] == step.number && step.seen.map { $0 == Array(all.prefix(count)) } ?? true
      } finally: {
        $0 == all.count
      }
    }
  }

  private static let agent = asking("an agent") { options in Agent(options: options) { [Int]() } }
  private static let asyncAgent = asking("an async agent") { options in AsyncAgent(options: options) { [Int]() } }

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
    _ send: Injector<Int>, of control: Soup.Control, seed: UInt64, isRight: @escaping (Int) -> Bool
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
