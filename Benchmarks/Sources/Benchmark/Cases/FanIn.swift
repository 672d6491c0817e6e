import Crucible

/// Eight sources and a token. Each source has its own reaction with the token, so eight reactions compete for one name.
/// In every round a thread injects a token and then the next source in turn.
func fanIn(_ setting: Setting) -> Contender {
  // The sources leave the definition in an array, and each owns the soup.
  let (sources, token, control) = Soup.define("fan-in", with: setting.options) { soup in
    let token = soup.slow("token")
    let sources = soup.slow("source", of: Int.self, count: 8)
    for source in sources {
      soup.react(source, token, on: .inline) { value, _ in tally(value) }
    }
    return (sources, token, soup.control)
  }
  return inline(setting, Job(FanIn(token: token, sources: sources)), control, valuesPerRound: 1)
}

private struct FanIn: ThreadWork {
  let token: Injector<Void>
  let sources: [Injector<Int>]

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in
      probe.measure { _ = token() }
      probe.measure { _ = sources[round & 7](round) }
    }
  }
}
