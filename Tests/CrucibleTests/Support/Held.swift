import Crucible
import CrucibleTestSupport
import Testing

/// A body that blocks, marked for the pool, from `began` until `gate` is open. Some continue until `end` is open.
struct Held: Sendable {
  let began: Latch
  let gate: Gate
  let end = Gate()
}

/// Makes `hold`, whose body blocks in marked code, and `go`, whose body blocks unmarked until its latch opens.
func bodies() -> (Injector<Held>, Injector<Latch>, Soup.Control) {
  Soup.Options().define(slow("hold", of: Held.self), slow("go", of: Latch.self)) { soup, hold, go in
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
  }
}

extension Soup.Pool {
  /// Waits until the pool has `threads` threads, or until patience ends.
  static func shrinks(to threads: Int, _ location: SourceLocation = #_sourceLocation) async {
    await eventually("the pool has \(threads) threads", location) { status.threads == threads }
  }
}
