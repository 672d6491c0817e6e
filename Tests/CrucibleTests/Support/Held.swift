import Crucible
import CrucibleTestSupport
import Testing

/// A body that blocks, and says so to the pool, from `began` until `gate` is open; some go on from then until `end` is.
struct Held: Sendable {
  let began: Latch
  let gate: Gate
  let end = Gate()
}

/// `hold`: a body that blocks marked. `go`: one that blocks unmarked until so many of it run as the latch counts.
func bodies() -> (Injector<Held>, Injector<Latch>, Soup.Control) {
  Soup.define("bodies") { soup in
    let hold = soup.slow("hold", of: Held.self)
    let go = soup.slow("go", of: Latch.self)
    soup.react(hold) { held in
      Soup.Pool.blocking {
        held.began.countDown()
        held.gate.waitBlocking()
      }
    }
    soup.react(go) { all in
      all.countDown()
      all.waitBlocking()
    }
    return (hold, go, soup.control)
  }
}

/// Waits until it is so, and records an issue if that does not come about while patience lasts.
func eventually(
  _ sentence: String, _ location: SourceLocation = #_sourceLocation, _ isSo: () -> Bool
) async {
  let deadline = ContinuousClock.now + patience
  while !isSo() && ContinuousClock.now < deadline { await Task.yield() }
  #expect(isSo(), "\(sentence): \(Soup.Pool.status)", sourceLocation: location)
}

extension Soup.Pool {
  /// Waits until it has `threads` threads, and does not when patience ends.
  static func shrinks(to threads: Int, _ location: SourceLocation = #_sourceLocation) async {
    await eventually("has \(threads) threads", location) { status.threads == threads }
  }
}
