import CCases
import CHarness
import Crucible

/// Makes the counter's soup `count` times, all alive at once. Measures the time to define and to release each, and its
/// bytes of the heap. A reaction is a soup. Verified: each counts separately.
func soupsSlope(_ count: Int) -> @Sendable (Setting) -> any Contender {
  { setting in SoupsCase(count: count, matcher: setting.matcher) }
}

private final class SoupsCase: Contender {
  private typealias Counter = (increment: Injector<Void>, value: FastInjector<Void, Int>)

  private let count: Int
  private let matcher: Soup.Matcher

  init(count: Int, matcher: Soup.Matcher) {
    self.count = count
    self.matcher = matcher
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let lives = max(1, rounds / count)
    let allocations = harness_allocations()
    let cpu = harness_process_cpu()
    var sample = harness_sample()
    sample.began = harness_now()
    for life in 0..<lives {
      var soups: [Counter] = []
      soups.reserveCapacity(count)
      let before = life == 0 ? cases_heap_bytes() : 0
      var start = harness_now()
      for _ in 0..<count { soups.append(define()) }
      sample.fill_nanoseconds += harness_now() - start
      for soup in soups { soup.increment() }
      if life == 0 {
        let after = cases_heap_bytes()
        sample.bytes = after > before ? after - before : 0
        sample.bytes_of = UInt64(count)
        for soup in soups { try Wrong.unlessEqual("count", expected: 1, found: try ask(soup.value)) }
      }
      start = harness_now()
      soups = []
      sample.drain_nanoseconds += harness_now() - start
    }
    sample.nanoseconds = sample.fill_nanoseconds + sample.drain_nanoseconds
    sample.busy = Double(harness_process_cpu() - cpu) / Double(max(1, harness_now() - sample.began))
    sample.allocations = harness_allocations() - allocations
    sample.reactions = UInt64(lives * count)
    sample.backlog = sample.reactions
    sample.threads = 1
    sample.overlap = 1
    return sample
  }

  private func define() -> Counter {
    let (increment, value) = Soup.define("counter", with: .init(matcher: matcher)) { soup in
      let counter = soup.state("counter", 0)
      let increment = soup.slow("increment")
      let value = soup.fast("value", returning: Int.self)
      soup.react(state: counter, increment, on: .inline) { n, _ in n += 1 }
      soup.react(state: counter, value, on: .inline) { n, call in call.reply(n) }
      return (increment, value)
    }
    return (increment, value)
  }
}
