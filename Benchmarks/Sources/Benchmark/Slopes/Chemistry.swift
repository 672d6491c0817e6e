import Crucible

// join1 in larger and larger soups, and reactions over more and more names.

/// Makes a soup of `count` names. The first has the reaction that fires; the others have reactions among themselves.
/// All of these are in one component, or, if there are more of them, in several components of 31 names.
func namesSlope(_ count: Int) -> Opening {
  { setting in
    joinOne(setting, names: count) { soup, names in
      for index in names.indices.dropFirst() where index % mostNames != 0 {
        soup.react(names[index - 1], names[index], on: .inline) { _, _ in neverEnabled() }
      }
      if count % mostNames == 1 && count > 1 { soup.react(names[count - 1], on: .inline) { _ in neverEnabled() } }
    }
  }
}

/// Makes `count` reactions over names of one component. Only the first two have the name that is injected.
func reactionsSlope(_ count: Int) -> Opening {
  { setting in
    // Every pair of bystanders is a reaction. The order uses as few bystanders as possible.
    let pairs = (2..<mostNames).flatMap { second in (1..<second).map { ($0, second) } }.prefix(max(0, count - 2))
    let names = 1 + max(count > 1 ? 1 : 0, pairs.map(\.1).max() ?? 0)
    return joinOne(setting, names: names) { soup, names in
      if count > 1 { soup.react(names[0], names[1], on: .inline) { _, _ in neverEnabled() } }
      for (first, second) in pairs {
        soup.react(names[first], names[second], on: .inline) { _, _ in neverEnabled() }
      }
    }
  }
}

/// Makes one reaction over an array of `count` names.
func inputsSlope(_ count: Int) -> Opening {
  { setting in
    let (names, control) = Soup.define("inputs", with: setting.options) { soup in
      let names = soup.slow("name", of: Int.self, count: count)
      soup.react(names, on: .inline) { values in tally(values.reduce(0, &+)) }
      return (names, soup.control)
    }
    return inline(setting, Job(InjectAll(names: names)), control, valuesPerRound: count)
  }
}

/// The most names that a component of the matcher `word` can have.
private let mostNames = 31

/// Aborts, because no code injects the bystanders.
func neverEnabled() { fatalError("a reaction fired although nobody had injected its names") }

private func joinOne(
  _ setting: Setting, names count: Int, _ others: (Soup, [Injector<Int>]) -> Void
) -> Contender {
  let (first, control) = Soup.define(
    "slope", with: .init(matcher: setting.matcher, allowing: [.shadowed, .neverFires])
  ) { soup in
    let names = soup.slow("name", of: Int.self, count: count)
    soup.react(names[0], on: .inline) { value in tally(value) }
    others(soup, names)
    return (names[0], soup.control)
  }
  return inline(setting, Job(InjectAll(names: [first])), control, valuesPerRound: 1)
}

private struct InjectAll: ThreadWork {
  let names: [Injector<Int>]

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in
      for name in names { probe.measure { _ = name(round) } }
    }
  }
}
