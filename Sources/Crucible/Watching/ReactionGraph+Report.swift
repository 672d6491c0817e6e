extension ReactionGraph {
  /// The supply of molecules that no body of the soup injects.
  public enum Supply: Sendable, Hashable {
    /// Each molecule that was injected from outside in the recording is injected again without limit.
    case endless
    /// No molecules are injected but those that were seen.
    case asSeen
  }

  /// The possible mistakes in a chemistry, as its graph shows them.
  ///
  /// A finding may be intended. A report without findings proves nothing.
  ///
  /// ```swift
  /// for finding in graph.report().findings where finding.kind == .deadlock { print(finding) }
  /// ```
  public struct Report: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of findings.
    public enum Kind: String, Sendable, Hashable {
      /// No injection of a name was seen.
      case neverProduced = "never produced"
      /// No sequence of firings leads to a reaction.
      case neverReacts = "never reacts"
      /// Molecules of names can be used up for ever, so that reactions wait for ever.
      case deadlock
      /// The number of molecules of a name can grow without limit, although none are injected from outside.
      case unbounded
      /// A reaction has not fired during the recording, so its injections are not known.
      case unseen
    }

    /// One possible mistake.
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
      /// The kind of the finding.
      public let kind: Kind
      /// The names, by their numbers in ``ReactionGraph/names``.
      public let names: [Int]
      /// The reactions, by their numbers in ``ReactionGraph/reactions``.
      public let reactions: [Int]
      /// The place of the first one's declaration.
      public let source: Soup.Source
      /// Firings that lead to the finding, by the numbers of their reactions. Empty if none are needed.
      public let path: [Int]
      public let description: String
    }

    /// The label of the soup, and the place of its definition.
    public let soup: Soup.Definition
    /// The findings, the most certain ones first.
    public let findings: [Finding]
    /// Whether the search looked at all markings. False: there were too many.
    public let isComplete: Bool

    public var description: String {
      let head = "\(soup): " + (findings.isEmpty ? "nothing found" : "\(findings.count) found")
      let rest = isComplete ? [] : ["(not all that can happen was looked at)"]
      return ([head] + findings.map { "  \($0)" } + rest).joined(separator: "\n")
    }
  }

  /// Searches everything that can happen for names that nothing produces, reactions that can never fire, deadlocks, and
  /// names without bound.
  ///
  /// A mistake that the definition alone shows is a ``Soup/Warning``. The report needs the graph of a ``Recording``,
  /// which shows what bodies inject. The report knows no values: if a body was seen to do two things, it may do either
  /// at any time. The report knows only what was seen, so a recording should see each reaction do everything that it
  /// can do.
  ///
  /// ```swift
  /// print(graph.report())
  /// // soup 'locks' (App/Locks.swift:4): 1 found
  /// //   deadlock: 'a' (App/Locks.swift:6), 'b' (App/Locks.swift:7) can be used up, by start1 & a (App/…
  /// ```
  ///
  /// - Parameters:
  ///   - supply: whether molecules that came from outside come again. Calls always do.
  ///   - limit: the most markings that the search looks at. A marking has the counts of all names.
  /// - Complexity: at most O(limit × (limit + reactions) × names). Counts above eight at the beginning count as eight.
  public func report(supply: Supply = .endless, limit: Int = 2_000) -> Report {
    if soups == 0 { return Report(soup: definition, findings: [], isComplete: false) }
    return ReportSearch(of: self, supply, limit: limit).report
  }

  var definition: Soup.Definition { Soup.Definition(label: soup, source: source) }
}

/// The search for the findings of one graph.
private struct ReportSearch {
  private let graph: ReactionGraph
  private let transitions: [Coverability.Transition]
  private let first: Coverability.Marking
  private let cover: Coverability

  init(of graph: ReactionGraph, _ supply: ReactionGraph.Supply, limit: Int) {
    self.graph = graph
    transitions = Self.transitions(of: graph)
    first = graph.names.indices.map { name in
      let most = 8
      let supplied = graph.supplied[name] ?? 0
      if graph.names[name].kind == .state { return 1 }
      if graph.names[name].kind == .fact { return min(1, UInt32((graph.initial[name] ?? 0) + supplied)) }
      if supplied > 0 && (supply == .endless || graph.names[name].kind == .fast) { return Coverability.endless }
      return UInt32(min(most, (graph.initial[name] ?? 0) + supplied))
    }
    let facts = NameSet(graph.names.indices.filter { graph.names[$0].kind == .fact })
    cover = Coverability(transitions, from: first, once: facts, limit: limit)
  }

  /// Returns one transition for each reaction and outcome. A state returns each time, and a fact stays.
  private static func transitions(of graph: ReactionGraph) -> [Coverability.Transition] {
    graph.reactions.indices.flatMap { reaction in
      let edges = graph.reactions[reaction].inputs
      let needed = edges.map { (name: $0.name, count: UInt32($0.multiplicity)) }
      let states = edges.filter { graph.names[$0.name].kind.stays }.map { (name: $0.name, count: UInt32(1)) }
      let outcomes = graph.outcomes.filter { $0.reaction == reaction }.map(\.injected)
      return (outcomes.isEmpty ? [[:]] : outcomes).map { injected in
        let given = injected.sorted { $0.key < $1.key }.map { (name: $0.key, count: UInt32(clamping: $0.value)) }
        return Coverability.Transition(reaction: reaction, needed: needed, given: states + given)
      }
    }
  }

  var report: ReactionGraph.Report {
    let fired = Set(cover.fired.map { transitions[$0].reaction })
    let siphons = Siphons(transitions, within: closed)
    let dead = cover.isComplete ? graph.reactions.indices.filter { !fired.contains($0) } : []
    return ReactionGraph.Report(
      soup: graph.definition,
      findings: unproduced + neverReacting(dead) + deadlocks(siphons, dead) + unbounded + unseen(except: dead),
      isComplete: cover.isComplete && siphons.isComplete)
  }

  private typealias Finding = ReactionGraph.Report.Finding

  /// The names that no code outside injects.
  private var closed: NameSet { NameSet(first.indices.filter { first[$0] != Coverability.endless }) }

  private var unproduced: [Finding] {
    let produced = transitions.reduce(into: Set<Int>()) { $0.formUnion($1.given.map(\.name)) }
    return first.indices.filter { first[$0] == 0 && !produced.contains($0) }.map { name in
      finding(.neverProduced, [name], [], "nothing was seen to inject \(words(name))")
    }
  }

  private func neverReacting(_ dead: [Int]) -> [Finding] {
    dead.map { reaction in
      let reason = "no sequence of reactions leads to all that \(words(of: reaction)) needs"
      return finding(.neverReacts, [], [reaction], reason)
    }
  }

  private func deadlocks(_ siphons: Siphons, _ dead: [Int]) -> [Finding] {
    siphons.minimal.compactMap { siphon in
      let names = Array(siphon)
      let isMarked = names.contains { first[$0] > 0 }
      if !isMarked || siphons.trap(within: siphon).contains(where: { first[$0] > 0 }) { return nil }
      guard let node = cover.nodes.indices.first(where: { isEmpty(names, in: $0) }) else { return nil }
      let path = cover.path(to: node).map { transitions[$0].reaction }
      let waiting = graph.reactions.indices.filter { reaction in
        !dead.contains(reaction) && graph.reactions[reaction].inputs.contains { names.contains($0.name) }
      }
      let reason =
        list(names.map { words($0) }) + " can be used up"
        + (path.isEmpty ? "" : ", by \(list(path.map { graph.reactions[$0].info.description })),")
        + " and then never \(waiting.count == 1 ? "reacts" : "react") " + list(waiting.map { words(of: $0) })
      return finding(.deadlock, names, waiting, reason, path)
    }
  }

  private func isEmpty(_ names: [Int], in node: Int) -> Bool { names.allSatisfy { cover.nodes[node].marking[$0] == 0 } }

  private var unbounded: [Finding] {
    cover.growing.map { name, by in
      let path = by.map { transitions[$0].reaction }
      let reactions = path.reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } }
      let reason = "\(words(name)) can grow without bound, by " + list(reactions.map { words(of: $0) })
      return finding(.unbounded, [name], reactions, reason, path)
    }
  }

  private func unseen(except dead: [Int]) -> [Finding] {
    graph.reactions.indices.filter { reaction in
      !dead.contains(reaction) && !graph.outcomes.contains { $0.reaction == reaction }
    }.map { reaction in
      finding(.unseen, [], [reaction], "\(words(of: reaction)) was not seen to react: what it injects is not known")
    }
  }

  private func finding(
    _ kind: ReactionGraph.Report.Kind, _ names: [Int], _ reactions: [Int], _ reason: String, _ path: [Int] = []
  ) -> Finding {
    let source = names.first.map { graph.names[$0].source } ?? graph.reactions[reactions[0]].info.source
    return Finding(
      kind: kind, names: names, reactions: reactions, source: source, path: path,
      description: "\(kind.rawValue): \(reason)")
  }

  private func words(_ name: Int) -> String { "'\(graph.names[name].label)' (\(graph.names[name].source))" }

  private func words(of reaction: Int) -> String { graph.reactions[reaction].info.description }

  private func list(_ texts: [String]) -> String { texts.joined(separator: ", ") }
}
