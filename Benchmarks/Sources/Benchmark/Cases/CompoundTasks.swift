import Compounds
import Crucible
import Synchronization

// The compounds that tasks call for a reply, against Swift's means for the same. Verified by the sum of the replies,
// each of which is 1.

extension Case {
  static let compoundTasks = [
    asked("cache", "tasks ask a Cache for a value that is known") { options in
      let cache = Cache<Int, Int>(options: options) { _ in 1 }
      return { (try? await cache.value(7)) ?? 0 }
    } besideDesk: { desk in
      { await desk.value(of: 7) }
    }.only(.locked),
    asked("once", "tasks ask a Once whose value is made") { options in
      let once = Once(options: options) { 1 }
      return { (try? await once.value()) ?? 0 }
    } besideDesk: { desk in
      { await desk.value() }
    },
    asked("counter-add", "tasks add to a Counter") { options in
      let counter = Counter(options: options)
      return { (try? await counter.add(1)) == nil ? 0 : 1 }
    } besideDesk: { desk in
      { await desk.add(1) > 0 ? 1 : 0 }
    },
    asked("switch", "tasks turn a Switch on") { options in
      let door = Switch(options: options)
      return { (try? await door.turnOn()) == nil ? 0 : 1 }
    } besideDesk: { desk in
      { await desk.turnOn() }
    },
    asked("agent-pool", "tasks ask an AgentPool of two to count") { options in
      let pool = AgentPool(members: 2, options: options) { 0 }
      return { (try? await pool.ask { count in count += 1 }) == nil ? 0 : 1 }
    } besideDesk: { desk in
      { await desk.add(1) > 0 ? 1 : 0 }
    },
    asked("supervisor", "tasks ask a supervised Agent to count") { options in
      let supervisor = Supervisor(options: options)
      guard let agent = try? supervisor.supervise("counter", options: options, make: { 0 }) else { return { 0 } }
      return {
        defer { withExtendedLifetime(supervisor) {} }
        return (try? await agent.ask { count in count += 1 }) == nil ? 0 : 1
      }
    } besideDesk: { desk in
      { await desk.add(1) > 0 ? 1 : 0 }
    }.only(.arrival),
    asked("connection-pool", "tasks take one of two connections, and give it back") { options in
      let pool = ConnectionPool(limit: 2, options: options) { 1 }
      return { (try? await pool.withConnection { $0 }) ?? 0 }
    } besideDesk: { desk in
      {
        guard let connection = await desk.take() else { return 0 }
        await desk.giveBack(connection)
        return connection
      }
    },
    asked("event", "tasks wait for an AsyncEvent that is set", by: .continuations) { options in
      let event = AsyncEvent(isSet: true, options: options)
      return { (try? await event.wait()) == nil ? 0 : 1 }
    } beside: {
      let promise = MutexPromise()
      promise.fulfil(1)
      return { await promise.value() }
    },
    asked("latch", "a CountDownLatch is made, counted down, and awaited", threads: [1], by: .continuations) { options in
      return {
        let latch = CountDownLatch(1, options: options)
        latch.countDown()
        return (try? await latch.wait()) == nil ? 0 : 1
      }
    } beside: {
      return {
        let promise = MutexPromise()
        promise.fulfil(1)
        return await promise.value()
      }
    },
    asked("generator", "a task asks a Generator for values", threads: [1], by: .asyncStream) { options in
      let ones = Generator<Int>(options: options) { yield in while true { try await yield(1) } }
      return { (try? await ones.next()) ?? 0 }
    } beside: {
      let ones = AsyncStream(unfolding: { 1 })
      return {
        var iterator = ones.makeAsyncIterator()
        return await iterator.next() ?? 0
      }
    },
    asked("coroutine", "a task gives a Coroutine a value, and gets one", threads: [1], by: .asyncStream) { options in
      let echo = Coroutine<Int, Int>(options: options) { first, yield in
        var number = first
        while true { number = try await yield(number) }
      }
      return { (try? await echo.next(1)) ?? 0 }
    } beside: {
      let echo = StreamEcho()
      return { await echo.next(1) ?? 0 }
    },
    asked("exchanger", "two child tasks swap numbers by an Exchanger", threads: [1], by: .continuations) { options in
      let exchanger = Exchanger<Int>(options: options)
      return {
        async let zero = exchanger.exchange(1)
        async let one = exchanger.exchange(0)
        let numbers = (try? await zero, try? await one)
        return numbers == (0, 1) ? 1 : 0
      }
    } beside: {
      let exchanger = MutexExchanger()
      return {
        async let zero = exchanger.exchange(1)
        async let one = exchanger.exchange(0)
        let numbers = (await zero, await one)
        return numbers == (0, 1) ? 1 : 0
      }
    },
    asked("run-all", "16 jobs, by runAll", threads: [1], by: .taskGroup) { options in
      return { (try? await runAll(0..<16, options: options) { $0 })?.count == 16 ? 1 : 0 }
    } beside: {
      return {
        await withTaskGroup(of: Int.self) { group in
          for item in 0..<16 { group.addTask { item } }
          return await group.reduce(into: []) { $0.append($1) }.count == 16 ? 1 : 0
        }
      }
    },
    asked("map-reduce", "the sum of 16 items, by mapReduce", threads: [1], by: .taskGroup) { options in
      return {
        let sum = try? await Compounds.mapReduce(0..<16, into: 0, options: options) {
          $0
        } reduce: {
          $0 += $1
        }
        return sum == 120 ? 1 : 0
      }
    } beside: {
      return {
        let sum = await withTaskGroup(of: Int.self) { group in
          for item in 0..<16 { group.addTask { item } }
          return await group.reduce(0, +)
        }
        return sum == 120 ? 1 : 0
      }
    },
    asked(
      "neurons", "a run of a NeuronGraph in which two neurons pass a number on", threads: [1], by: .swiftActor
    ) { options in
      let (entrance, first, second) = (Outgoing("in"), Outgoing("middle"), Outgoing("out"))
      let graph = try? NeuronGraph(
        entrance: entrance,
        neurons: [
          Neuron("first", first) { $0.dendrite(entrance.number) { number, axon in [axon.number(number)] } },
          Neuron("second", second) { $0.dendrite(first.number) { number, axon in [axon.number(number)] } },
        ], options: options)
      return { (try? await graph?.stimulate(entrance.number(1)))?.values(of: second.number).first ?? 0 }
    } beside: {
      let first = Stage(next: Stage(next: nil))
      return { await first.pass(1) }
    }.only(.arrival),
    asked("meeting", "two child tasks swap numbers by a Rendezvous", threads: [1], by: .continuations) { options in
      let desk = Rendezvous<Int, Int>(options: options)
      return {
        async let zero = desk.left(1)
        async let one = desk.right(0)
        let numbers = (try? await zero, try? await one)
        return numbers == (0, 1) ? 1 : 0
      }
    } beside: {
      return {
        let (left, right) = (MutexPromise(), MutexPromise())
        func meet(_ mine: MutexPromise, _ number: Int, _ other: MutexPromise) async -> Int {
          mine.fulfil(number)
          return await other.value()
        }
        async let zero = meet(left, 1, right)
        async let one = meet(right, 0, left)
        let numbers = (await zero, await one)
        return numbers == (0, 1) ? 1 : 0
      }
    },
    asked("cancelable", "a Cancelable takes 16 steps, to its end", threads: [1], by: .asyncLet) { options in
      return {
        let steps = Cancelable(from: 0, options: options) { number in
          number += 1
          return number < 16
        }
        let last: Int? = (try? await steps.result()) ?? nil
        return last == 16 ? 1 : 0
      }
    } beside: {
      return {
        async let last = {
          var number = 0
          while !Task.isCancelled && number < 16 { number += 1 }
          return number
        }()
        return await last == 16 ? 1 : 0
      }
    },
    asked("topic", "a Topic delivers a value to two subscribers", threads: [1], by: .swiftActor) { options in
      let topic = Topic<Int>(options: options)
      let delivered = Sum()
      for _ in 0..<2 {
        _ = try? topic.subscribe(options: .init(matcher: options.matcher, placement: .inline)) { delivered.add($0) }
      }
      return {
        let before = delivered.value
        topic.publish(1)
        return delivered.value == before + 2 ? 1 : 0
      }
    } beside: {
      let hub = Hub()
      let delivered = Sum()
      return {
        let before = delivered.value
        await hub.publish(1, delivered)
        return delivered.value == before + 2 ? 1 : 0
      }
    },
    asked("rate-limiter", "tasks pass a RateLimiter that has permits left", by: .swiftActor) { options in
      let limiter = RateLimiter(1 << 20, per: .milliseconds(20), options: options)
      return { (try? await limiter.pass()) == nil ? 0 : 1 }
    } beside: {
      let bucket = Bucket(1 << 20, per: .milliseconds(20))
      return { await bucket.pass() ? 1 : 0 }
    },
  ]

  private static func asked(
    _ name: String, _ summary: String, _ compound: @escaping @Sendable (Soup.Options) -> Round,
    besideDesk alternative: @escaping @Sendable (Desk) -> Round
  ) -> Case {
    asked(name, summary, by: .swiftActor, compound) { alternative(Desk()) }
  }

  private static func asked(
    _ name: String, _ summary: String, threads: [Int] = [2], by baseline: Strategy,
    _ compound: @escaping @Sendable (Soup.Options) -> Round, beside alternative: @escaping @Sendable () -> Round
  ) -> Case {
    Case(name, summary, .inline, threads: threads, beside: [baseline]) { setting in
      tasks(setting, setting.strategy == baseline ? alternative() : compound(setting.options))
    }.needingProcessors()
  }
}

private struct Outgoing: Axon {
  let number: Collateral<Int>

  init(_ label: String) { number = Collateral(label) }
}

/// An actor that passes a number to the next one.
private actor Stage {
  private let next: Stage?

  init(next: Stage?) { self.next = next }

  func pass(_ number: Int) async -> Int { await next?.pass(number) ?? number }
}

/// A task that gets numbers from one stream, and returns them by another.
private final class StreamEcho: Sendable {
  private let ask: AsyncStream<Int>.Continuation
  private let answers: AsyncStream<Int>

  init() {
    let (questions, ask) = AsyncStream.makeStream(of: Int.self)
    let (answers, answer) = AsyncStream.makeStream(of: Int.self)
    (self.ask, self.answers) = (ask, answers)
    Task.detached { for await number in questions { answer.yield(number) } }
  }

  deinit { ask.finish() }

  func next(_ number: Int) async -> Int? {
    ask.yield(number)
    var iterator = answers.makeAsyncIterator()
    return await iterator.next()
  }
}

/// A hand-written exchanger: the caller that waits for a partner, under a mutex.
private final class MutexExchanger: Sendable {
  private let waiting = Mutex<(number: Int, task: CheckedContinuation<Int, Never>)?>(nil)

  func exchange(_ number: Int) async -> Int {
    await withCheckedContinuation { task in
      let partner = waiting.withLock { waiting in
        defer { waiting = waiting == nil ? (number, task) : nil }
        return waiting
      }
      guard let partner else { return }
      partner.task.resume(returning: number)
      task.resume(returning: partner.number)
    }
  }
}

/// An actor that informs two subscribers.
private actor Hub {
  private var subscribers: [@Sendable (Int, Sum) -> Void] = [{ $1.add($0) }, { $1.add($0) }]

  func publish(_ number: Int, _ delivered: Sum) {
    for subscriber in subscribers { subscriber(number, delivered) }
  }
}

/// An actor that keeps the times of its callers for as long as the interval.
private actor Bucket {
  private let count: Int
  private let interval: Duration
  private var passed: [ContinuousClock.Instant] = []
  private var first = 0

  init(_ count: Int, per interval: Duration) {
    self.count = count
    self.interval = interval
  }

  func pass() -> Bool {
    let now = ContinuousClock.now
    while first < passed.count, passed[first] + interval <= now { first += 1 }
    if first > 1024 && first > passed.count / 2 {
      passed.removeFirst(first)
      first = 0
    }
    guard passed.count - first < count else { return false }
    passed.append(now)
    return true
  }
}

/// An actor that does the job of these compounds.
private actor Desk {
  private let table = [7: 1]
  private let made: Int? = 1
  private var count = 0
  private var isOn = false
  private var idle = [1, 1]

  func value(of key: Int) -> Int { table[key] ?? 0 }
  func value() -> Int { made ?? 0 }
  func add(_ number: Int) -> Int {
    count += number
    return count
  }
  func turnOn() -> Int {
    isOn = true
    return isOn ? 1 : 0
  }
  func take() -> Int? { idle.popLast() }
  func giveBack(_ connection: Int) { idle.append(connection) }
}
