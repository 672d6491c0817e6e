import CHarness
import Compounds
import Crucible

// The compounds that take values and process few of them, or process them later. A task sends number after number.
// Verified by the number of processed values. A Debounce or a Throttle processes only the first value, because its time
// is an hour. A Batcher processes full batches. The baselines are actors that are written in Swift for the same job.

extension Case {
  static let compoundTimes = [
    sent("debounce", "values sent to a Debounce, each before the time of the last one is over", expected: onlyFirst) {
      let debounce = Debounce<Int>(for: .seconds(3600), options: $0) { _ in }
      return Sending(send: { debounce.send($0) }, acted: { debounce.control.snapshot().timers.count })
    } beside: {
      let debounce = ActorDebounce()
      return Sending(send: { await debounce.send($0) }, acted: { await debounce.waiting })
    },
    sent("throttle", "values sent to a Throttle, which acts on the first one", expected: onlyFirst) {
      let acted = Sum()
      let throttle = Throttle<Int>(every: .seconds(3600), options: $0) { _ in acted.add(1) }
      return Sending(send: { throttle.send($0) }, acted: { await throttle.control.isQuiet ? acted.value : -1 })
    } beside: {
      let throttle = ActorThrottle()
      return Sending(send: { await throttle.send($0) }, acted: { await throttle.acted })
    },
    sent("batcher", "values added to a Batcher, in batches of 16", expected: inFullBatches) {
      let acted = Sum()
      let batcher = Batcher<Int>(size: 16, within: .seconds(3600), options: $0) { acted.add($0.count) }
      return Sending(send: { batcher.add($0) }, acted: { await batcher.control.isQuiet ? acted.value : -1 })
    } beside: {
      let batcher = ActorBatcher()
      return Sending(send: { await batcher.add($0) }, acted: { await batcher.acted })
    },
  ]

  private static func sent(
    _ name: String, _ summary: String, expected: @escaping @Sendable (Int) -> Int,
    _ compound: @escaping @Sendable (Soup.Options) -> Sending, beside alternative: @escaping @Sendable () -> Sending
  ) -> Case {
    Case(name, summary, .inline, threads: [1], beside: [.swiftActor]) { setting in
      let options = setting.strategy == .swiftActor ? nil : setting.options
      return Contender { (rounds, _) throws(Wrong) in
        let sending = options.map(compound) ?? alternative()
        let sample = TaskCrew(tasks: 1).run(rounds: rounds) { _ in
          for round in 0..<rounds {
            await sending.send(round)
            harness_opaque()
          }
        }
        let acted = Sum()
        _ = TaskCrew(tasks: 1).run(rounds: 1) { _ in acted.add(await sending.acted()) }
        try Wrong.unlessEqual("values acted on", expected: expected(rounds), found: acted.value)
        return sample
      }
    }
  }
}

@Sendable private func onlyFirst(_ rounds: Int) -> Int { 1 }
@Sendable private func inFullBatches(_ rounds: Int) -> Int { rounds / 16 * 16 }

extension Soup.Control {
  fileprivate var isQuiet: Bool { get async { await quiet(within: .seconds(60)) } }
}

/// An object that takes values, and reports how many it processed.
private struct Sending: Sendable {
  let send: @Sendable (Int) async -> Void
  let acted: @Sendable () async -> Int
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
