import CHarness
import Crucible

// await, await-limit: a task on the pool calls, and suspends until a reaction on the pool replies. await has no limit;
// await-limit has one that is never reached. await-at-once: the reaction is inline, so the reply exists before the task
// would suspend. Beside it stand two actors that nobody else calls: one with its own executor, which the caller enters
// from outside, and one on its caller's executor. An actor counts its answers, because the compiler removes the hops to
// an actor without effects. Verified by the sum of the replies, and by the number of limits that were reached or of the
// answers.

func awaitReply(_ setting: Setting) -> any Contender { AwaitCase(setting, on: .pool, within: nil) }
func awaitLimit(_ setting: Setting) -> any Contender { AwaitCase(setting, on: .pool, within: .seconds(3600)) }

func awaitAtOnce(_ setting: Setting) -> any Contender {
  switch setting.strategy {
  case .swiftActor:
    let desk = AnsweringActor()
    return AwaitCase { rounds in
      var sum = 0
      for round in 0..<rounds { sum &+= await desk.answer(round) }
      return sum
    } answered: {
      await desk.takeCount()
    }
  case .actorSameExecutor:
    let caller = CallingActor()
    return AwaitCase(sum: caller.sum) { await caller.desk.takeCount() }
  default:
    return AwaitCase(setting, on: .inline, within: nil)
  }
}

private actor AnsweringActor {
  private var count = 0

  func answer(_ number: Int) -> Int {
    count += 1
    return number + 1
  }

  /// Returns the number of answers since the last call.
  func takeCount() -> Int {
    defer { count = 0 }
    return count
  }
}

/// An actor that calls another one, and shares its executor.
private actor CallingActor {
  let desk = AnsweringActor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { desk.unownedExecutor }

  func sum(_ rounds: Int) async -> Int {
    var sum = 0
    for round in 0..<rounds { sum &+= await desk.answer(round) }
    return sum
  }
}

private final class AwaitCase: Contender {
  /// Calls in every round, and returns the sum of the replies. An error shows as a wrong sum.
  private let sum: @Sendable (Int) async -> Int
  /// Returns the number of answers of an alternative.
  private let answered: (@Sendable () async -> Int)?
  private let executor: (any TaskExecutor)?
  /// Throws if the soup is not as it was before the calls.
  private let check: () throws(Wrong) -> Void
  private let gate = Gate()

  init(_ setting: Setting, on placement: Placement, within limit: Duration?) {
    let (ask, control) = Soup.define("await", with: .init(matcher: setting.matcher)) { soup in
      let ask = soup.fast("ask", of: Int.self, returning: Int.self)
      soup.react(ask, on: placement) { call in call.reply(call.input + 1) }
      return (ask, soup.control)
    }
    sum = { rounds in
      var sum = 0
      if let limit {
        for round in 0..<rounds { sum &+= (try? await ask(round, within: limit)) ?? 0 }
      } else {
        for round in 0..<rounds { sum &+= (try? await ask(round)) ?? 0 }
      }
      return sum
    }
    answered = nil
    executor = Soup.Pool.executor
    check = { () throws(Wrong) in
      try control.rest()
      try Wrong.unlessEqual("calls left over", expected: 0, found: control.snapshot()[ask])
    }
  }

  /// An alternative, on a thread of Swift's runtime.
  init(sum: @escaping @Sendable (Int) async -> Int, answered: @escaping @Sendable () async -> Int) {
    self.sum = sum
    self.answered = answered
    executor = nil
    check = {}
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let (replies, answers) = (Sum(), Sum())
    var sample = gate.run { [sum, answered, gate] in
      Task.detached(executorPreference: executor) {
        replies.add(await sum(rounds))
        answers.add(await answered?() ?? rounds)
        gate.open()
      }
    }
    try check()
    sample.threads = 1
    sample.overlap = 1
    sample.rounds = UInt64(rounds)
    sample.reactions = UInt64(rounds)
    try Wrong.unlessEqual("sum of the replies", expected: rounds * (rounds + 1) / 2, found: replies.value)
    try Wrong.unlessEqual("answers", expected: rounds, found: answers.value)
    return sample
  }
}
