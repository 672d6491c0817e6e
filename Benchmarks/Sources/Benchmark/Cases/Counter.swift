import CHarness
import Crucible

// counter: a plain molecule that every increment consumes and injects again. counter-state: a state in its place.
// Inline; verified by the final value.

func counter(_ setting: Setting) -> Contender {
  let (increment, value, control) = Soup.define("counter", with: setting.options) { soup in
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
  return counting(setting, increment, value, control, follows: true)
}

func counterState(_ setting: Setting) -> Contender {
  if setting.strategy == .swiftMutex { return threadsCount(setting, replies: false) }
  let (increment, value, control) = Soup.define("counter-state", with: setting.options) { soup in
    let counter = soup.state("counter", 0)
    let increment = soup.slow("increment")
    let value = soup.fast("value", returning: Int.self)
    soup.react(state: counter, increment, on: .inline) { n, _ in n += 1 }
    soup.react(state: counter, value, on: .inline) { n, call in call.reply(n) }
    return (increment, value, soup.control)
  }
  return counting(setting, increment, value, control, follows: false)
}

/// - Parameter follows: whether the rounds follow the reactions, which publish their progress.
private func counting(
  _ setting: Setting, _ increment: Injector<Void>, _ value: FastInjector<Void, Int>, _ control: Soup.Control,
  follows: Bool
) -> Contender {
  let (crew, job) = (setting.crew, Job(Increments(increment: increment)))
  return Contender { (rounds, recorders) throws(Wrong) in
    let before = try ask(value)
    if follows { harness_crew_follow(crew.handle, UInt64(before)) }
    var sample = crew.run(job, rounds: rounds, recorders: recorders)
    try control.settle(&sample)
    try Wrong.unlessEqual("end value", expected: before + Int(sample.rounds), found: try ask(value))
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
