import CHarness
import Dispatch

// Baselines of counter-state, counter-value and agent: an actor that tasks call, and a serial queue on which threads
// wait. `MutexCase` is the third.

/// Returns the baseline; nil for a matcher.
func counterBaseline(_ setting: Setting, replies: Bool) -> (any Contender)? {
  switch setting.strategy {
  case .swiftMutex: MutexCase(setting, replies: replies)
  case .swiftActor: ActorCase(setting, replies: replies)
  case .dispatchQueue: QueueCase(setting, replies: replies)
  default: nil
  }
}

private actor ActorCounter {
  private(set) var count = 0

  func increment() { count += 1 }

  func next() -> Int {
    count += 1
    return count
  }
}

private final class ActorCase: Contender {
  private let crew: TaskCrew
  private let replies: Bool
  private let counter = ActorCounter()
  private var before = 0

  init(_ setting: Setting, replies: Bool) {
    crew = TaskCrew(tasks: setting.crew.threads, limit: setting.crew.limit)
    self.replies = replies
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let sum = Sum()
    let last = Sum()
    let sample = crew.run(rounds: rounds) { [counter, replies] share in
      var replied = 0
      while let portion = share.take() {
        for _ in portion {
          if replies { replied &+= await counter.next() } else { await counter.increment() }
        }
      }
      sum.add(replied)
    }
    _ = TaskCrew(tasks: 1).run(rounds: 1) { [counter] _ in last.add(await counter.count) }
    let rounds = Int(sample.rounds)
    try Wrong.unlessEqual("end value", expected: before + rounds, found: last.value)
    if replies { try checkReplies(sum.value, before: before, rounds: rounds) }
    before += rounds
    return sample
  }
}

/// A count that the queue protects.
private final class QueueCounter: @unchecked Sendable {
  let queue = DispatchQueue(label: "counter")
  var count = 0
}

private final class QueueCase: Contender {
  private let crew: Crew
  private let replies: Bool
  private let counter = QueueCounter()

  init(_ setting: Setting, replies: Bool) {
    crew = setting.crew
    self.replies = replies
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let before = counter.queue.sync { counter.count }
    let sum = Sum()
    let work = QueueAndCount(counter: counter, replies: replies ? sum : nil)
    var sample = crew.run(Job(work), rounds: rounds, recorders: recorders)
    let rounds = Int(sample.rounds)
    sample.reactions = sample.rounds
    try Wrong.unlessEqual("end value", expected: before + rounds, found: counter.queue.sync { counter.count })
    if replies { try checkReplies(sum.value, before: before, rounds: rounds) }
    return sample
  }
}

private struct QueueAndCount: ThreadWork {
  let counter: QueueCounter
  let replies: Sum?

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    guard let replies else {
      return share.forEachRound { _ in
        probe.measure { counter.queue.sync { counter.count += 1 } }
      }
    }
    var sum = 0
    share.forEachRound { _ in
      sum &+= probe.measure {
        counter.queue.sync {
          counter.count += 1
          return counter.count
        }
      }
    }
    replies.add(sum)
  }
}

/// Checks that each number from `before` + 1 on was replied once.
func checkReplies(_ sum: Int, before: Int, rounds: Int) throws(Wrong) {
  let expected = rounds &* before &+ Int(sumOfNumbers(below: rounds + 1))
  try Wrong.unlessEqual("sum of the replies", expected: expected, found: sum)
}
