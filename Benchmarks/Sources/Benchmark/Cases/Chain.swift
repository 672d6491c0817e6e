import CHarness
import Crucible
import Dispatch

/// a(n) → b(n-1), b(n) → a(n-1), down to 0, on the pool. At any time one molecule is in progress.
func chain(_ setting: Setting) -> Contender {
  let gate = Gate()
  // Baseline: blocks on a global queue of libdispatch. Each block submits the next one.
  if setting.strategy == .dispatchQueue { return chained(gate) { submitChain($0, gate) } }
  let (a, control) = Soup.define("chain", with: setting.options) { soup in
    let a = soup.slow("a", of: Int.self)
    let b = soup.slow("b", of: Int.self)
    soup.react(a) { n in
      tallyStamped(n)
      if n > 0 { b(n - 1) } else { gate.open() }
    }
    soup.react(b) { n in
      tallyStamped(n)
      if n > 0 { a(n - 1) } else { gate.open() }
    }
    return (a, soup.control)
  }
  return chained(gate, control) { a($0) }
}

/// a(n) → a(n-1), down to 0. Each body runs in a task with the context of its molecule's injector.
func taskChain(_ setting: Setting) -> Contender {
  let gate = Gate()
  let (a, control) = Soup.define("task", with: setting.options) { soup in
    let a = soup.slow("a", of: Int.self)
    soup.react(a, on: .task) { n in
      tallyStamped(n)
      if n > 0 { a(n - 1) } else { gate.open() }
    }
    return (a, soup.control)
  }
  return chained(gate, control) { a($0) }
}

private func submitChain(_ n: Int, _ gate: Gate) {
  DispatchQueue.global().async {
    tallyStamped(n)
    if n > 0 { submitChain(n - 1, gate) } else { gate.open() }
  }
}

/// A chain of reactions, each with the next lower number. `start` injects the first number, and the last one opens the
/// gate.
func chained(_ gate: Gate, _ control: Soup.Control? = nil, start: @escaping (Int) -> Void) -> Contender {
  Contender { (rounds, _) throws(Wrong) in
    var sample = gate.run { start(rounds - 1) }
    try control?.rest()
    harness_tally_overlap(&sample)
    sample.reactions = UInt64(rounds)
    try Wrong.unlessTallied(rounds, sum: sumOfNumbers(below: rounds))
    return sample
  }
}
