import FoundationEssentials

/// How values are written: as JSON, which other programs can read, with the keys of objects in their order.
enum Coding {
  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return [UInt8](try encoder.encode(value))
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: Data(bytes))
  }

  /// The form in which keys are compared. Never empty, for that is the key of names without keys.
  static func key(_ key: some Encodable) throws -> String {
    switch key {
    case let text as String: "\"\(text)"
    case let number as any FixedWidthInteger: "\(number)"
    default: String(decoding: try encode(key), as: UTF8.self)
    }
  }
}

/// The value of a molecule or a reply that carries nothing. `Void` is not `Codable`.
///
/// ```swift
/// let tick = soup.slow("tick")                                        // of Nothing
/// let save = soup.fast("save", of: Page.self, returning: Nothing.self)
/// ```
public struct Nothing: Codable, Hashable, Sendable {
  /// Makes the only value.
  public init() {}
}
