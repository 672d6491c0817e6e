import Crucible
import CrucibleTestSupport
import Testing

/// The graph of what bodies do during a recording.
@Suite(.watched)
struct `A recorded graph` {
  @Test(arguments: Run.setups)
  func `A recorded graph has what bodies, the definition and others injected`(setup: Setup) async {
    let (_, go, _, more, control) = setup.define(
      slow("grain", of: Int.self), slow("go", of: Int.self), slow("flour"), slow("more")
    ) { soup, grain, go, flour, more in
      soup.react(grain, go) { _, n in
        if n > 0 { go(n - 1) }
        flour.inject(count: 2)
      }
      soup.react(flour, more) { _, _ in }
      for n in 0..<3 { grain(n) }
    }
    let recording = ReactionGraph.Recording(of: control)
    go(2)
    await control.settle()
    recording.end()
    more()
    await control.settle()
    let graph = recording.graphs[0]
    #expect(recording.graphs.count == 1 && graph.soups == 1)
    #expect(graph.outcomes.map(\.reaction) == [0, 0])
    #expect(graph.outcomes.map(\.injected) == [[1: 1, 2: 2], [2: 2]])
    #expect(graph.outcomes.map(\.times) == [2, 1])
    #expect(graph.supplied == [1: 1], "a body's injections and later ones do not count")
    #expect(graph.initial == [:], "the recording began after the definition")
    #expect(graph.names.map(\.label) == control.graph.names.map(\.label))
    let dot = graph.dot
    #expect(DotReader.mistakes(in: dot) == [])
    for edge in ["s1 -> n1;", "n0 -> r0;", "r0 -> n1 [style=dashed];", #"r0 -> n2 [label="2"];"#] {
      #expect(dot.contains("\n  \(edge)\n"), "\(edge)")
    }
    #expect(!dot.contains("r1 -> "))
  }

  @Test func `A recorded graph knows the definition's own molecules, async bodies and other soups`() async {
    // In a process of its own, because it would observe the soups of all tests that run at the same time.
    await #expect(processExitsWith: .success) {
      for matcher in Matcher.all { await recordTwoSoups(matcher) }
    }
  }
}

private func recordTwoSoups(_ matcher: Matcher) async {
  let recording = ReactionGraph.Recording()
  let (pass, other) = matcher.react(slow("pass", of: Injector<Void>.self), on: .inline) { name in name() }
  let (begin, _, _, control) = matcher.define(
    slow("begin"), slow("seed"), slow("end"), named: "near by \(matcher)"
  ) { soup, begin, seed, end in
    soup.react(begin, seed) { _, _ async in
      await Task.yield()
      end()
      pass(end.weak)
    }
    soup.react(end, end) { _, _ in }
    seed()
  }
  begin()
  await control.settle()
  await other.settle()
  let graph = recording.graphs.first { $0.soup == "near by \(matcher)" }!
  recording.end()
  #expect(graph.initial == [1: 1])
  #expect(graph.outcomes.map(\.injected) == [[2: 1], [:]])
  #expect(graph.supplied == [0: 1, 2: 1], "a body of another soup is outside")
}
