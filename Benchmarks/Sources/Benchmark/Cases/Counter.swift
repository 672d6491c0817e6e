import CHarness
import Crucible

// counter: a plain molecule that every increment consumes and injects again. counter-state: a state in its place.
// Inline; verified by the final value.

func counter(_ setting: Setting) -> any Contender {
  let (increment, value, control) = Soup.define("counter", with: .init(matcher: setting.matcher)) { soup in
    let counter = soup.slow("counter", of: Int.self)
    let increment = soup.slow("increment")
    let value = soup.fast("value", returning: Int.self)
    soup.react(counter, increment, on: .inline) { n, _ in
      harness_reach(UInt64(n + 1))
      counter(n + 1)
    }
    soup.react(counter, value, on: .inline) { n, call in
      counter(n)
      call.reply(n)
    }
    counter(0)
    return (increment, value, soup.control)
  }
  return CounterCase(setting, increment: increment, value: value, control: control, follows: true)
}

func counterState(_ setting: Setting) -> any Contender {
  if let baseline = counterBaseline(setting, replies: false) { return baseline }
  let (increment, value, control) = Soup.define("counter-state", with: .init(matcher: setting.matcher)) { soup in
    let counter = soup.state("counter", 0)
    let increment = soup.slow("increment")
    let value = soup.fast("value", returning: Int.self)
    soup.react(state: counter, increment, on: .inline) { n, _ in n += 1 }
    soup.react(state: counter, value, on: .inline) { n, call in call.reply(n) }
    return (increment, value, soup.control)
  }
  return CounterCase(setting, increment: increment, value: value, control: control, follows: false)
}

private final class CounterCase: Contender {
  private let crew: Crew
  private let increment: Injector<Void>
  private let value: FastInjector<Void, Int>
  private let control: Soup.Control
  /// Whether the rounds follow the reactions, which publish their progress.
  private let follows: Bool

  init(
    _ setting: Setting, increment: Injector<Void>, value: FastInjector<Void, Int>, control: Soup.Control, follows: Bool
  ) {
    self.follows = follows
    crew = setting.crew
    self.increment = increment
    self.value = value
    self.control = control
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let before = try ask(value)
    if follows { harness_crew_follow(crew.handle, UInt64(before)) }
    var sample = crew.run(Job(Increments(increment: increment)), rounds: rounds, recorders: recorders)
    try control.settle(&sample)
    let rounds = Int(sample.rounds)
    sample.reactions = sample.rounds
    try Wrong.unlessEqual("end value", expected: before + rounds, found: try ask(value))
    try Wrong.unlessEqual("increments left over", expected: 0, found: control.snapshot()[increment])
    return sample
  }
}

private struct Increments: ThreadWork {
  let increment: Injector<Void>

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { _ in
      probe.measure { _ = increment() }
    }
  }
}

/// Returns the reply to a call. Blocks the thread.
func ask(_ value: FastInjector<Void, Int>) throws(Wrong) -> Int {
  do {
    return try value.blocking()
  } catch {
    throw Wrong("a call was not answered: \(error)")
  }
}
