extension ReactionGraph {
  /// In Graphviz' language: a box for each reaction, a double circle for each state, an ellipse for each slow molecule,
  /// one with a fat line for each fast molecule.
  ///
  /// - Complexity: O(names + edges).
  public var dot: String {
    var lines = ["digraph soup {", "  rankdir=LR;", "  label=\(dotQuoted("\(soup)\n\(source)"));"]
    for component in components() {
      lines.append("  subgraph cluster_\(component.number) {")
      lines.append("    label=\"component \(component.number), \(component.matcher)\";")
      for index in component.names {
        let shape =
          switch names[index].kind {
          case .slow: "shape=ellipse"
          case .fast: "shape=ellipse, style=bold"
          case .state: "shape=doublecircle"
          }
        lines.append("    n\(index) [label=\(dotQuoted(names[index].label)), \(shape)];")
      }
      for index in component.reactions {
        lines.append("    r\(index) [label=\(dotQuoted(text(of: reactions[index]))), shape=box];")
      }
      lines.append("  }")
    }
    for edge in edges {
      var attributes: [String] = []
      if edge.multiplicity > 1 { attributes.append("label=\"\(edge.multiplicity)\"") }
      if names[edge.name].kind == .state { attributes.append("dir=both") }
      let list = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
      lines.append("  n\(edge.name) -> r\(edge.reaction)\(list);")
    }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  /// In Mermaid's language: a box for each reaction, a double circle for each state, a stadium for each slow molecule,
  /// a hexagon for each fast molecule.
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
        }
      }
      for index in component.reactions {
        lines.append("    r\(index)[\(mermaidQuoted(text(of: reactions[index])))]")
      }
      lines.append("  end")
    }
    for edge in edges {
      let arrow = names[edge.name].kind == .state ? "<-->" : "-->"
      let label = edge.multiplicity > 1 ? "|\(edge.multiplicity)|" : ""
      lines.append("  n\(edge.name) \(arrow)\(label) r\(edge.reaction)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func text(of reaction: Reaction) -> String {
    "\(reaction.site.pattern)\non \(reaction.placement)\n\(reaction.site.source)"
  }
}

/// A string of Graphviz' language that shows as `text`. Within the quotes only a quote ends it; but a label reads
/// backslashes as directions, and `&…;` as a character of HTML.
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

/// A string of Mermaid's language that shows as `text`. It has no escapes but numbers of characters, and reads
/// directions in much that stands in quotes: so only what is known to be plain stays as it is.
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

/// `text` in quotes. Line breaks of all kinds become one; other control characters, which no drawing shows, the sign
/// for what cannot be shown. `escape` answers nil for what stays as it is; it gets the character behind as well.
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
