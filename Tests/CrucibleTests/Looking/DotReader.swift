/// Checks drawings in the language of Graphviz: each line is a statement, and each node is declared once, before its
/// edges.
enum DotReader {
  /// Returns the mistakes in `text`. The list is empty if there are none.
  static func mistakes(in text: String) -> [String] {
    let value = #"(?:"(?:[^"\\\n]|\\.)*"|\w+)"#
    let attributes = "(?: \\[\\w+=\(value)(?:, \\w+=\(value))*\\])?"
    let node = try! Regex("^ *(\\w+)\(attributes);$", as: (Substring, Substring).self)
    let edge = try! Regex("^ *(\\w+) -> (\\w+)\(attributes);$", as: (Substring, Substring, Substring).self)
    let other = try! Regex("^ *(?:(?:di|sub)graph \\w+ \\{|\\}|(?:\\w+=\(value);(?: |$))+)$")
    var (declared, mistakes, depth): (Set<Substring>, [String], Int) = ([], [], 0)
    for line in text.split(separator: "\n") {
      if let edge = line.wholeMatch(of: edge) {
        for end in [edge.1, edge.2] where !declared.contains(end) { mistakes.append("\(end) is not declared") }
      } else if let node = line.wholeMatch(of: node) {
        let isDefault = ["graph", "node", "edge"].contains(node.1)
        if !isDefault && !declared.insert(node.1).inserted { mistakes.append("\(node.1) is declared again") }
      } else if line.wholeMatch(of: other) == nil {
        mistakes.append("no statement: \(line)")
      }
      depth += line.hasSuffix("{") ? 1 : line.hasSuffix("}") ? -1 : 0
    }
    return depth == 0 ? mistakes : mistakes + ["braces are open at the end"]
  }
}
