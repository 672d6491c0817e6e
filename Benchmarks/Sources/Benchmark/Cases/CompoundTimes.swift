import CHarness
import Compounds
import Crucible

// The compounds that take values and process few of them, or process them later. A task sends number after number.
// Verified by the number of processed values. A Debounce or a Throttle processes only the first value, because its time
// is an hour. A Batcher processes full batches. The baselines are actors that are written in Swift for the same job.

extension Case {
  static let compoundTimes = [
    sent("debounce", "values sent to a Debounce, each before the time of the last one is over") { options in
      let debounce = Debounce<Int>(for: .seconds(3600), options: options) { _ in }
      return Sending {
        debounce.send($0)
      } acted: {
        debounce.control.snapshot().timers.count
      }
    } beside: {
      let debounce = ActorDebounce()
      return Sending {
        await debounce.send($0)
      } acted: {
        await debounce.waiting
      }
    } expected: { _ in
      1
    },
    sent("throttle", "values sent to a Throttle, which acts on the first one") { options in
      let acted = Sum()
      let throttle = Throttle<Int>(every: .seconds(3600), options: options) { _ in acted.add(1) }
      return Sending {
        throttle.send($0)
      } acted: {
        await throttle.control.quiet(within: .seconds(60)) ? acted.value : -1
      }
    } beside: {
      let throttle = ActorThrottle()
      return Sending {
        await throttle.send($0)
      } acted: {
        await throttle.acted
      }
    } expected: { _ in
      1
    },
    sent("batcher", "values added to a Batcher, in batches of 16") { options in
      let acted = Sum()
      let batcher = Batcher<Int>(size: 16, within: .seconds(3600), options: options) { acted.add($0.count) }
      return Sending {
        batcher.add($0)
      } acted: {
        await batcher.control.quiet(within: .seconds(60)) ? acted.value : -1
      }
    } beside: {
      let batcher = ActorBatcher()
      return Sending {
        await batcher.add($0)
      } acted: {
        await batcher.acted
      }
    } expected: { rounds in
      rounds / 16 * 16
    },
  ]

  private static func sent(
    _ name: String, _ summary: String, _ compound: @escaping @Sendable (Soup.Options) -> Sending,
    beside alternative: @escaping @Sendable () -> Sending, expected: @escaping @Sendable (Int) -> Int
  ) -> Case {
    Case(name: name, summary: summary, place: .inline, onlyThreads: [1], baselines: [.swiftActor]) { setting in
      if setting.strategy == .swiftActor { return SendCase(expected, alternative) }
      return SendCase(expected) { [matcher = setting.matcher] in compound(Soup.Options(matcher: matcher)) }
    }
  }
}

/// An object that takes values, and reports how many it processed.
private struct Sending {
  let send: @Sendable (Int) async -> Void
  let acted: @Sendable () async -> Int

  init(_ send: @escaping @Sendable (Int) async -> Void, acted: @escaping @Sendable () async -> Int) {
    self.send = send
    self.acted = acted
  }
}

private final class SendCase: Contender {
  private let crew = TaskCrew(tasks: 1)
  private let expected: @Sendable (Int) -> Int
  private let make: () -> Sending

  init(_ expected: @escaping @Sendable (Int) -> Int, _ make: @escaping () -> Sending) {
    self.expected = expected
    self.make = make
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let sending = make()
    let sample = crew.run(rounds: rounds) { [send = sending.send] _ in
      for round in 0..<rounds { await send(round) }
    }
    let acted = Sum()
    _ = TaskCrew(tasks: 1).run(rounds: 1) { [count = sending.acted] _ in acted.add(await count()) }
    try Wrong.unlessEqual("values acted on", expected: expected(rounds), found: acted.value)
    return sample
  }
}

private actor ActorDebounce {
  private(set) var waiting = 0
  private var last: Task<Void, Never>?

  func send(_ number: Int) {
    if let last {
      last.cancel()
      waiting -= 1
    }
    waiting += 1
    last = Task {
      try? await Task.sleep(for: .seconds(3600))
      if !Task.isCancelled { waiting -= 1 }
    }
  }

  deinit { last?.cancel() }
}

private actor ActorThrottle {
  private(set) var acted = 0
  private var latest: Int?
  private var next: ContinuousClock.Instant?

  func send(_ number: Int) {
    let now = ContinuousClock.now
    if let next, now < next {
      latest = number
    } else {
      next = now + .seconds(3600)
      acted += 1
    }
  }
}

private actor ActorBatcher {
  private(set) var acted = 0
  private var items: [Int] = []
  private var timer: Task<Void, Never>?

  func add(_ item: Int) {
    items.append(item)
    if items.count == 16 {
      flush()
    } else if items.count == 1 {
      timer = Task {
        try? await Task.sleep(for: .seconds(3600))
        if !Task.isCancelled { flush() }
      }
    }
  }

  private func flush() {
    timer?.cancel()
    timer = nil
    acted += items.count
    items = []
  }

  deinit { timer?.cancel() }
}
