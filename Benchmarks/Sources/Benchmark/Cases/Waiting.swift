import CCases
import CHarness
import Crucible

// waiting-int, waiting-void: in a separate soup, a million molecules of one name wait, and are then consumed. A
// reaction consumes one of them. The bytes are the growth of the heap for each molecule while they waited. Verified by
// the number that wait, and the number that react.

func waitingInt(_ setting: Setting) -> any Contender {
  WaitingCase {
    let (waiting, other, control) = Soup.define("waiting-int", with: .init(matcher: setting.matcher)) { soup in
      let waiting = soup.slow("waiting", of: Int.self)
      let other = soup.slow("other")
      soup.react(waiting, other, on: .inline) { value, _ in tally(value) }
      return (waiting, other, soup.control)
    }
    return Wait(
      control: control, fill: { for _ in 0..<$0 { waiting(1) } }, drain: { for _ in 0..<$0 { other() } },
      waiting: { control.snapshot()[waiting] }, sum: 1)
  }
}

func waitingVoid(_ setting: Setting) -> any Contender {
  WaitingCase {
    let (waiting, other, control) = Soup.define("waiting-void", with: .init(matcher: setting.matcher)) { soup in
      let waiting = soup.slow("waiting")
      let other = soup.slow("other")
      soup.react(waiting, other, on: .inline) { _, _ in tally(0) }
      return (waiting, other, soup.control)
    }
    return Wait(
      control: control, fill: { for _ in 0..<$0 { waiting() } }, drain: { for _ in 0..<$0 { other() } },
      waiting: { control.snapshot()[waiting] }, sum: 0)
  }
}

/// The loops of the case. They are made where the types are known, so that no code in them is generic.
private struct Wait {
  let control: Soup.Control
  let fill: (Int) -> Void
  let drain: (Int) -> Void
  let waiting: () -> Int
  /// The number that each reaction adds to the tally.
  let sum: Int
}

private final class WaitingCase: Contender {
  private static let size = 1_000_000
  private let make: () -> Wait

  init(_ make: @escaping () -> Wait) { self.make = make }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let size = Self.size
    let wait = make()
    harness_tally_reset()
    let allocations = harness_allocations()
    let cpu = harness_process_cpu()
    var sample = harness_sample()
    let before = cases_heap_bytes()
    sample.began = harness_now()
    wait.fill(size)
    sample.fill_nanoseconds = harness_now() - sample.began
    let after = cases_heap_bytes()
    try Wrong.unlessEqual("molecules waiting", expected: size, found: wait.waiting())
    let start = harness_now()
    wait.drain(size)
    sample.drain_nanoseconds = harness_now() - start
    sample.allocations = harness_allocations() - allocations
    try wait.control.rest()
    try Wrong.unlessEqual("molecules left over", expected: 0, found: wait.waiting())
    let total = harness_tally_total()
    try Wrong.unlessEqual("reactions", expected: UInt64(size), found: total.count)
    try Wrong.unlessEqual("sum of the values", expected: UInt64(size * wait.sum), found: total.sum)
    sample.nanoseconds = sample.fill_nanoseconds + sample.drain_nanoseconds
    sample.busy = Double(harness_process_cpu() - cpu) / Double(max(1, harness_now() - sample.began))
    sample.backlog = UInt64(size)
    sample.reactions = UInt64(size)
    sample.bytes = after > before ? after - before : 0
    sample.bytes_of = UInt64(size)
    sample.threads = 1
    sample.overlap = 1
    return sample
  }
}
