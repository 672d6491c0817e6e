import CHarness
import Crucible

// backlog-N: join2 while N molecules of its first name wait, inline. In every round a thread injects the second name,
// which meets the oldest waiting molecule, and then the first name again. One thread fills the backlog before, and
// drains it after. Both are timed separately.

func backlog(_ size: Int) -> @Sendable (_ setting: Setting) -> any Contender {
  { setting in
    let (waiting, other, control) = Soup.define("backlog", with: .init(matcher: setting.matcher)) { soup in
      let waiting = soup.slow("waiting", of: Int.self)
      let other = soup.slow("other", of: Int.self)
      soup.react(waiting, other, on: .inline) { a, b in tally(a &+ b) }
      return (waiting, other, soup.control)
    }
    return BacklogCase(setting, size: size, waiting: waiting, other: other, control: control)
  }
}

private final class BacklogCase: Contender {
  private let crew: Crew
  private let size: Int
  private let waiting: Injector<Int>
  private let other: Injector<Int>
  private let control: Soup.Control

  init(_ setting: Setting, size: Int, waiting: Injector<Int>, other: Injector<Int>, control: Soup.Control) {
    crew = setting.crew
    self.size = size
    self.waiting = waiting
    self.other = other
    self.control = control
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    harness_tally_reset()
    let fill = injectMany(waiting)
    try Wrong.unlessEqual("molecules waiting at first", expected: size, found: control.snapshot()[waiting])

    let work = BacklogRounds(waiting: waiting, other: other)
    var sample = crew.run(Job(work), rounds: rounds, recorders: recorders)
    try control.settle(&sample)
    let rounds = Int(sample.rounds)
    try Wrong.unlessEqual("molecules waiting at last", expected: size, found: control.snapshot()[waiting])

    sample.backlog = UInt64(size)
    sample.fill_nanoseconds = fill
    sample.drain_nanoseconds = injectMany(other)
    try control.rest()
    let total = harness_tally_total()
    sample.reactions = sample.rounds
    try Wrong.unlessEqual("reactions", expected: UInt64(rounds + size), found: total.count)
    try Wrong.unlessEqual("sum of the values", expected: UInt64(2 * (rounds + size)), found: total.sum)
    let counts = control.snapshot()
    try Wrong.unlessEqual("molecules left over", expected: 0, found: counts[waiting] + counts[other])
    return sample
  }

  private func injectMany(_ name: Injector<Int>) -> UInt64 {
    let start = harness_now()
    for _ in 0..<size { name(1) }
    return harness_now() - start
  }
}

private struct BacklogRounds: ThreadWork {
  let waiting, other: Injector<Int>

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { _ in
      probe.measure { _ = other(1) }
      probe.measure { _ = waiting(1) }
    }
  }
}
