import CHarness
import Crucible

// backlog-N: join2 while N molecules of its first name wait, inline. In every round a thread injects the second name,
// which meets the oldest waiting molecule, and then the first name again. One thread fills the backlog before, and
// drains it after. Both are timed separately.

func backlog(_ size: Int) -> Opening {
  { setting in
    let (waiting, other, control) = Soup.define("backlog", with: setting.options) { soup in
      let waiting = soup.slow("waiting", of: Int.self)
      let other = soup.slow("other", of: Int.self)
      soup.react(waiting, other, on: .inline) { a, b in tally(a &+ b) }
      return (waiting, other, soup.control)
    }
    let job = Job(BacklogRounds(waiting: waiting, other: other))
    return Contender { (rounds, recorders) throws(Wrong) in
      harness_tally_reset()
      let fill = timed { for _ in 0..<size { waiting(1) } }
      try Wrong.unlessEqual("molecules waiting at first", expected: size, found: control.snapshot()[waiting])

      var sample = setting.crew.run(job, rounds: rounds, recorders: recorders)
      try control.settle(&sample)
      try Wrong.unlessEqual("molecules waiting at last", expected: size, found: control.snapshot()[waiting])

      sample.backlog = UInt64(size)
      sample.fill_nanoseconds = fill
      sample.drain_nanoseconds = timed { for _ in 0..<size { other(1) } }
      try control.checkEmpty()
      let reactions = Int(sample.rounds) + size
      try Wrong.unlessTallied(reactions, sum: UInt64(2 * reactions))
      return sample
    }
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
