import CHarness
import Crucible

// await, await-limit: a task on the pool calls, and suspends until a reaction on the pool replies. await has no limit;
// await-limit has one that is never reached. await-at-once: the reaction is inline, so the reply exists before the task
// would suspend. Verified by the sum of the replies, and by the number of limits that were reached.

func awaitReply(_ setting: Setting) -> any Contender { AwaitCase(setting, on: .pool, within: nil) }
func awaitAtOnce(_ setting: Setting) -> any Contender { AwaitCase(setting, on: .inline, within: nil) }
func awaitLimit(_ setting: Setting) -> any Contender { AwaitCase(setting, on: .pool, within: .seconds(3600)) }

private final class AwaitCase: Contender {
  private let ask: FastInjector<Int, Int>
  private let control: Soup.Control
  private let limit: Duration?
  private let gate = Gate()

  init(_ setting: Setting, on placement: Placement, within limit: Duration?) {
    self.limit = limit
    (ask, control) = Soup.define("await", with: .init(matcher: setting.matcher)) { soup in
      let ask = soup.fast("ask", of: Int.self, returning: Int.self)
      soup.react(ask, on: placement) { call in call.reply(call.input + 1) }
      return (ask, soup.control)
    }
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let replies = Sum()
    var sample = gate.run { [ask, limit, gate] in
      Task.detached(executorPreference: Soup.Pool.executor) {
        // An error shows as a wrong sum.
        var sum = 0
        if let limit {
          for round in 0..<rounds { sum &+= (try? await ask(round, within: limit)) ?? 0 }
        } else {
          for round in 0..<rounds { sum &+= (try? await ask(round)) ?? 0 }
        }
        replies.add(sum)
        gate.open()
      }
    }
    try control.rest()
    sample.threads = 1
    sample.overlap = 1
    sample.rounds = UInt64(rounds)
    sample.reactions = UInt64(rounds)
    try Wrong.unlessEqual("sum of the replies", expected: rounds * (rounds + 1) / 2, found: replies.value)
    try Wrong.unlessEqual("calls left over", expected: 0, found: control.snapshot()[ask])
    return sample
  }
}
