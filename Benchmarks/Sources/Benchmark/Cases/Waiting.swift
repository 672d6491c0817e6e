import CCases
import CHarness
import Crucible

// waiting-int, waiting-void: in a separate soup, a million molecules of one name wait, and are then consumed. A
// reaction consumes one of them. The bytes are the growth of the heap for each molecule while they waited. Verified by
// the number that wait, and the number that react.

func waitingInt(_ setting: Setting) -> Contender {
  waitingCase {
    let (waiting, other, control) = Soup.define("waiting-int", with: setting.options) { soup in
      let waiting = soup.slow("waiting", of: Int.self)
      let other = soup.slow("other")
      soup.react(waiting, other, on: .inline) { value, _ in tally(value) }
      return (waiting, other, soup.control)
    }
    return Wait(
      control: control, fill: { for _ in 0..<$0 { waiting(1) } }, drain: { for _ in 0..<$0 { other() } }, sum: 1)
  }
}

func waitingVoid(_ setting: Setting) -> Contender {
  waitingCase {
    let (waiting, other, control) = Soup.define("waiting-void", with: setting.options) { soup in
      let waiting = soup.slow("waiting")
      let other = soup.slow("other")
      soup.react(waiting, other, on: .inline) { _, _ in tally(0) }
      return (waiting, other, soup.control)
    }
    return Wait(
      control: control, fill: { for _ in 0..<$0 { waiting() } }, drain: { for _ in 0..<$0 { other() } }, sum: 0)
  }
}

/// The loops of the case. They are made where the types are known, so that no code in them is generic.
private struct Wait {
  let control: Soup.Control
  let fill: (Int) -> Void
  let drain: (Int) -> Void
  /// The number that each reaction adds to the tally.
  let sum: Int
}

private func waitingCase(_ make: @escaping () -> Wait) -> Contender {
  let size = 1_000_000
  return Contender { (rounds, _) throws(Wrong) in
    let wait = make()
    harness_tally_reset()
    var sample = try harness_sample.onThisThread(rounds: rounds) { sample throws(Wrong) in
      let before = cases_heap_bytes()
      sample.fill_nanoseconds = timed { wait.fill(size) }
      let after = cases_heap_bytes()
      sample.bytes = after > before ? after - before : 0
      sample.bytes_of = UInt64(size)
      try Wrong.unlessEqual("molecules waiting", expected: size, found: wait.control.waiting)
      sample.drain_nanoseconds = timed { wait.drain(size) }
    }
    try wait.control.checkEmpty()
    try Wrong.unlessTallied(size, sum: UInt64(size * wait.sum))
    sample.backlog = UInt64(size)
    sample.reactions = UInt64(size)
    return sample
  }
}
