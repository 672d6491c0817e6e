/// A reader for the part of Graphviz' grammar that reaction graphs use: nested graphs, attributes, and statements that
/// end with a semicolon. Each node must be declared once, before its edges.
struct DotReader {
  private var tokens: ArraySlice<String> = []
  private var declared: Set<String> = []
  private var mistakes: [String] = []

  /// Returns the mistakes in `text`. The list is empty if there are none.
  static func mistakes(in text: String) -> [String] {
    var reader = DotReader()
    reader.split(text)
    reader.expect("digraph")
    reader.name()
    reader.graph()
    if let rest = reader.tokens.first { reader.mistakes.append("after the end: \(rest)") }
    return reader.mistakes
  }

  private mutating func split(_ text: String) {
    var all: [String] = []
    var word = ""
    var isQuoted = false
    var isEscaped = false
    func isWord(_ c: Unicode.Scalar) -> Bool { c == "_" || c.properties.isAlphabetic || ("0"..."9").contains(c) }
    for scalar in text.unicodeScalars {
      if isQuoted {
        word.unicodeScalars.append(scalar)
        if scalar == "\n" { mistakes.append("a line ends in quotes") }
        if scalar == "\"" && !isEscaped {
          isQuoted = false
          all.append(word)
          word = ""
        }
        isEscaped = scalar == "\\" && !isEscaped
        continue
      }
      if isWord(scalar) {
        word.unicodeScalars.append(scalar)
        continue
      }
      if !word.isEmpty { all.append(word) }
      word = ""
      if scalar == "\"" {
        isQuoted = true
        word = "\""
      } else if scalar == ">" && all.last == "-" {
        all[all.count - 1] = "->"
      } else if scalar != " " && scalar != "\n" {
        all.append(String(scalar))
      }
    }
    if isQuoted { mistakes.append("quotes are open at the end") }
    tokens = (word.isEmpty ? all : all + [word])[...]
  }

  private mutating func next() -> String { tokens.popFirst() ?? "the end" }

  private mutating func expect(_ token: String) {
    let found = next()
    if found != token { mistakes.append("\(found) in place of \(token)") }
  }

  @discardableResult
  private mutating func name() -> String {
    let name = next()
    let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    if !isName { mistakes.append("no name: \(name)") }
    return name
  }

  private mutating func graph() {
    expect("{")
    while let token = tokens.first, token != "}", mistakes.isEmpty {
      if token == "subgraph" {
        tokens.removeFirst()
        name()
        graph()
      } else {
        statement()
      }
    }
    expect("}")
  }

  private mutating func statement() {
    let subject = name()
    switch tokens.first {
    case "=":
      tokens.removeFirst()
      value()
    case "->":
      tokens.removeFirst()
      for end in [subject, name()] where !declared.contains(end) { mistakes.append("\(end) is not declared") }
      attributes()
    default:
      if !declared.insert(subject).inserted { mistakes.append("\(subject) is declared again") }
      attributes()
    }
    expect(";")
  }

  private mutating func attributes() {
    if tokens.first != "[" { return }
    repeat {
      tokens.removeFirst()
      name()
      expect("=")
      value()
    } while tokens.first == ","
    expect("]")
  }

  private mutating func value() { if tokens.first?.first == "\"" { tokens.removeFirst() } else { name() } }
}
