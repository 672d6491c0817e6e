import CHarness
import Crucible

// define: a soup, an actor, a stream or a continuation is made, used once and released. The soup is the counter's, of a
// state, two names and two reactions. Verified by the tally of the uses.

func define(_ setting: Setting) -> any Contender {
  switch setting.strategy {
  case .swiftActor: return MakingCase { _ = Once() }
  case .asyncStream:
    return MakingCase {
      let (stream, input) = AsyncStream.makeStream(of: Int.self)
      input.yield(1)
      tally(1)
      withExtendedLifetime(stream) {}
    }
  default:
    return MakingCase { [matcher = setting.matcher] in
      let (increment, _) = defineCounter(matcher)
      increment()
    }
  }
}

@inline(never)
private func defineCounter(_ matcher: Soup.Matcher) -> (Injector<Void>, FastInjector<Void, Int>) {
  Soup.define("counter", with: .init(matcher: matcher)) { soup in
    let counter = soup.state("counter", 0)
    let increment = soup.slow("increment")
    let value = soup.fast("value", returning: Int.self)
    soup.react(state: counter, increment, on: .inline) { n, _ in
      n += 1
      tally(n)
    }
    soup.react(state: counter, value, on: .inline) { n, call in call.reply(n) }
    return (increment, value)
  }
}

/// An actor with as much in it.
private actor Once {
  private var count = 0

  init() {
    count += 1
    tally(count)
  }
}

private final class MakingCase: Contender {
  /// Making costs as much as many reactions.
  private static let roundsEach = 64

  private let make: () -> Void

  init(_ make: @escaping () -> Void) { self.make = make }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let count = max(1, rounds / Self.roundsEach)
    harness_tally_reset()
    let allocations = harness_allocations()
    var sample = harness_sample()
    sample.began = harness_now()
    for _ in 0..<count { make() }
    sample.nanoseconds = harness_now() - sample.began
    sample.allocations = harness_allocations() - allocations
    sample.rounds = UInt64(rounds)
    sample.reactions = UInt64(count)
    sample.threads = 1
    sample.overlap = 1
    let total = harness_tally_total()
    try Wrong.unlessEqual("uses", expected: UInt64(count), found: total.count)
    try Wrong.unlessEqual("sum of the counts", expected: UInt64(count), found: total.sum)
    return sample
  }
}
