import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// A compound and its sequential model, which does one operation after the other. An exchanger and a rendezvous have no
/// such model, because two of their calls take effect together.
struct Modelled: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Runs one random history. Returns it if no order of its steps explains it.
  let trial: @Sendable (World, Soup.Options, UInt64) async throws -> String?

  static let all = [
    event, gate, latch, barrier, limiter, channel, buffer, counter, cache, dedup,
    debounce, throttle, batcher, promise, once, topic, publications, agent, asyncAgent, keyedLimiter, correlator,
    batches, windows, agents, generator, coroutine,
  ]

  /// The reply to a call that waits for some microseconds, or not; nil if it was in vain. Such a call may be in vain at
  /// any time, because another thread may hold the compound up.
  @available(*, noasync)
  static func attempt<Input, Output>(
    _ name: FastInjector<Input, Output>, _ input: Input, _ random: inout Seeded
  ) throws -> Output? {
    try name.blockingOutcome(input, within: limit(&random)).inTime()
  }

  static func limit(_ random: inout Seeded) -> Duration {
    .nanoseconds(max(0, Int.random(in: -10_000...20_000, using: &random)))
  }

  enum Signal: Sendable { case ask, turnOn, turnOff, pass }

  struct Position: Hashable {
    var isOn = false
    var waiting = 0

    /// What asks passes at that moment, or with the next one that turns on.
    mutating func apply(_ signal: Signal) -> Bool {
      switch signal {
      case .ask: if !isOn { waiting += 1 }
      case .turnOn: self = Position(isOn: true)
      case .turnOff: isOn = false
      case .pass: return isOn
      }
      return true
    }
  }
}

@Suite(.watched)
struct `Compounds beside sequential models` {
  @Test(arguments: Modelled.all, matchers)
  func `Some order of the steps explains each history of a compound`(
    modelled: Modelled, matcher: Matcher
  ) async throws {
    let seed = Run.seed(of: "histories of \(modelled.testDescription) on \(matcher)")
    for round in 0..<UInt64(scaled(10)) {
      try await explore(matchers: [matcher], schedules: 4, seed: seed &+ round) { world in
        let unexplained = try await modelled.trial(world, .init(matcher: matcher), seed &+ round &* 1_000)
        #expect(unexplained == nil)
      }
    }
  }

  @Test func `A history that no order explains is found`() {
    func history(_ moments: [(Int, Int)]) -> [Step<Int>] {
      moments.enumerated().map { Step(action: $0, begin: $1.0, end: $1.1) }
    }
    // The steps must take effect in the order of their numbers.
    func isInOrder(_ steps: [Step<Int>]) -> Bool {
      isExplained(steps, from: 0) { next, number in
        defer { next += 1 }
        return number == next
      } finally: {
        $0 == steps.count
      }
    }
    #expect(isInOrder(history([(1, 2), (3, 4), (5, 6)])))
    #expect(isInOrder(history([(5, 9), (1, 8), (7, 10)])))
    #expect(!isInOrder(history([(3, 4), (1, 2)])))
    #expect(!isInOrder(history([(3, 9), (1, 8), (2, 3)])))
  }
}
