import Crucible
import Synchronization

private let places = 503

/// 503 soups in a ring. Each passes the number that it gets to the next one, less by one, until the number is 0.
func ring(_ setting: Setting) -> Contender {
  if setting.strategy == .swiftActor { return actorRing() }
  let gate = Gate()
  let closing = Closing<Injector<Int>>()
  var next: Injector<Int>?
  for _ in 0..<places {
    next = Soup.define("ring", with: setting.options) { [next] soup in
      let token = soup.slow("token", of: Int.self)
      soup.react(token) { n in
        tallyStamped(n)
        if n == 0 { gate.open() } else { (next ?? closing.first)?(n - 1) }
      }
      return token
    }
  }
  closing.set(next?.weak)
  let first = next!
  return chained(gate) { first($0) }
}

/// Baseline: 503 actors. A task for each message calls the next actor, because no code waits for an answer.
private func actorRing() -> Contender {
  let gate = Gate()
  let closing = Closing<Node>()
  var next: Node?
  for _ in 0..<places { next = Node(next: next, closing: closing, gate: gate) }
  let first = next!
  // The ring is closed only while a number goes round, because a closed ring keeps itself.
  return chained(gate) { number in
    closing.set(first)
    Task { await first.pass(number) }
  }
}

private actor Node {
  private let next: Node?
  private let closing: Closing<Node>
  private let gate: Gate

  init(next: Node?, closing: Closing<Node>, gate: Gate) {
    self.next = next
    self.closing = closing
    self.gate = gate
  }

  func pass(_ n: Int) {
    tallyStamped(n)
    if n == 0 {
      closing.set(nil)
      return gate.open()
    }
    let next = next ?? closing.first
    Task { await next?.pass(n - 1) }
  }
}

/// The first of a ring, which is made last. It closes the ring.
private final class Closing<Place: Sendable>: Sendable {
  private let place = Mutex<Place?>(nil)

  var first: Place? { place.withLock { $0 } }

  func set(_ first: Place?) { place.withLock { $0 = first } }
}
