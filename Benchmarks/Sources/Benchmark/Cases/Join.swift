import CHarness
import Crucible

// join1, join2, join3, join6: k names, one reaction over all of them, inline. In every round a thread injects all k
// names in turn, each with the number of the round.

func join1(_ setting: Setting) -> Contender {
  let (a, control) = Soup.define("join1", with: setting.options) { soup in
    let a = soup.slow("a", of: Int.self)
    soup.react(a, on: .inline) { a in tally(a) }
    return (a, soup.control)
  }
  return inline(setting, Job(Join1(a: a)), control, valuesPerRound: 1)
}

func join2(_ setting: Setting) -> Contender {
  if setting.strategy == .swiftMutex { return mutexJoin(setting) }
  let (a, b, control) = Soup.define("join2", with: setting.options) { soup in
    let a = soup.slow("a", of: Int.self)
    let b = soup.slow("b", of: Int.self)
    soup.react(a, b, on: .inline) { a, b in tally(a &+ b) }
    return (a, b, soup.control)
  }
  return inline(setting, Job(Join2(a: a, b: b)), control, valuesPerRound: 2)
}

func join3(_ setting: Setting) -> Contender {
  let (a, b, c, control) = Soup.define("join3", with: setting.options) { soup in
    let a = soup.slow("a", of: Int.self)
    let b = soup.slow("b", of: Int.self)
    let c = soup.slow("c", of: Int.self)
    soup.react(a, b, c, on: .inline) { a, b, c in tally(a &+ b &+ c) }
    return (a, b, c, soup.control)
  }
  return inline(setting, Job(Join3(a: a, b: b, c: c)), control, valuesPerRound: 3)
}

func join6(_ setting: Setting) -> Contender {
  let (a, b, c, d, e, f, control) = Soup.define("join6", with: setting.options) { soup in
    let a = soup.slow("a", of: Int.self)
    let b = soup.slow("b", of: Int.self)
    let c = soup.slow("c", of: Int.self)
    let d = soup.slow("d", of: Int.self)
    let e = soup.slow("e", of: Int.self)
    let f = soup.slow("f", of: Int.self)
    soup.react(a, b, c, d, e, f, on: .inline) { a, b, c, d, e, f in tally(a &+ b &+ c &+ d &+ e &+ f) }
    return (a, b, c, d, e, f, soup.control)
  }
  return inline(setting, Job(Join6(a: a, b: b, c: c, d: d, e: e, f: f)), control, valuesPerRound: 6)
}

/// An inline case with one reaction a round, in which a reaction gets the number of its round so many times. The tally
/// counts the reactions and sums up the values that they consumed.
func inline(_ setting: Setting, _ job: Job, _ control: Soup.Control, valuesPerRound: Int) -> Contender {
  Contender { (rounds, recorders) throws(Wrong) in
    harness_tally_reset()
    var sample = setting.crew.run(job, rounds: rounds, recorders: recorders)
    try control.settle(&sample)
    let rounds = Int(sample.rounds)
    try Wrong.unlessTallied(rounds, sum: UInt64(valuesPerRound) &* sumOfNumbers(below: rounds))
    try control.checkEmpty()
    return sample
  }
}

private struct Join1: ThreadWork {
  let a: Injector<Int>

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in
      probe.measure { _ = a(round) }
    }
  }
}

struct Join2: ThreadWork {
  let a, b: Injector<Int>

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in
      probe.measure { _ = a(round) }
      probe.measure { _ = b(round) }
    }
  }
}

private struct Join3: ThreadWork {
  let a, b, c: Injector<Int>

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in
      probe.measure { _ = a(round) }
      probe.measure { _ = b(round) }
      probe.measure { _ = c(round) }
    }
  }
}

private struct Join6: ThreadWork {
  let a, b, c, d, e, f: Injector<Int>

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in
      probe.measure { _ = a(round) }
      probe.measure { _ = b(round) }
      probe.measure { _ = c(round) }
      probe.measure { _ = d(round) }
      probe.measure { _ = e(round) }
      probe.measure { _ = f(round) }
    }
  }
}
