extension ReactionGraph {
  /// The graph in Graphviz' language. <doc:Seeing> says what its boxes and arrows mean.
  ///
  /// - Complexity: O(names + edges + outcomes).
  public var dot: String {
    let components = components()
    var lines = [
      "digraph soup {",
      "  graph [rankdir=LR, labelloc=t, fontname=\"Helvetica\", fontsize=12, nodesep=\"0.25\", ranksep=\"0.4\"];",
      "  node [fontname=\"Helvetica\", fontsize=11, height=\"0.3\", margin=\"0.12,0.05\"];",
      "  edge [fontname=\"Helvetica\", fontsize=9, arrowsize=\"0.6\", color=\"#555555\"];",
      "  label=\(quoted("\(soup)\n\(source)", isLabel: true));",
    ]
    for component in components {
      if components.count > 1 {
        lines.append("  subgraph cluster_\(component.number) {")
        let title = "component \(component.number), \(component.matcher)"
        lines.append("    label=\"\(title)\"; color=\"#bbbbbb\"; fontsize=9;")
      }
      lines += component.names.map { "    " + dotNode(of: $0) }
      lines += component.reactions.map { index in
        let text = "\(lastPart(reactions[index].info.source.description))\n\(reactions[index].placement)"
        let label = quoted(text, isLabel: true)
        return "    r\(index) [label=\(label), shape=box, style=filled, fillcolor=\"#eeeeee\", fontsize=8];"
      }
      if components.count > 1 { lines.append("  }") }
    }
    for name in supplied.keys.sorted() where [.slow, .fact].contains(names[name].kind) {
      lines.append("  s\(name) [label=\"\", shape=point, width=\"0.08\"];")
      lines.append("  s\(name) -> n\(name);")
    }
    for edge in edges {
      let isBoth = names[edge.name].kind.stays
      lines.append(arrow("n\(edge.name) -> r\(edge.reaction)", edge.multiplicity, isBoth ? "dir=both" : nil))
    }
    for output in outputs() {
      let style = output.isAlways ? nil : "style=dashed"
      lines.append(arrow("r\(output.reaction) -> n\(output.name)", output.most, style))
    }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  private func arrow(_ ends: String, _ count: Int, _ attribute: String?) -> String {
    let attributes = [count > 1 ? "label=\"\(count)\"" : nil, attribute].compactMap(\.self)
    return "  \(ends)" + (attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]") + ";"
  }

  private func dotNode(of index: Int) -> String {
    let name = names[index]
    let shape =
      switch name.kind {
      case .slow: "style=rounded"
      case .fast: "style=\"rounded,bold,filled\", fillcolor=\"#fff3d6\""
      case .state: "style=\"rounded,filled\", fillcolor=\"#e3eefc\", peripheries=2"
      case .fact: "style=\"rounded,filled\", fillcolor=\"#e6f4e6\""
      }
    let first = initial[index].map { "\n\($0) at first" } ?? ""
    return "n\(index) [label=\(quoted(name.label + first, isLabel: true)), shape=box, \(shape)];"
  }

  private func lastPart(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

  /// Returns the injections that bodies were seen to make, one for each reaction and name.
  private func outputs() -> [(reaction: Int, name: Int, most: Int, isAlways: Bool)] {
    Dictionary(grouping: outcomes, by: \.reaction).sorted { $0.key < $1.key }.flatMap { reaction, outcomes in
      Set(outcomes.flatMap(\.injected.keys)).sorted().map { name in
        let counts = outcomes.map { $0.injected[name] ?? 0 }
        return (reaction, name, counts.max()!, !counts.contains(0))
      }
    }
  }
}

/// Returns `text` in quotes, for JSON, or as a label of Graphviz. Line breaks of all kinds become one kind. In a label
/// `&…;` is an HTML character, and no drawing shows a control character.
package func quoted(_ text: String, isLabel: Bool = false) -> String {
  let scalars = Array(text.unicodeScalars)
  var result = "\""
  for (index, scalar) in scalars.enumerated() {
    let next = index + 1 < scalars.count ? scalars[index + 1] : nil
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "&" where isLabel && next.map(beginsEntity) == true: result += "&amp;"
    case "\r" where next == "\n": continue
    case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": result += "\\n"
    case "\t" where isLabel: result += " "
    case _ where scalar.properties.generalCategory == .control:
      result += isLabel ? "\u{FFFD}" : "\\u" + ("000" + String(scalar.value, radix: 16)).suffix(4)
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}

private func beginsEntity(_ scalar: Unicode.Scalar) -> Bool { scalar == "#" || scalar.properties.isAlphabetic }
