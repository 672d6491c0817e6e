import CHarness
import Crucible
import Dispatch

/// a(n) → b(n-1), b(n) → a(n-1), down to 0, on the pool. At any time one molecule is in progress.
func chain(_ setting: Setting) -> any Contender {
  if setting.strategy == .dispatchQueue { return QueueChainCase() }
  let gate = Gate()
  let (a, control) = Soup.define("chain", with: .init(matcher: setting.matcher)) { soup in
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
  return ChainCase(a: a, control: control, gate: gate)
}

/// a(n) → a(n-1), down to 0. Each body runs in a task with the context of its molecule's injector.
func taskChain(_ setting: Setting) -> any Contender {
  let gate = Gate()
  let (a, control) = Soup.define("task", with: .init(matcher: setting.matcher)) { soup in
    let a = soup.slow("a", of: Int.self)
    soup.react(a, on: .task) { n in
      tallyStamped(n)
      if n > 0 { a(n - 1) } else { gate.open() }
    }
    return (a, soup.control)
  }
  return ChainCase(a: a, control: control, gate: gate)
}

private final class ChainCase: Contender {
  private let a: Injector<Int>
  private let control: Soup.Control
  private let gate: Gate

  init(a: Injector<Int>, control: Soup.Control, gate: Gate) {
    self.a = a
    self.control = control
    self.gate = gate
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    var sample = gate.run { _ = a(rounds - 1) }
    try control.rest()
    try checkChain(&sample, rounds: rounds)
    return sample
  }
}

/// Baseline: blocks on a global queue of libdispatch. Each block submits the next one.
private final class QueueChainCase: Contender {
  private let gate = Gate()

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    var sample = gate.run { [gate] in submitChain(rounds - 1, gate) }
    try checkChain(&sample, rounds: rounds)
    return sample
  }
}

private func submitChain(_ n: Int, _ gate: Gate) {
  DispatchQueue.global().async {
    tallyStamped(n)
    if n > 0 { submitChain(n - 1, gate) } else { gate.open() }
  }
}

func checkChain(_ sample: inout harness_sample, rounds: Int) throws(Wrong) {
  harness_tally_overlap(&sample)
  let total = harness_tally_total()
  sample.reactions = UInt64(rounds)
  try Wrong.unlessEqual("reactions", expected: UInt64(rounds), found: total.count)
  try Wrong.unlessEqual("sum of the numbers", expected: sumOfNumbers(below: rounds), found: total.sum)
}
