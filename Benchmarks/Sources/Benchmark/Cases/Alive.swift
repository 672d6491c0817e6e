import CCases
import CHarness
import Compounds
import Crucible

// alive, alive-promise, alive-lock, slope-soups: the counter's soup, a Promise or a Lock, many of them alive at once.
// Verified: each was used separately.

func promisesAlive(_ count: Int) -> @Sendable (Setting) -> any Contender {
  { setting in AliveCase(count: count, PromiseKind(matcher: setting.matcher)) }
}

func locksAlive(_ count: Int) -> @Sendable (Setting) -> any Contender {
  { setting in AliveCase(count: count, LockKind(matcher: setting.matcher)) }
}

/// What the soups of an `AliveCase` are.
protocol AliveKind {
  associatedtype Made

  func make() -> Made
  /// Uses it for the first time.
  func use(_ made: Made)
  /// Throws unless it was used once.
  func check(_ made: Made) throws(Wrong)
}

/// Makes `count` soups, all alive at once, and uses each. Measures the time to make and to release each, and its bytes
/// of the heap. A reaction is a soup.
final class AliveCase<Kind: AliveKind>: Contender {
  private let count: Int
  private let kind: Kind

  init(count: Int, _ kind: Kind) {
    self.count = count
    self.kind = kind
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let lives = max(1, rounds / count)
    let allocations = harness_allocations()
    let cpu = harness_process_cpu()
    var sample = harness_sample()
    sample.began = harness_now()
    for life in 0..<lives {
      var soups: [Kind.Made] = []
      soups.reserveCapacity(count)
      let before = life == 0 ? cases_heap_bytes() : 0
      var start = harness_now()
      for _ in 0..<count { soups.append(kind.make()) }
      sample.fill_nanoseconds += harness_now() - start
      for soup in soups { kind.use(soup) }
      if life == 0 {
        let after = cases_heap_bytes()
        sample.bytes = after > before ? after - before : 0
        sample.bytes_of = UInt64(count)
        for soup in soups { try kind.check(soup) }
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
}

private struct PromiseKind: AliveKind {
  let matcher: Soup.Matcher

  func make() -> Promise<Int> { Promise(options: .init(matcher: matcher)) }
  func use(_ promise: Promise<Int>) { promise.fulfil(1) }

  func check(_ promise: Promise<Int>) throws(Wrong) {
    try Wrong.unlessEqual("fulfilled again", expected: false, found: promise.fulfil(2))
    try Wrong.unlessEqual("value", expected: 1, found: try ask(promise.value))
  }
}

private struct LockKind: AliveKind {
  let matcher: Soup.Matcher

  func make() -> Lock { Lock(options: .init(matcher: matcher)) }
  /// An error leaves the lock free, too, so `check` acquires it again.
  func use(_ lock: Lock) { try? lock.blocking.withLock {} }

  func check(_ lock: Lock) throws(Wrong) {
    try Wrong.unlessEqual("acquired while free", expected: true, found: isAcquired(lock))
    try Wrong.unlessEqual("acquired while not free", expected: false, found: isAcquired(lock))
    lock.release()
  }

  private func isAcquired(_ lock: Lock) -> Bool { (try? lock.acquire.blocking(within: .zero)) != nil }
}
