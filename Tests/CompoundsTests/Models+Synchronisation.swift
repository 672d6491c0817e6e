import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// The models of locks, barriers, events and limits.
extension Modelled {
  static let event = Modelled(testDescription: "an event") { world, options, seed in
    let (event, recorder) = (AsyncEvent(options: options), Recorder<Signal>())
    let waiting = (0..<6).map { _ in world.task("waiting") { try await event.wait() } }
    await event.control.expectWaiting(waiting.count)
    for _ in waiting { recorder.record { .ask } }
    try await recorder.run(world, seed: seed) { random, _ in
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

  static let gate = Modelled(testDescription: "a switch") { world, options, seed in
    let (gate, recorder, asked, ran) = (Switch(options: options), Recorder<Signal>(), Tally(), Tally())
    try await recorder.run(world, seed: seed) { random, _ in
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

  static let latch = Modelled(testDescription: "a latch") { world, options, seed in
    let (latch, recorder) = (CountDownLatch(3, options: options), Recorder<Signal>())
    try await recorder.run(world, seed: seed) { random, number in
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

  /// A reply that is delivered, or taken or expired if it is negative.
  static let correlator = Modelled(testDescription: "a correlator") { world, _, seed in
    let recorder = Recorder<Int>()
    let replies = Correlator<Int, Int> { recorder.record(-$1, since: 0) }
    try await recorder.run(world, seed: seed) { random, number in
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
      $0.count == left
    }
  }

  /// A caller that comes to a barrier, and one that goes on.
  static let barrier = Modelled(testDescription: "a barrier") { world, options, seed in
    let (barrier, recorder) = (Barrier(parties: 3, options: options), Recorder<(number: Int, goesOn: Bool)>())
    try await recorder.run(world, seed: seed) { _, number in
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

  struct Passed: Hashable {
    var now = 0
    var moments: [Int] = []
  }

  /// Milliseconds by which a thread advances the clock, or 0 for a caller that passes.
  static let limiter = Modelled(testDescription: "a rate limiter") { world, options, seed in
    let (clock, recorder) = (ManualClock(), Recorder<Int>())
    let limiter = RateLimiter(2, per: .milliseconds(3), options: .init(matcher: options.matcher, clock: clock))
    try await recorder.run(world, seed: seed) { random, _ in
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

  enum Turn: Sendable {
    case advanced
    case waits(Int, Int)
    case tried(Int, wait: Duration)
  }

  struct Buckets: Hashable {
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

  static let keyedLimiter = Modelled(testDescription: "a rate limiter by key") { world, _, seed in
    let (clock, recorder) = (ManualClock(), Recorder<Turn>())
    let limiter = KeyedRateLimiter<Int>(2, per: .seconds(4), options: .init(clock: clock))
    try await recorder.run(world, seed: seed) { random, _ in
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

  enum Passage: Sendable {
    case sent(Int, Bool)
    case received(Int?)
    case closed(Bool)
  }

  struct Line: Hashable {
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
}
