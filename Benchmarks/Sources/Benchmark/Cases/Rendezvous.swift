import CHarness
import Crucible
import Dispatch

// rendezvous: two threads. One sends a number and waits until the other has returned the next number. Each direction is
// a reaction, send(n) & take → reply(n), inline; the takers block. rendezvous-async: two tasks, which suspend. A round
// is both directions. Verified by the returned numbers.

func rendezvous(_ setting: Setting) -> any Contender {
  switch setting.strategy {
  case .dispatchSemaphore: return BlockingRendezvous(setting, there: SemaphoreWay(), back: SemaphoreWay()) {}
  case .pthreadCondition: return BlockingRendezvous(setting, there: ConditionWay(), back: ConditionWay()) {}
  case .spinThenFutex: return BlockingRendezvous(setting, there: FutexWay(), back: FutexWay()) {}
  default: break
  }
  let ways = Ways(setting)
  return BlockingRendezvous(setting, there: ways.there, back: ways.back) { () throws(Wrong) in try ways.check() }
}

func rendezvousAsync(_ setting: Setting) -> any Contender {
  switch setting.strategy {
  case .asyncStream: return SuspendingRendezvous(there: StreamWay(), back: StreamWay()) {}
  case .continuations: return SuspendingRendezvous(there: ContinuationWay(), back: ContinuationWay()) {}
  default:
    let ways = Ways(setting)
    return SuspendingRendezvous(there: ways.there, back: ways.back) { () throws(Wrong) in try ways.check() }
  }
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

private struct Ways {
  let there, back: MoleculeWay
  private let control: Soup.Control

  init(_ setting: Setting) {
    let (n1, t1, n2, t2, control) = Soup.define("rendezvous", with: .init(matcher: setting.matcher)) { soup in
      let there = soup.slow("there", of: Int.self)
      let takeThere = soup.fast("takeThere", returning: Int.self)
      let back = soup.slow("back", of: Int.self)
      let takeBack = soup.fast("takeBack", returning: Int.self)
      soup.react(there, takeThere, on: .inline) { n, call in call.reply(n) }
      soup.react(back, takeBack, on: .inline) { n, call in call.reply(n) }
      return (there, takeThere, back, takeBack, soup.control)
    }
    there = MoleculeWay(number: n1, taker: t1)
    back = MoleculeWay(number: n2, taker: t2)
    self.control = control
  }

  func check() throws(Wrong) {
    try control.rest()
    let counts = control.snapshot()
    let left = counts[there.number] + counts[there.taker] + counts[back.number] + counts[back.taker]
    try Wrong.unlessEqual("molecules left over", expected: 0, found: left)
  }
}

private final class BlockingRendezvous<Way: BlockingWay>: Contender {
  private let crew: Crew
  private let there, back: Way
  private let check: () throws(Wrong) -> Void

  init(_ setting: Setting, there: Way, back: Way, check: @escaping () throws(Wrong) -> Void) {
    crew = setting.crew
    self.there = there
    self.back = back
    self.check = check
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let wrong = Sum()
    let work = ThereAndBack(there: there, back: back, rounds: rounds, wrong: wrong)
    var sample = crew.run(Job(work), rounds: rounds, recorders: nil)
    sample.reactions = UInt64(rounds)
    try Wrong.unlessEqual("wrong numbers", expected: 0, found: wrong.value)
    try check()
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

private final class SuspendingRendezvous<Way: SuspendingWay>: Contender {
  private let crew = TaskCrew(tasks: 2)
  private let there, back: Way
  private let check: () throws(Wrong) -> Void

  init(there: Way, back: Way, check: @escaping () throws(Wrong) -> Void) {
    self.there = there
    self.back = back
    self.check = check
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let wrong = Sum()
    let sample = crew.run(rounds: rounds) { [there, back] share in
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
    try check()
    return sample
  }
}
