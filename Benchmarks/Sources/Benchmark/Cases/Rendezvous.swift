import CHarness
import Crucible

// rendezvous: two threads. One sends a number and waits until the other has returned the next number. Each direction is
// a reaction, send(n) & take → reply(n), inline; the takers block. rendezvous-async: two tasks, which suspend. A round
// is both directions. Verified by the returned numbers.

func rendezvous(_ setting: Setting) -> Contender {
  if setting.strategy == .spinThenFutex { return threads(setting, there: FutexWay(), back: FutexWay()) }
  let (there, back, control) = ways(setting)
  return threads(setting, there: there, back: back, control)
}

func rendezvousAsync(_ setting: Setting) -> Contender {
  if setting.strategy == .continuations { return tasks(there: ContinuationWay(), back: ContinuationWay()) }
  let (there, back, control) = ways(setting)
  return tasks(there: there, back: back, control)
}

protocol BlockingWay: Sendable {
  func send(_ number: Int)
  func take() -> Int
}

/// Has `nextTaken`, for a task.
protocol SuspendingWay: Sendable {
  func send(_ number: Int)
  func nextTaken() async -> Int
}

/// One direction: a molecule, and a call that takes it. An error shows as a number that no thread sent.
private struct MoleculeWay: BlockingWay, SuspendingWay {
  let number: Injector<Int>
  let taker: FastInjector<Void, Int>

  @inline(__always) func send(_ value: Int) { number(value) }
  @inline(__always) func take() -> Int { (try? taker.blocking()) ?? -1 }
  @inline(__always) func nextTaken() async -> Int { (try? await taker()) ?? -1 }
}

private func ways(_ setting: Setting) -> (there: MoleculeWay, back: MoleculeWay, control: Soup.Control) {
  Soup.define("rendezvous", with: setting.options) { soup in
    let there = soup.slow("there", of: Int.self)
    let takeThere = soup.fast("takeThere", returning: Int.self)
    let back = soup.slow("back", of: Int.self)
    let takeBack = soup.fast("takeBack", returning: Int.self)
    soup.react(there, takeThere, on: .inline) { n, call in call.reply(n) }
    soup.react(back, takeBack, on: .inline) { n, call in call.reply(n) }
    return (
      MoleculeWay(number: there, taker: takeThere), MoleculeWay(number: back, taker: takeBack), soup.control
    )
  }
}

private func threads<Way: BlockingWay>(
  _ setting: Setting, there: Way, back: Way, _ control: Soup.Control? = nil
) -> Contender {
  Contender { (rounds, _) throws(Wrong) in
    let wrong = Sum()
    let work = ThereAndBack(there: there, back: back, rounds: rounds, wrong: wrong)
    let sample = setting.crew.run(Job(work), rounds: rounds, recorders: nil)
    try Wrong.unlessEqual("wrong numbers", expected: 0, found: wrong.value)
    try control?.checkEmpty()
    return sample
  }
}

private struct ThereAndBack<Way: BlockingWay>: ThreadWork {
  let there, back: Way
  let rounds: Int
  let wrong: Sum

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    if share.thread != 0 {
      for _ in 0..<rounds { back.send(there.take() &+ 1) }
      return
    }
    var mistakes = 0
    for round in 0..<rounds {
      there.send(round)
      if back.take() != round + 1 { mistakes += 1 }
    }
    wrong.add(mistakes)
  }
}

private func tasks<Way: SuspendingWay>(there: Way, back: Way, _ control: Soup.Control? = nil) -> Contender {
  let crew = TaskCrew(tasks: 2)
  return Contender { (rounds, _) throws(Wrong) in
    let wrong = Sum()
    let sample = crew.run(rounds: rounds) { share in
      if share.task != 0 {
        for _ in 0..<rounds { back.send(await there.nextTaken() &+ 1) }
        return
      }
      var mistakes = 0
      for round in 0..<rounds {
        there.send(round)
        if await back.nextTaken() != round + 1 { mistakes += 1 }
      }
      wrong.add(mistakes)
    }
    try Wrong.unlessEqual("wrong numbers", expected: 0, found: wrong.value)
    try control?.checkEmpty()
    return sample
  }
}
