import CCases
import CHarness
import Compounds
import Crucible
import Synchronization

// define: a thread makes a soup, an actor or a continuation, uses it once and releases it. The soup is the
// counter's, with a state, two names and two reactions, or that of a Promise or of a Lock. Verified by the tally of the
// uses.

func define(_ setting: Setting) -> Contender {
  if setting.strategy == .swiftActor { return making { _ = Once() } }
  return making { [matcher = setting.matcher] in
    let (increment, _) = defineCounter(matcher)
    increment()
  }
}

func definePromise(_ setting: Setting) -> Contender {
  switch setting.strategy {
  case .swiftActor: return define(setting)
  case .continuations: return tasks(setting) { await withCheckedContinuation { $0.resume(returning: 1) } }
  default:
    return making { [matcher = setting.matcher] in
      let promise = Promise<Int>(options: .init(matcher: matcher))
      if promise.fulfil(1) { tally(1) }
    }
  }
}

func defineLock(_ setting: Setting) -> Contender {
  switch setting.strategy {
  case .swiftActor: return define(setting)
  case .swiftMutex: return making { MutexBox().count() }
  default:
    return making { [matcher = setting.matcher] in
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

/// Makes a thing for 64 rounds, because making costs as much as many reactions.
private func making(_ make: @escaping () -> Void) -> Contender {
  Contender { (rounds, _) throws(Wrong) in
    let count = max(1, rounds / 64)
    harness_tally_reset()
    var sample = try harness_sample.onThisThread(rounds: rounds) { _ in for _ in 0..<count { make() } }
    sample.reactions = UInt64(count)
    try Wrong.unlessTallied(count, sum: UInt64(count))
    return sample
  }
}

/// Measures the bytes by which soups with many names are larger than those with few, for each additional name. No
/// molecule was ever stored.
func namesAlive(_ setting: Setting) -> Contender {
  let options = setting.options
  return Contender { (rounds, _) throws(Wrong) in
    let (few, many, count) = (4, 48, max(1, rounds / 64))
    return try harness_sample.onThisThread(rounds: rounds) { sample throws(Wrong) in
      let less = try bytes(names: few, count, options)
      let more = try bytes(names: many, count, options)
      sample.bytes = more > less ? more - less : 0
      sample.bytes_of = UInt64((many - few) * count)
      sample.reactions = UInt64((many + few) * count)
    }
  }
}

private func bytes(names: Int, _ count: Int, _ options: Soup.Options) throws(Wrong) -> UInt64 {
  var soups: [[Injector<Int>]] = []
  soups.reserveCapacity(count)
  let before = cases_heap_bytes()
  for _ in 0..<count { soups.append(define(names, options)) }
  let after = cases_heap_bytes()
  for soup in soups { try Wrong.unlessEqual("names", expected: names, found: soup.count) }
  return after - before
}

@inline(never)
private func define(_ count: Int, _ options: Soup.Options) -> [Injector<Int>] {
  // Two places, because soups of one place that differ are not as small.
  Soup.define("names", with: options, line: UInt(count)) { soup in
    let names = soup.slow("name", of: Int.self, count: count)
    soup.react(names, on: .inline) { values in tally(values.count) }
    return names
  }
}
