import CHarness
import Synchronization

// Baselines of counter-state and counter-value: Swift's `Mutex` around the same body. Of agent: an actor that tasks
// call.

private final class MutexCounter: Sendable {
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

func threadsCount(_ setting: Setting, replies: Bool) -> Contender {
  let counter = MutexCounter()
  return Contender { (rounds, recorders) throws(Wrong) in
    let before = counter.count
    let sum = Sum()
    let work = Count(counter: counter, replies: replies ? sum : nil)
    let sample = setting.crew.run(Job(work), rounds: rounds, recorders: recorders)
    try Wrong.unlessEqual("end value", expected: before + Int(sample.rounds), found: counter.count)
    if replies { try checkReplies(sum.value, before: before, rounds: Int(sample.rounds)) }
    return sample
  }
}

private struct Count: ThreadWork {
  let counter: MutexCounter
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

  func add(_ number: Int) -> Int {
    count += number
    return count
  }
}

func tasksCount(_ setting: Setting) -> Contender {
  let (crew, counter) = (setting.taskCrew, ActorCounter())
  var before = 0
  return Contender { (rounds, _) throws(Wrong) in
    let (sum, last) = (Sum(), Sum())
    let sample = crew.run(rounds: rounds) { share in
      var replied = 0
      while let portion = share.take() {
        for _ in portion {
          replied &+= await counter.add(1)
          harness_opaque()
        }
      }
      sum.add(replied)
    }
    _ = TaskCrew(tasks: 1).run(rounds: 1) { _ in last.add(await counter.count) }
    let rounds = Int(sample.rounds)
    try Wrong.unlessEqual("end value", expected: before + rounds, found: last.value)
    try checkReplies(sum.value, before: before, rounds: rounds)
    before += rounds
    return sample
  }
}

/// Checks that each number from `before` + 1 on was replied once.
func checkReplies(_ sum: Int, before: Int, rounds: Int) throws(Wrong) {
  let expected = rounds &* before &+ Int(sumOfNumbers(below: rounds + 1))
  try Wrong.unlessEqual("sum of the replies", expected: expected, found: sum)
}
