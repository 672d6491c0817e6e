import CHarness
import Crucible

// await, await-limit: a task on the pool calls, and suspends until a reaction on the pool replies. await has no limit;
// await-limit has one that is never reached. await-at-once: the reaction is inline, so the reply exists before the task
// would suspend. await-default: it has the default placement, as a newcomer writes it. await-async: the same, with an
// `async` body, beside a task of its own for each answer. Beside these stand actors that nobody else calls: one with
// its own executor, which the caller enters from outside, and one on its caller's executor. An actor counts its
// answers, because the compiler removes the hops to an actor without effects. Verified by the sum of the replies, and
// by the number of limits that were reached or of the answers.

func awaitReply(_ setting: Setting) -> Contender { calls(setting, on: .pool, within: nil) }
func awaitLimit(_ setting: Setting) -> Contender { calls(setting, on: .pool, within: .seconds(3600)) }

func awaitAtOnce(_ setting: Setting) -> Contender { answered(setting, on: .inline) }
func awaitDefault(_ setting: Setting) -> Contender { answered(setting, on: .automatic) }
func awaitAsync(_ setting: Setting) -> Contender { answered(setting, on: .automatic, isAsync: true) }

private func answered(_ setting: Setting, on placement: Placement, isAsync: Bool = false) -> Contender {
  switch setting.strategy {
  case .task:
    return awaiting { rounds in
      var sum = 0
      for round in 0..<rounds {
        sum &+= await Task { round + 1 }.value
        harness_opaque()
      }
      return sum
    }
  case .swiftActor:
    let desk = AnsweringActor()
    return awaiting { rounds in
      var sum = 0
      for round in 0..<rounds {
        sum &+= await desk.answer(round)
        harness_opaque()
      }
      return sum
    } answered: { _ in
      await desk.takeCount()
    }
  case .actorSameExecutor:
    let caller = CallingActor()
    return awaiting(sum: caller.sum) { _ in await caller.desk.takeCount() }
  default:
    return calls(setting, on: placement, within: nil, isAsync: isAsync)
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
    for round in 0..<rounds {
      sum &+= await desk.answer(round)
      harness_opaque()
    }
    return sum
  }
}

private func calls(
  _ setting: Setting, on placement: Placement, within limit: Duration?, isAsync: Bool = false
) -> Contender {
  let (ask, control) = Soup.define("await", with: setting.options) { soup in
    let ask = soup.fast("ask", of: Int.self, returning: Int.self)
    if isAsync {
      soup.react(ask, on: placement) { call async in call.reply(call.input + 1) }
    } else {
      soup.react(ask, on: placement) { call in call.reply(call.input + 1) }
    }
    return (ask, soup.control)
  }
  // An error shows as a wrong sum.
  return awaiting(on: isAsync ? nil : Soup.Pool.executor) { rounds in
    var sum = 0
    if let limit {
      for round in 0..<rounds { sum &+= (try? await ask(round, within: limit)) ?? 0 }
    } else {
      for round in 0..<rounds {
        sum &+= (try? await ask(round)) ?? 0
        harness_opaque()
      }
    }
    return sum
  } check: { () throws(Wrong) in
    try control.checkEmpty()
  }
}

/// - Parameters:
///   - executor: the executor of the task; nil for a thread of Swift's runtime.
///   - sum: calls in every round, and returns the sum of the replies.
///   - answered: returns the number of answers.
///   - check: throws if the soup is not as it was before the calls.
private func awaiting(
  on executor: (any TaskExecutor)? = nil, sum: @escaping @Sendable (Int) async -> Int,
  answered: @escaping @Sendable (_ rounds: Int) async -> Int = { $0 },
  check: @escaping () throws(Wrong) -> Void = {}
) -> Contender {
  let gate = Gate()
  return Contender { (rounds, _) throws(Wrong) in
    let (replies, answers) = (Sum(), Sum())
    var sample = gate.run {
      Task.detached(executorPreference: executor) {
        replies.add(await sum(rounds))
        answers.add(await answered(rounds))
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
