import CCases
import CHarness
import Compounds
import Crucible
import Synchronization

// define: a thread makes a soup, an actor, a stream or a continuation, uses it once and releases it. The soup is the
// counter's, with a state, two names and two reactions, or that of a Promise or of a Lock. Verified by the tally of the
// uses.

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

func definePromise(_ setting: Setting) -> any Contender {
  switch setting.strategy {
  case .swiftActor, .asyncStream: return define(setting)
  case .continuations: return TaskCase(setting) { await withCheckedContinuation { $0.resume(returning: 1) } }
  default:
    return MakingCase { [matcher = setting.matcher] in
      let promise = Promise<Int>(options: .init(matcher: matcher))
      if promise.fulfil(1) { tally(1) }
    }
  }
}

func defineLock(_ setting: Setting) -> any Contender {
  switch setting.strategy {
  case .swiftActor: return define(setting)
  case .swiftMutex: return MakingCase { MutexBox().count() }
  default:
    return MakingCase { [matcher = setting.matcher] in
      let lock = Lock(options: .init(matcher: matcher))
      try? lock.blocking.withLock { tally(1) }
    }
  }
}

private final class MutexBox: Sendable {
  private let value = Mutex(0)

  func count() {
    value.withLock {
      $0 += 1
      tally($0)
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

/// An actor with the same content.
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

/// Measures the bytes by which soups with many names are larger than those with few, for each additional name. No
/// molecule was ever stored.
func namesAlive(_ setting: Setting) -> any Contender { NamesAlive(matcher: setting.matcher) }

private final class NamesAlive: Contender {
  private let matcher: Soup.Matcher

  init(matcher: Soup.Matcher) { self.matcher = matcher }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let (few, many, count) = (4, 48, max(1, rounds / 64))
    var sample = harness_sample()
    sample.began = harness_now()
    let allocations = harness_allocations()
    let less = try bytes(names: few, count)
    let more = try bytes(names: many, count)
    sample.nanoseconds = harness_now() - sample.began
    sample.allocations = harness_allocations() - allocations
    sample.bytes = more > less ? more - less : 0
    sample.bytes_of = UInt64((many - few) * count)
    sample.reactions = UInt64((many + few) * count)
    sample.rounds = UInt64(rounds)
    sample.threads = 1
    sample.overlap = 1
    return sample
  }

  private func bytes(names: Int, _ count: Int) throws(Wrong) -> UInt64 {
    var soups: [[Injector<Int>]] = []
    soups.reserveCapacity(count)
    let before = cases_heap_bytes()
    for _ in 0..<count { soups.append(define(names)) }
    let after = cases_heap_bytes()
    for soup in soups { try Wrong.unlessEqual("names", expected: names, found: soup.count) }
    return after - before
  }

  @inline(never)
  private func define(_ count: Int) -> [Injector<Int>] {
    // Two places, because soups of one place that differ are not as small.
    Soup.define("names", with: .init(matcher: matcher), line: UInt(count)) { soup in
      let names = soup.slow("name", of: Int.self, count: count)
      soup.react(names, on: .inline) { values in tally(values.count) }
      return names
    }
  }
}
