import CHarness
import Crucible

// Cases that only --compare runs: pairs of names that only one thread each uses, and join2 with a body that takes time.

extension Case {
  /// Cases that a run without --compare leaves out.
  static let compared = regionOnly + wide

  private static let regionOnly = [
    Case("pairs-apart", "8 pairs of names, a pair for each thread", .inline, timesCalls: true, pairs(areJoined: false)),
    Case(
      "pairs-joined", "the same in one component, for each pair could react with one more name", .inline,
      timesCalls: true, pairs(areJoined: true)),
    Case("join2-work", "join2 with a body of 1 µs", .inline, timesCalls: true, join2Work),
  ]
}

/// Makes eight reactions over two names each. If joined, another name connects them, which no code injects.
private func pairs(areJoined: Bool) -> Opening {
  { setting in
    let (pairs, control) = Soup.define(
      "pairs", with: .init(matcher: setting.matcher, allowing: [.shadowed, .neverFires])
    ) { soup in
      let firsts = soup.slow("first", of: Int.self, count: 8)
      let seconds = soup.slow("second", of: Int.self, count: 8)
      for (first, second) in zip(firsts, seconds) {
        soup.react(first, second, on: .inline) { a, b in tally(a &+ b) }
      }
      if areJoined {
        let bystander = soup.slow("bystander")
        for first in firsts { soup.react(first, bystander, on: .inline) { _, _ in neverEnabled() } }
      }
      return (Array(zip(firsts, seconds)), soup.control)
    }
    return inline(setting, Job(Pairs(pairs: pairs)), control, valuesPerRound: 2)
  }
}

private func join2Work(_ setting: Setting) -> Contender {
  let (a, b, control) = Soup.define("join2-work", with: setting.options) { soup in
    let a = soup.slow("a", of: Int.self)
    let b = soup.slow("b", of: Int.self)
    soup.react(a, b, on: .inline) { a, b in
      let end = harness_now() + 1000
      while harness_now() < end { harness_pause() }
      tally(a &+ b)
    }
    return (a, b, soup.control)
  }
  return inline(setting, Job(Join2(a: a, b: b)), control, valuesPerRound: 2)
}

private struct Pairs: ThreadWork {
  let pairs: [(Injector<Int>, Injector<Int>)]

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    let (first, second) = pairs[share.thread % pairs.count]
    share.forEachRound { round in
      probe.measure { _ = first(round) }
      probe.measure { _ = second(round) }
    }
  }
}
