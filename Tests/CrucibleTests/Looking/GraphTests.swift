import Crucible
import CrucibleTestSupport
import Testing

/// Contract 6: the graph of a definition, as a value and as drawings.
@Suite(.watched)
struct `The reaction graph` {
  @Test(arguments: matchers)
  func `A reaction graph has the names, the reactions and their inputs`(matcher: Matcher) {
    let (control, line) = bank(matcher)
    let graph = control.graph
    func source(_ offset: Int) -> Soup.Source { Soup.Source(line: line + offset) }
    #expect(graph.soup == "bank")
    #expect(graph.source == source(1))
    #expect(graph.names.map(\.label) == ["balance", "deposit", "read", "tick"])
    #expect(graph.names.map(\.kind) == [.state, .slow, .fast, .slow])
    #expect(graph.names.map(\.component) == [0, 0, 0, 1])
    #expect(graph.names.allSatisfy { $0.matcher == matcher })
    #expect(graph.names.map(\.source) == (2...5).map(source))
    #expect(graph.reactions.map(\.info.pattern) == ["balance & deposit & deposit", "balance & read", "tick"])
    #expect(graph.reactions.map(\.placement) == ["pool", "inline", "pool"])
    #expect(graph.reactions.map(\.component) == [0, 0, 1])
    #expect(graph.reactions.map(\.info.source) == (6...8).map(source))
    #expect(graph.edges.map(\.name) == [0, 1, 0, 2, 3])
    #expect(graph.edges.map(\.reaction) == [0, 0, 1, 1, 2])
    #expect(graph.edges.map(\.multiplicity) == [1, 2, 1, 1, 1])
    #expect(control.graph == graph, "graphs compare by value")
    #expect(bank(matcher).0.graph == graph, "the graph is of the definition, not of the soup")
  }

  @Test func `A reaction graph draws itself in the language of Graphviz`() {
    let (control, line) = bank(.word)
    let file: StaticString = #fileID
    let expected = """
      digraph soup {
        graph [rankdir=LR, labelloc=t, fontname="Helvetica", fontsize=12, nodesep="0.25", ranksep="0.4"];
        node [fontname="Helvetica", fontsize=11, height="0.3", margin="0.12,0.05"];
        edge [fontname="Helvetica", fontsize=9, arrowsize="0.6", color="#555555"];
        label="bank\\n\(file):\(line + 1)";
        subgraph cluster_0 {
          label="component 0, word"; color="#bbbbbb"; fontsize=9;
          n0 [label="balance", shape=box, style="rounded,filled", fillcolor="#e3eefc", peripheries=2];
          n1 [label="deposit", shape=box, style=rounded];
          n2 [label="read", shape=box, style="rounded,bold,filled", fillcolor="#fff3d6"];
          r0 [label="GraphTests.swift:\(line + 6)\\npool", shape=box, style=filled, fillcolor="#eeeeee", fontsize=8];
          r1 [label="GraphTests.swift:\(line + 7)\\ninline", shape=box, style=filled, fillcolor="#eeeeee", fontsize=8];
        }
        subgraph cluster_1 {
          label="component 1, word"; color="#bbbbbb"; fontsize=9;
          n3 [label="tick", shape=box, style=rounded];
          r2 [label="GraphTests.swift:\(line + 8)\\npool", shape=box, style=filled, fillcolor="#eeeeee", fontsize=8];
        }
        n0 -> r0 [dir=both];
        n1 -> r0 [label="2"];
        n0 -> r1 [dir=both];
        n2 -> r1;
        n3 -> r2;
      }

      """
    #expect(control.graph.dot == expected)
  }

  /// Labels with a special meaning, and their spelling in Graphviz.
  private static let labels = [
    (#"say "a""#, #"say \"a\""#),
    (#"C:\new\"#, #"C:\\new\\"#),
    ("two\nlines\r\nand\rmore", #"two\nlines\nand\nmore"#),
    ("<b>&lt; & &#60;", "<b>&amp;lt; & &amp;#60;"),
    ("`#quot;` %%{x}%%", "`#quot;` %%{x}%%"),
    ("n0 -> r0; }", "n0 -> r0; }"),
    ("größe 温度 🌡️", "größe 温度 🌡️"),
    ("bell\u{7}tab\t", "bell\u{FFFD}tab "),
    ("", ""),
    ("twin", "twin"),
    ("twin", "twin"),
  ]

  @Test func `A drawing shows every label as it is, whatever is in it`() {
    let graph = Soup.define("odd \"labels\"\\") { soup in
      let names = Self.labels.map { soup.slow($0.0) }
      soup.react(names) { _ in }
      return soup.control
    }.graph
    #expect(graph.names.map(\.label) == Self.labels.map(\.0))
    let dot = graph.dot.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(dot[4].hasPrefix(#"  label="odd \"labels\"\\\nCrucibleTests/"#))
    for (index, label) in Self.labels.enumerated() {
      #expect(dot[5 + index] == "    n\(index) [label=\"\(label.1)\", shape=box, style=rounded];")
    }
    #expect(dot.count == 5 + 11 + 1 + 11 + 2, "no label breaks its line")
    #expect(DotReader.mistakes(in: graph.dot) == [])
  }

  @Test(arguments: matchers)
  func `A reaction graph of many names and wide patterns is in order`(matcher: Matcher) {
    let graph = Soup.define("wide", with: .init(matcher: matcher)) { soup in
      let names = soup.slow("name", count: 64)
      if matcher == .locked { soup.react(names) { _ in } }
      for index in 0..<64 { soup.react((0..<(index / 8 + 1)).map { _ in names[index] }) { _ in } }
      return soup.control
    }.graph
    #expect(graph.names.count == 64)
    #expect(graph.edges.count == (matcher == .locked ? 128 : 64))
    #expect(Set(graph.names.map(\.component)).count == (matcher == .locked ? 1 : 64))
    #expect(graph.edges.suffix(64).map(\.multiplicity) == (0..<64).map { $0 / 8 + 1 })
    #expect(DotReader.mistakes(in: graph.dot) == [])
  }

  /// Makes a soup of two components. Returns its control, and the line before its definition.
  private func bank(_ matcher: Matcher) -> (Soup.Control, Int) {
    let line = #line
    let control: Soup.Control = Soup.define("bank", with: .init(matcher: matcher)) { soup in
      let balance = soup.state("balance", 0)
      let deposit = soup.slow("deposit", of: Int.self)
      let read = soup.fast("read", returning: Int.self)
      let tick = soup.slow("tick")
      soup.react(state: balance, deposit, deposit) { balance, a, b in balance += a + b }
      soup.react(state: balance, read, on: .inline) { balance, call in call.reply(balance) }
      soup.react(tick) { _ in }
      return soup.control
    }
    return (control, line)
  }
}
