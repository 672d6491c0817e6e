import CHarness
import Synchronization

/// Baseline of join2: two queues behind one Swift `Mutex`. The thread that completes a pair takes both values and runs
/// the body outside the lock. Verified like the chemistry.
func mutexJoin(_ setting: Setting) -> Contender {
  let queues = PairedQueues()
  return Contender { (rounds, recorders) throws(Wrong) in
    harness_tally_reset()
    let sample = setting.crew.run(Job(PutBoth(queues: queues)), rounds: rounds, recorders: recorders)
    try Wrong.unlessTallied(Int(sample.rounds), sum: 2 &* sumOfNumbers(below: Int(sample.rounds)))
    try Wrong.unlessEqual("values left over", expected: 0, found: queues.waiting)
    return sample
  }
}

private struct PutBoth: ThreadWork {
  let queues: PairedQueues

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in
      probe.measure { queues.put(round, left: true) }
      probe.measure { queues.put(round, left: false) }
    }
  }
}

private final class PairedQueues: Sendable {
  private let queues = Mutex((left: Queue(), right: Queue()))

  var waiting: Int { queues.withLock { $0.left.count + $0.right.count } }

  @inline(__always)
  func put(_ value: Int, left: Bool) {
    let other: Int? = queues.withLock { queues in
      if left {
        if let other = queues.right.pop() { return other }
        queues.left.push(value)
      } else {
        if let other = queues.left.pop() { return other }
        queues.right.push(value)
      }
      return nil
    }
    if let other { tally(value &+ other) }
  }
}

/// A first-in, first-out queue in an array that starts again when it is empty.
struct Queue {
  private var values: [Int] = []
  private var first = 0

  var count: Int { values.count - first }

  mutating func push(_ value: Int) { values.append(value) }

  mutating func pop() -> Int? {
    guard first < values.count else { return nil }
    defer {
      first += 1
      if first == values.count {
        values.removeAll(keepingCapacity: true)
        first = 0
      }
    }
    return values[first]
  }
}
