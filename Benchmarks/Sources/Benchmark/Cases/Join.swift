import Crucible

// join1, join2, join3, join6: k names, one reaction over all of them, inline. In every round a thread injects all k
// names in turn, each with the number of the round.

func join1(_ setting: Setting) -> any Contender {
  let (a, control) = Soup.define("join1", with: .init(matcher: setting.matcher)) { soup in
    let a = soup.slow("a", of: Int.self)
    soup.react(a, on: .inline) { a in tally(a) }
    return (a, soup.control)
  }
  return InlineCase(setting, Job(Join1(a: a)), control: control, valuesPerRound: 1) { control.snapshot()[a] }
}

func join2(_ setting: Setting) -> any Contender {
  if setting.strategy == .swiftMutex { return MutexJoin(setting) }
  let (a, b, control) = Soup.define("join2", with: .init(matcher: setting.matcher)) { soup in
    let a = soup.slow("a", of: Int.self)
    let b = soup.slow("b", of: Int.self)
    soup.react(a, b, on: .inline) { a, b in tally(a &+ b) }
    return (a, b, soup.control)
  }
  return InlineCase(setting, Job(Join2(a: a, b: b)), control: control, valuesPerRound: 2) {
    let counts = control.snapshot()
    return counts[a] + counts[b]
  }
}

func join3(_ setting: Setting) -> any Contender {
  let (a, b, c, control) = Soup.define("join3", with: .init(matcher: setting.matcher)) { soup in
    let a = soup.slow("a", of: Int.self)
    let b = soup.slow("b", of: Int.self)
    let c = soup.slow("c", of: Int.self)
    soup.react(a, b, c, on: .inline) { a, b, c in tally(a &+ b &+ c) }
    return (a, b, c, soup.control)
  }
  return InlineCase(setting, Job(Join3(a: a, b: b, c: c)), control: control, valuesPerRound: 3) {
    let counts = control.snapshot()
    return counts[a] + counts[b] + counts[c]
  }
}

func join6(_ setting: Setting) -> any Contender {
  let (a, b, c, d, e, f, control) = Soup.define("join6", with: .init(matcher: setting.matcher)) { soup in
    let a = soup.slow("a", of: Int.self)
    let b = soup.slow("b", of: Int.self)
    let c = soup.slow("c", of: Int.self)
    let d = soup.slow("d", of: Int.self)
    let e = soup.slow("e", of: Int.self)
    let f = soup.slow("f", of: Int.self)
    soup.react(a, b, c, d, e, f, on: .inline) { a, b, c, d, e, f in tally(a &+ b &+ c &+ d &+ e &+ f) }
    return (a, b, c, d, e, f, soup.control)
  }
  return InlineCase(setting, Job(Join6(a: a, b: b, c: c, d: d, e: e, f: f)), control: control, valuesPerRound: 6) {
    let counts = control.snapshot()
    return counts[a] + counts[b] + counts[c] + counts[d] + counts[e] + counts[f]
  }
}

private struct Join1: ThreadWork {
  let a: Injector<Int>

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in
      probe.measure { _ = a(round) }
    }
  }
}

private struct Join2: ThreadWork {
  let a, b: Injector<Int>

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in
      probe.measure { _ = a(round) }
      probe.measure { _ = b(round) }
    }
  }
}

private struct Join3: ThreadWork {
  let a, b, c: Injector<Int>

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in
      probe.measure { _ = a(round) }
      probe.measure { _ = b(round) }
      probe.measure { _ = c(round) }
    }
  }
}

private struct Join6: ThreadWork {
  let a, b, c, d, e, f: Injector<Int>

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in
      probe.measure { _ = a(round) }
      probe.measure { _ = b(round) }
      probe.measure { _ = c(round) }
      probe.measure { _ = d(round) }
      probe.measure { _ = e(round) }
      probe.measure { _ = f(round) }
    }
  }
}
