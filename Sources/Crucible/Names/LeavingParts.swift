@_spi(Reflection) import Swift

/// The places of the names in a value of a struct or tuple type.
///
/// The runtime lists the fields of a type with their offsets and kinds. This object reads the list once for each type.
/// A type of another kind has no fields here: for an existential the runtime would read a value that does not exist.
struct LeavingParts: @unchecked Sendable {  // types alone
  private var parts: [(offset: Int, name: any Leaving.Type)] = []

  var isEmpty: Bool { parts.isEmpty }
  var count: Int { parts.count }

  private static let known = Guarded<[ObjectIdentifier: LeavingParts]>([:])

  static func of<Value>(_ type: Value.Type) -> LeavingParts {
    if let parts = known.withLock({ $0[ObjectIdentifier(type)] }) { return parts }
    var parts = LeavingParts()
    // The runtime reports the kind of a field, but not of the type itself.
    var hasFields = false
    _forEachField(of: (Value, Void).self) { _, _, _, kind in
      hasFields = Self.hasFields(kind)
      return false
    }
    if hasFields { parts.addFields(of: type, at: 0) }
    known.withLock { [parts] in $0[ObjectIdentifier(type)] = parts }
    return parts
  }

  /// Returns a copy of the value whose names own their soups, or do not.
  func copy<Value>(_ value: Value, owning: Bool) -> Value {
    var value = value
    withUnsafeMutablePointer(to: &value) { value in
      for part in parts { part.name.change(UnsafeMutableRawPointer(value) + part.offset, owning) }
    }
    return value
  }

  private mutating func addFields(of type: Any.Type, at start: Int) {
    var found: [(offset: Int, type: Any.Type, kind: _MetadataKind)] = []
    _forEachField(of: type) { _, offset, type, kind in
      found.append((start + offset, type, kind))
      return true
    }
    for (offset, type, kind) in found {
      if let name = type as? any Leaving.Type {
        parts.append((offset, name))
      } else if Self.hasFields(kind) {
        addFields(of: type, at: offset)
      }
    }
  }

  private static func hasFields(_ kind: _MetadataKind) -> Bool { kind == .struct || kind == .tuple }
}

extension Leaving {
  fileprivate static func change(_ name: UnsafeMutableRawPointer, _ owning: Bool) {
    let name = name.assumingMemoryBound(to: Self.self)
    name.pointee = owning ? name.pointee.owning() : name.pointee.weak
  }
}
