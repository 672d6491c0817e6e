extension ReactionGraph {
  /// The graph in Graphviz' language. Each name is a rounded box, with two lines around a state and a bold line around
  /// a fast molecule. Each reaction is a small box.
  ///
  /// The graph of a ``Recording`` also has arrows to the names that bodies inject, dashed if only some bodies do. It
  /// shows the counts that the definition injects, and a point where molecules came from outside.
  ///
  /// - Complexity: O(names + edges + outcomes).
  public var dot: String {
    let components = components()
    var lines = [
      "digraph soup {",
      "  graph [rankdir=LR, labelloc=t, fontname=\"Helvetica\", fontsize=12, nodesep=\"0.25\", ranksep=\"0.4\"];",
      "  node [fontname=\"Helvetica\", fontsize=11, height=\"0.3\", margin=\"0.12,0.05\"];",
      "  edge [fontname=\"Helvetica\", fontsize=9, arrowsize=\"0.6\", color=\"#555555\"];",
      "  label=\(dotQuoted("\(soup)\n\(source)"));",
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
        return "    r\(index) [label=\(dotQuoted(text)), shape=box, style=filled, fillcolor=\"#eeeeee\", fontsize=8];"
      }
      if components.count > 1 { lines.append("  }") }
    }
    for name in supplied.keys.sorted() where [.slow, .fact].contains(names[name].kind) {
      lines.append("  s\(name) [label=\"\", shape=point, width=\"0.08\"];")
      lines.append("  s\(name) -> n\(name);")
    }
    for edge in edges {
      var attributes: [String] = []
      if edge.multiplicity > 1 { attributes.append("label=\"\(edge.multiplicity)\"") }
      if names[edge.name].kind.stays { attributes.append("dir=both") }
      let list = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
      lines.append("  n\(edge.name) -> r\(edge.reaction)\(list);")
    }
    for output in outputs() {
      var attributes: [String] = []
      if output.most > 1 { attributes.append("label=\"\(output.most)\"") }
      if !output.isAlways { attributes.append("style=dashed") }
      let list = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
      lines.append("  r\(output.reaction) -> n\(output.name)\(list);")
    }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
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
    return "n\(index) [label=\(dotQuoted(name.label + first)), shape=box, \(shape)];"
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

  /// The graph in Mermaid's language. A reaction is a box, a state a double circle, and a fact a circle. A slow
  /// molecule is a stadium, and a fast one a hexagon.
  ///
  /// - Complexity: O(names + edges).
  public var mermaid: String {
    var lines = ["flowchart LR"]
    for component in components() {
      lines.append("  subgraph c\(component.number)[\"component \(component.number), \(component.matcher)\"]")
      for index in component.names {
        let label = mermaidQuoted(names[index].label)
        switch names[index].kind {
        case .slow: lines.append("    n\(index)([\(label)])")
        case .fast: lines.append("    n\(index){{\(label)}}")
        case .state: lines.append("    n\(index)(((\(label))))")
        case .fact: lines.append("    n\(index)((\(label)))")
        }
      }
      for index in component.reactions {
        lines.append("    r\(index)[\(mermaidQuoted(text(of: reactions[index])))]")
      }
      lines.append("  end")
    }
    for edge in edges {
      let arrow = names[edge.name].kind.stays ? "<-->" : "-->"
      let label = edge.multiplicity > 1 ? "|\(edge.multiplicity)|" : ""
      lines.append("  n\(edge.name) \(arrow)\(label) r\(edge.reaction)")
    }
    for output in outputs() {
      let label = output.most > 1 ? "|\(output.most)|" : ""
      lines.append("  r\(output.reaction) \(output.isAlways ? "-->" : "-.->")\(label) n\(output.name)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func text(of reaction: Reaction) -> String {
    "\(reaction.info.pattern)\non \(reaction.placement)\n\(reaction.info.source)"
  }
}

/// Returns a string of Graphviz' language that shows as `text`. Inside the quotes only a quote ends the string. But a
/// label interprets backslashes as directives, and `&…;` as an HTML character.
private func dotQuoted(_ text: String) -> String {
  quoted(text, lineBreak: "\\n") { scalar, next in
    switch scalar {
    case "\"": "\\\""
    case "\\": "\\\\"
    case "&" where next.map(beginsEntity) == true: "&amp;"
    default: nil
    }
  }
}

/// Returns a string of Mermaid's language that shows as `text`. Its only escapes are numbers of characters, and it
/// interprets many characters even in quotes. So only characters that are known to be plain stay as they are.
private func mermaidQuoted(_ text: String) -> String {
  quoted(text, lineBreak: "<br/>") { scalar, next in
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9": nil
    case " ", "_", "-", ".", ",", "(", ")", "[", "]", "/", "+", "=", "!", "?", ":": nil
    case "&": next.map(beginsEntity) == true ? "#38;" : nil
    default: scalar.isASCII ? "#\(scalar.value);" : nil
    }
  }
}

private func beginsEntity(_ scalar: Unicode.Scalar) -> Bool { scalar == "#" || scalar.properties.isAlphabetic }

/// Returns `text` in quotes. Line breaks of all kinds become one kind. Other control characters, which no drawing
/// shows, become the replacement character. `escape` returns nil for a character that stays as it is. It also gets the
/// next character.
private func quoted(
  _ text: String, lineBreak: String, _ escape: (Unicode.Scalar, Unicode.Scalar?) -> String?
) -> String {
  let scalars = Array(text.unicodeScalars)
  var result = "\""
  for (index, scalar) in scalars.enumerated() {
    let next = index + 1 < scalars.count ? scalars[index + 1] : nil
    switch scalar {
    case "\r" where next == "\n": continue
    case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
      result += lineBreak
    case "\t": result += " "
    default:
      if scalar.properties.generalCategory == .control {
        result += "\u{FFFD}"
      } else if let escaped = escape(scalar, next) {
        result += escaped
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }
  return result + "\""
}
