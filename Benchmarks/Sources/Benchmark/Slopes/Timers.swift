import CCases
import CHarness
import Crucible

/// Makes a soup with `count` timers armed at once. Measures the time to arm and to cancel each, and its bytes of the
/// heap. A reaction is a timer. Verified: each is armed until it is cancelled, once.
func timersSlope(_ count: Int) -> @Sendable (Setting) -> any Contender {
  { setting in TimersCase(count: count, matcher: setting.matcher) }
}

private final class TimersCase: Contender {
  private let count: Int
  private let tick: Injector<Int>
  private let control: Soup.Control

  init(count: Int, matcher: Soup.Matcher) {
    self.count = count
    (tick, control) = Soup.define("timers", with: .init(matcher: matcher)) { soup in
      let tick = soup.slow("tick", of: Int.self)
      soup.react(tick, on: .inline) { _ in }
      return (tick, soup.control)
    }
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let lives = max(1, rounds / count)
    let allocations = harness_allocations()
    let cpu = harness_process_cpu()
    var sample = harness_sample()
    sample.began = harness_now()
    for life in 0..<lives {
      var timers: [Soup.Timer] = []
      timers.reserveCapacity(count)
      let before = life == 0 ? cases_heap_bytes() : 0
      var start = harness_now()
      // Their times are spread over an hour, and begin an hour from now.
      for number in 0..<count { timers.append(tick.after(.seconds(3600 + number % 3600), number)) }
      sample.fill_nanoseconds += harness_now() - start
      if life == 0 {
        let after = cases_heap_bytes()
        sample.bytes = after > before ? after - before : 0
        sample.bytes_of = UInt64(count)
        try Wrong.unlessEqual("armed timers", expected: count, found: timers.count(where: \.isArmed))
      }
      var cancelled = 0
      start = harness_now()
      for timer in timers where timer.cancel() { cancelled += 1 }
      timers = []
      sample.drain_nanoseconds += harness_now() - start
      try Wrong.unlessEqual("cancelled timers", expected: count, found: cancelled)
    }
    try control.rest()
    sample.nanoseconds = sample.fill_nanoseconds + sample.drain_nanoseconds
    sample.busy = Double(harness_process_cpu() - cpu) / Double(max(1, harness_now() - sample.began))
    sample.allocations = harness_allocations() - allocations
    sample.reactions = UInt64(lives * count)
    sample.backlog = sample.reactions
    sample.threads = 1
    sample.overlap = 1
    return sample
  }
}
