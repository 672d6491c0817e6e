@_spi(Reflection) import Swift
import Synchronization

/// Where the names lie in a value of a struct or tuple type.
///
/// The runtime tells the fields of a type with their offsets. They are looked up once for each type. A type of another
/// kind has no fields here. The closures capture types alone, so any thread may call them.
struct LeavingParts: @unchecked Sendable {
  private var parts: [(offset: Int, own: (UnsafeMutableRawPointer) -> Void)] = []

  var isEmpty: Bool { parts.isEmpty }

  private static let known = Mutex<[ObjectIdentifier: LeavingParts]>([:])

  static func of<Value>(_ type: Value.Type) -> LeavingParts {
    if let parts = known.withLock({ $0[ObjectIdentifier(type)] }) { return parts }
    var parts = LeavingParts()
    parts.addFields(of: type, at: 0)
    known.withLock { [parts] in $0[ObjectIdentifier(type)] = parts }
    return parts
  }

  /// The same value, with its names owning.
  func own<Value>(_ value: Value) -> Value {
    var value = value
    withUnsafeMutablePointer(to: &value) { value in
      for part in parts { part.own(UnsafeMutableRawPointer(value) + part.offset) }
    }
    return value
  }

  private mutating func addFields(of type: Any.Type, at start: Int) {
    var found: [(offset: Int, type: Any.Type)] = []
    _forEachField(of: type) { _, offset, type, _ in
      found.append((start + offset, type))
      return true
    }
    for (offset, type) in found {
      if let name = type as? any Leaving.Type {
        parts.append((offset, Self.owning(name)))
      } else {
        addFields(of: type, at: offset)
      }
    }
  }

  private static func owning<Name: Leaving>(_: Name.Type) -> (UnsafeMutableRawPointer) -> Void {
    { address in
      let address = address.assumingMemoryBound(to: Name.self)
      address.pointee = address.pointee.owning()
    }
  }
}
