import CHarness
import Crucible

/// A state, and a fast call that counts and replies with the new value. Inline. Verified by the final value, and by the
/// sum of the replies: each of 1, 2, … occurs once.
func counterValue(_ setting: Setting) -> Contender {
  if setting.strategy == .swiftMutex { return threadsCount(setting, replies: true) }
  let (next, control) = Soup.define("counter-value", with: setting.options) { soup in
    let counter = soup.state("counter", 0)
    let next = soup.fast("next", returning: Int.self)
    soup.react(state: counter, next, on: .inline) { n, call in
      n += 1
      call.reply(n)
    }
    return (next, soup.control)
  }
  return Contender { (rounds, recorders) throws(Wrong) in
    let before = try ask(next)
    let replies = Sum()
    var sample = setting.crew.run(Job(Calls(next: next, replies: replies)), rounds: rounds, recorders: recorders)
    try control.settle(&sample)
    let rounds = Int(sample.rounds)
    try checkReplies(replies.value, before: before, rounds: rounds)
    try Wrong.unlessEqual("end value", expected: before + rounds + 1, found: try ask(next))
    try Wrong.unlessEqual("calls left over", expected: 0, found: control.snapshot()[next])
    return sample
  }
}

private struct Calls: ThreadWork {
  let next: FastInjector<Void, Int>
  let replies: Sum

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    var sum = 0
    share.forEachRound { _ in
      // An error shows as a wrong sum.
      sum &+= probe.measure { (try? next.blocking()) ?? -1 }
    }
    replies.add(sum)
  }
}
