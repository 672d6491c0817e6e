import CHarness
import Crucible
import Synchronization

private let places = 503

/// 503 soups in a ring. Each passes the number that it gets to the next one, less by one, until the number is 0.
func ring(_ setting: Setting) -> any Contender {
  if setting.strategy == .swiftActor { return ActorRingCase() }
  let gate = Gate()
  let closing = Closing<Injector<Int>>()
  var next: Injector<Int>?
  for _ in 0..<places {
    next = Soup.define("ring", with: .init(matcher: setting.matcher)) { [next] soup in
      let token = soup.slow("token", of: Int.self)
      soup.react(token) { n in
        tallyStamped(n)
        if n == 0 { gate.open() } else { (next ?? closing.first)?(n - 1) }
      }
      return token
    }
  }
  closing.set(next?.weak)
  return RingCase(gate: gate, first: next!)
}

private final class RingCase: Contender {
  private let gate: Gate
  private let first: Injector<Int>

  init(gate: Gate, first: Injector<Int>) {
    self.gate = gate
    self.first = first
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    var sample = gate.run { _ = first(rounds - 1) }
    try checkChain(&sample, rounds: rounds)
    return sample
  }
}

/// Baseline: 503 actors. A task for each message calls the next actor, because no code waits for an answer.
private final class ActorRingCase: Contender {
  private let gate = Gate()
  private let closing = Closing<Node>()
  private let first: Node

  init() {
    var next: Node?
    for _ in 0..<places { next = Node(next: next, closing: closing, gate: gate) }
    first = next!
    closing.set(first)
  }

  deinit { closing.set(nil) }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    var sample = gate.run { [first] in
      Task { await first.pass(rounds - 1) }
    }
    try checkChain(&sample, rounds: rounds)
    return sample
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
    if n == 0 { return gate.open() }
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
