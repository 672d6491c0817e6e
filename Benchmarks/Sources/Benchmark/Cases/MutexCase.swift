import CHarness
import Synchronization

/// Baseline of the counters: Swift's `Mutex` around the same body.
final class MutexCase: Contender {
  private let crew: Crew
  private let replies: Bool
  private let counter = MutexCounter()

  init(_ setting: Setting, replies: Bool) {
    crew = setting.crew
    self.replies = replies
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let before = counter.count.withLock { $0 }
    let sum = Sum()
    var sample =
      replies
      ? crew.run(Job(LockAndReply(counter: counter, replies: sum)), rounds: rounds, recorders: recorders)
      : crew.run(Job(LockAndCount(counter: counter)), rounds: rounds, recorders: recorders)
    let rounds = Int(sample.rounds)
    sample.reactions = sample.rounds
    try Wrong.unlessEqual("end value", expected: before + rounds, found: counter.count.withLock { $0 })
    if replies { try checkReplies(sum.value, before: before, rounds: rounds) }
    return sample
  }
}

private final class MutexCounter: Sendable {
  let count = Mutex(0)
}

private struct LockAndCount: ThreadWork {
  let counter: MutexCounter

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { _ in
      probe.measure { counter.count.withLock { $0 += 1 } }
    }
  }
}

private struct LockAndReply: ThreadWork {
  let counter: MutexCounter
  let replies: Sum

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    var sum = 0
    share.forEachRound { _ in
      sum &+= probe.measure {
        counter.count.withLock { count in
          count += 1
          return count
        }
      }
    }
    replies.add(sum)
  }
}
