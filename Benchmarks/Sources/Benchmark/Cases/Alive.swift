import CCases
import CHarness
import Compounds
import Crucible

// alive, alive-promise, alive-lock, slope-soups, slope-timers: the counter's soup, a Promise, a Lock or a timer, many
// of them alive at once. Verified: each was used separately.

func soupsAlive(_ count: Int) -> Opening { { alive(count, CounterKind(options: $0.options)) } }
func promisesAlive(_ count: Int) -> Opening { { alive(count, PromiseKind(options: $0.options)) } }
func locksAlive(_ count: Int) -> Opening { { alive(count, LockKind(options: $0.options)) } }
func timersAlive(_ count: Int) -> Opening { { alive(count, TimerKind($0.options)) } }

/// Threads that arm and cancel timers of one soup. A reaction is a timer.
func timersOfThreads(_ setting: Setting) -> Contender {
  let timers = TimerKind(setting.options)
  return Contender { (rounds, recorders) throws(Wrong) in
    let sample = setting.crew.run(Job(timers), rounds: rounds, recorders: recorders)
    try timers.checkEnd()
    return sample
  }
}

/// What is alive.
private protocol AliveKind {
  associatedtype Made

  func make(_ number: Int) -> Made
  /// Uses it for the first time.
  func use(_ made: Made)
  /// Throws unless it is as it was made, and was used once.
  func check(_ made: Made) throws(Wrong)
  /// Ends one before it is released.
  func end(_ made: Made)
  /// Throws unless nothing is left after the release.
  func checkEnd() throws(Wrong)
}

extension AliveKind {
  fileprivate func end(_ made: Made) {}
  fileprivate func checkEnd() throws(Wrong) {}
}

/// Makes `count` things, all alive at once, and uses each. Measures the time to make and to release each, and its bytes
/// of the heap. A reaction is a thing.
private func alive<Kind: AliveKind>(_ count: Int, _ kind: Kind) -> Contender {
  Contender { (rounds, _) throws(Wrong) in
    let lives = max(1, rounds / count)
    var sample = try harness_sample.onThisThread(rounds: rounds) { sample throws(Wrong) in
      for life in 0..<lives {
        var all: [Kind.Made] = []
        all.reserveCapacity(count)
        let before = life == 0 ? cases_heap_bytes() : 0
        sample.fill_nanoseconds += timed { for number in 0..<count { all.append(kind.make(number)) } }
        for one in all { kind.use(one) }
        if life == 0 {
          let after = cases_heap_bytes()
          sample.bytes = after > before ? after - before : 0
          sample.bytes_of = UInt64(count)
          for one in all { try kind.check(one) }
        }
        sample.drain_nanoseconds += timed {
          for one in all { kind.end(one) }
          all = []
        }
        try kind.checkEnd()
      }
    }
    sample.reactions = UInt64(lives * count)
    sample.backlog = sample.reactions
    return sample
  }
}

private struct CounterKind: AliveKind {
  let options: Soup.Options

  func make(_: Int) -> (increment: Injector<Void>, value: FastInjector<Void, Int>) {
    let (increment, value) = Soup.define("counter", with: options) { soup in
      let counter = soup.state("counter", 0)
      let increment = soup.slow("increment")
      let value = soup.fast("value", returning: Int.self)
      soup.react(state: counter, increment, on: .inline) { n, _ in n += 1 }
      soup.react(state: counter, value, on: .inline) { n, call in call.reply(n) }
      return (increment, value)
    }
    return (increment, value)
  }

  func use(_ soup: (increment: Injector<Void>, value: FastInjector<Void, Int>)) { soup.increment() }

  func check(_ soup: (increment: Injector<Void>, value: FastInjector<Void, Int>)) throws(Wrong) {
    try Wrong.unlessEqual("count", expected: 1, found: try ask(soup.value))
  }
}

private struct PromiseKind: AliveKind {
  let options: Soup.Options

  func make(_: Int) -> Promise<Int> { Promise(options: options) }
  func use(_ promise: Promise<Int>) { promise.fulfil(1) }

  func check(_ promise: Promise<Int>) throws(Wrong) {
    try Wrong.unlessEqual("fulfilled again", expected: false, found: promise.fulfil(2))
    try Wrong.unlessEqual("value", expected: 1, found: try ask(promise.value))
  }
}

private struct LockKind: AliveKind {
  let options: Soup.Options

  func make(_: Int) -> Lock { Lock(options: options) }
  /// An error leaves the lock free, too, so `check` acquires it again.
  func use(_ lock: Lock) { try? lock.blocking.withLock {} }

  func check(_ lock: Lock) throws(Wrong) {
    try Wrong.unlessEqual("acquired while free", expected: true, found: isAcquired(lock))
    try Wrong.unlessEqual("acquired while not free", expected: false, found: isAcquired(lock))
    lock.release()
  }

  private func isAcquired(_ lock: Lock) -> Bool { (try? lock.acquire.blocking(within: .zero)) != nil }
}

/// Timers of one soup. Each is armed until it is cancelled, once.
private struct TimerKind: AliveKind {
  private let tick: Injector<Int>
  private let control: Soup.Control
  private let notCancelled = Sum()

  init(_ options: Soup.Options) {
    (tick, control) = Soup.define("timers", with: options) { soup in
      let tick = soup.slow("tick", of: Int.self)
      soup.react(tick, on: .inline) { _ in }
      return (tick, soup.control)
    }
  }

  /// Their times are spread over an hour, and begin an hour from now.
  func make(_ number: Int) -> Soup.Timer { tick.after(.seconds(3600 + number % 3600), number) }
  func use(_ timer: Soup.Timer) {}
  func check(_ timer: Soup.Timer) throws(Wrong) {
    try Wrong.unlessEqual("armed", expected: true, found: timer.isArmed)
  }
  func end(_ timer: Soup.Timer) { if !timer.cancel() { notCancelled.add(1) } }
  func checkEnd() throws(Wrong) {
    try Wrong.unlessEqual("timers that were not cancelled", expected: 0, found: notCancelled.value)
    try control.rest()
  }
}

extension TimerKind: ThreadWork {
  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in probe.measure { end(make(round)) } }
  }
}
