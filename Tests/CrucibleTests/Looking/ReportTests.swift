import Crucible
import CrucibleTestSupport
import Testing

/// The graph of what bodies do during a recording, and the findings of its analysis.
@Suite(.watched)
struct `A recorded graph` {
  @Test(arguments: Run.setups)
  func `A recorded graph has what bodies, the definition and others injected`(setup: Setup) async {
    let line = #line
    let (go, more, control) = Soup.define("mill", with: setup.options) { soup in
      let grain = soup.slow("grain", of: Int.self)
      let go = soup.slow("go", of: Int.self)
      let flour = soup.slow("flour")
      let more = soup.slow("more")
      soup.react(grain, go) { _, n in
        if n > 0 { go(n - 1) }
        flour.inject(count: 2)
      }
      soup.react(flour, more) { _, _ in }
      for n in 0..<3 { grain(n) }
      return (go, more, soup.control)
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
    #expect(graph.mermaid.contains("\n  r0 -.-> n1\n  r0 -->|2| n2\n"))
    let unproduced = graph.report().findings.filter { $0.kind == .neverProduced }
    #expect(unproduced.map(\.source) == [2, 5].map { Soup.Source(line: line + $0) }, "those came before the recording")
    #expect(graph.report().findings.last?.kind == .neverReacts)
  }

  @Test func `A recorded graph knows the definition's own molecules, async bodies and other soups`() async {
    // In a process of its own, because it would observe the soups of all tests that run at the same time.
    await #expect(processExitsWith: .success) {
      for matcher in Matcher.all { await recordTwoSoups(matcher) }
    }
  }

  /// Records two workers that take two locks, both in one order or each in an order of its own. Returns the graph.
  private func locks(crossed: Bool) async -> ReactionGraph {
    let (starts, control) = Soup.define("locks") { soup in
      let start = soup.slow("start", count: 2)
      let lock = soup.slow("lock", count: 2)
      let half = soup.slow("half", count: 2)
      for worker in 0..<2 {
        let first = crossed ? worker : 0
        soup.react(start[worker], lock[first]) { _, _ in half[worker]() }
        soup.react(half[worker], lock[1 - first]) { _, _ in
          lock[0]()
          lock[1]()
        }
      }
      return (start + lock, soup.control)
    }
    let recording = ReactionGraph.Recording(of: control)
    starts[2]()
    starts[3]()
    for start in starts[..<2] {
      start()
      await control.settle()
    }
    recording.end()
    return recording.graphs[0]
  }

  @Test func `A report shows a deadlock, by which reactions, and which of them wait for ever`() async throws {
    let report = await locks(crossed: true).report(supply: .asSeen)
    #expect(report.isComplete)
    let found = report.findings.filter { $0.kind == .deadlock && $0.names == [2, 3] }
    let finding = try #require(found.first)
    #expect(finding.reactions == [0, 1, 2, 3])
    #expect(Set(finding.path) == [0, 2], "each worker has taken its first lock")
    #expect(finding.source.file == #fileID)
    #expect(finding.description.hasPrefix("deadlock: 'lock[0]' (CrucibleTests/ReportTests.swift:"))
    #expect(report.description.contains("\n  deadlock: 'lock[0]'"))
  }

  @Test func `A report shows no deadlock of locks that are taken in one order`() async {
    let report = await locks(crossed: false).report(supply: .asSeen)
    #expect(report.isComplete)
    // A molecule that starts a worker is used up, but the locks are not.
    #expect(report.findings.filter { $0.kind == .deadlock && !$0.names.contains { $0 < 2 } } == [])
  }

  @Test func `A report shows a name that grows, and none where each body gives what it took`() async {
    await #expect(processExitsWith: .success) {
      for children in [1, 2] { await recordCells(children) }
    }
  }

  @Test func `A report shows names that nothing injects, and reactions that nothing leads to`() async {
    let line = #line
    let (go, control) = Soup.define("idle") { soup in
      let go = soup.slow("go", of: Bool.self)
      let part = soup.slow("part")
      let whole = soup.slow("whole")
      soup.react(go) { isReal in if isReal { part() } }
      soup.react(part) { _ in whole() }
      soup.react(whole) { _ in }
      return (go, soup.control)
    }
    var recording = ReactionGraph.Recording(of: control)
    go(false)
    await control.settle()
    recording.end()
    let report = recording.graphs[0].report()
    #expect(report.findings.map(\.kind) == [.neverProduced, .neverProduced, .neverReacts, .neverReacts])
    #expect(report.findings.map(\.source) == [3, 4, 6, 7].map { Soup.Source(line: line + $0) })
    recording = ReactionGraph.Recording(of: control)
    go(true)
    await control.settle()
    recording.end()
    #expect(recording.graphs[0].report().findings.map(\.kind) == [.unbounded, .unbounded])
  }

  @Test func `A report is incomplete without a recording, and where it has not looked at all`() async {
    let (names, control) = Soup.Options().define(slow("name", count: 9)) { soup, names in
      for name in names { soup.react(name) { _ in } }
    }
    let empty = control.graph.report()
    #expect(!empty.isComplete && empty.findings == [])
    let recording = ReactionGraph.Recording(of: control)
    for name in names { name() }
    await control.settle()
    recording.end()
    #expect(recording.graphs[0].report(supply: .asSeen, limit: 100).isComplete == false)
    #expect(recording.graphs[0].report(supply: .asSeen, limit: 600).isComplete)
  }
}

private func recordTwoSoups(_ matcher: Matcher) async {
  let recording = ReactionGraph.Recording()
  let (pass, other) = matcher.react(slow("pass", of: Injector<Void>.self), on: .inline) { name in name() }
  let (begin, control) = Soup.define("near by \(matcher)", with: .init(matcher: matcher)) { soup in
    let begin = soup.slow("begin")
    let seed = soup.slow("seed")
    let end = soup.slow("end")
    soup.react(begin, seed) { _, _ async in
      await Task.yield()
      end()
      pass(end.weak)
    }
    soup.react(end, end) { _, _ in }
    seed()
    return (begin, soup.control)
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

private func recordCells(_ children: Int) async {
  let recording = ReactionGraph.Recording()
  let (tick, control) = Soup.define("cells \(children)", with: .init(placement: .inline)) { soup in
    let cell = soup.slow("cell", of: Int.self)
    let tick = soup.slow("tick")
    soup.react(cell, tick) { n, _ in for _ in 0..<children { cell(n + 1) } }
    cell(0)
    return (tick, soup.control)
  }
  tick()
  await control.settle()
  recording.end()
  let report = recording.graphs.first { $0.soup == "cells \(children)" }!.report()
  #expect(report.isComplete)
  #expect(report.findings.map(\.kind) == (children == 1 ? [] : [.unbounded]))
  #expect(report.findings.map(\.names) == (children == 1 ? [] : [[0]]))
}
