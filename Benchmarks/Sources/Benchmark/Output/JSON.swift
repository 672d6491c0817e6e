/// A JSON value whose members keep their order.
enum JSON {
  case null
  case bool(Bool)
  case int(Int)
  /// A number with three digits after the point.
  case number(Double)
  case exact(Double)
  case string(String)
  case array([JSON])
  case object([(String, JSON)])

  static func optional(_ value: Double?) -> JSON { value.map(JSON.number) ?? .null }
  static func optional(_ value: UInt64?) -> JSON { value.map { .int(Int($0)) } ?? .null }
  static func optional(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }

  /// The text. Each element of the outermost arrays has its own line, so that files can be compared line by line.
  var text: String {
    switch self {
    case .object(let members):
      let lines = members.map { name, value in "  \(Self.quoted(name)): \(value.outer)" }
      return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
    default: return inner + "\n"
    }
  }

  private var outer: String {
    guard case .array(let elements) = self else { return inner }
    return "[\n" + elements.map { "    \($0.inner)" }.joined(separator: ",\n") + "\n  ]"
  }

  private var inner: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .number(let value): value.isFinite ? fixed(value, 3) : "null"
    case .exact(let value): value.isFinite ? "\(value)" : "null"
    case .string(let value): Self.quoted(value)
    case .array(let elements): "[" + elements.map(\.inner).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\(Self.quoted($0)): \($1.inner)" }.joined(separator: ", ") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case _ where scalar.value < 0x20: quoted += " "  // no other control character has a meaning here
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

/// Returns a number with so many digits after the point.
func fixed(_ value: Double, _ digits: Int) -> String {
  var scale = 1
  for _ in 0..<digits { scale *= 10 }
  let scaled = (value * Double(scale)).rounded()
  guard abs(scaled) < 1e18 else { return "\(value)" }
  let number = Int(abs(scaled))
  let sign = scaled < 0 ? "-" : ""
  guard digits > 0 else { return sign + String(number) }
  let fraction = String(number % scale)
  return sign + "\(number / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
}
