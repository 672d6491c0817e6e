import CHarness
import Dispatch
import Synchronization

// Baselines of counter-state, counter-value and agent: Swift's `Mutex` around the same body, a serial queue on which
// threads wait, and an actor that tasks call.

/// Returns the baseline; nil for a matcher.
func counterBaseline(_ setting: Setting, replies: Bool) -> Contender? {
  switch setting.strategy {
  case .swiftMutex: threads(setting, count: MutexCounter(), replies: replies)
  case .dispatchQueue: threads(setting, count: QueueCounter(), replies: replies)
  case .swiftActor: tasksCount(setting, replies: replies)
  default: nil
  }
}

/// A counter that threads use.
private protocol ThreadCounter: Sendable {
  func increment()
  func next() -> Int
  var count: Int { get }
}

private final class MutexCounter: ThreadCounter {
  private let number = Mutex(0)

  @inline(__always) func increment() { number.withLock { $0 += 1 } }
  @inline(__always) func next() -> Int {
    number.withLock { count in
      count += 1
      return count
    }
  }
  var count: Int { number.withLock { $0 } }
}

private final class QueueCounter: ThreadCounter, @unchecked Sendable {  // the queue protects the number
  private let queue = DispatchQueue(label: "counter")
  private var number = 0

  @inline(__always) func increment() { queue.sync { number += 1 } }
  @inline(__always) func next() -> Int {
    queue.sync {
      number += 1
      return number
    }
  }
  var count: Int { queue.sync { number } }
}

private func threads<Counter: ThreadCounter>(_ setting: Setting, count counter: Counter, replies: Bool) -> Contender {
  Contender { (rounds, recorders) throws(Wrong) in
    let before = counter.count
    let sum = Sum()
    let work = Count(counter: counter, replies: replies ? sum : nil)
    let sample = setting.crew.run(Job(work), rounds: rounds, recorders: recorders)
    try Wrong.unlessEqual("end value", expected: before + Int(sample.rounds), found: counter.count)
    if replies { try checkReplies(sum.value, before: before, rounds: Int(sample.rounds)) }
    return sample
  }
}

private struct Count<Counter: ThreadCounter>: ThreadWork {
  let counter: Counter
  let replies: Sum?

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    guard let replies else { return share.forEachRound { _ in probe.measure { counter.increment() } } }
    var sum = 0
    share.forEachRound { _ in sum &+= probe.measure { counter.next() } }
    replies.add(sum)
  }
}

actor ActorCounter {
  private(set) var count = 0

  func increment() { count += 1 }

  func add(_ number: Int) -> Int {
    count += number
    return count
  }
}

private func tasksCount(_ setting: Setting, replies: Bool) -> Contender {
  let (crew, counter) = (setting.taskCrew, ActorCounter())
  var before = 0
  return Contender { (rounds, _) throws(Wrong) in
    let (sum, last) = (Sum(), Sum())
    let sample = crew.run(rounds: rounds) { share in
      var replied = 0
      while let portion = share.take() {
        for _ in portion {
          if replies { replied &+= await counter.add(1) } else { await counter.increment() }
          harness_opaque()
        }
      }
      sum.add(replied)
    }
    _ = TaskCrew(tasks: 1).run(rounds: 1) { _ in last.add(await counter.count) }
    let rounds = Int(sample.rounds)
    try Wrong.unlessEqual("end value", expected: before + rounds, found: last.value)
    if replies { try checkReplies(sum.value, before: before, rounds: rounds) }
    before += rounds
    return sample
  }
}

/// Checks that each number from `before` + 1 on was replied once.
func checkReplies(_ sum: Int, before: Int, rounds: Int) throws(Wrong) {
  let expected = rounds &* before &+ Int(sumOfNumbers(below: rounds + 1))
  try Wrong.unlessEqual("sum of the replies", expected: expected, found: sum)
}
