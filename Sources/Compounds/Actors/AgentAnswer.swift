/// The answer to a question, of any type.
///
/// A small value without references is passed as its bytes, any other value in an object. If it were an existential,
/// the runtime would copy and destroy it, and request its type, on every step to the caller.
@usableFromInline
enum AgentAnswer: Sendable {
  case bytes(UInt, UInt, UInt)
  /// A `Box` of the type.
  case object(any AnyObject & Sendable)

  @usableFromInline
  final class Box<Result: Sendable>: Sendable {
    @usableFromInline let result: Result

    @inlinable
    init(_ result: Result) { self.result = result }
  }

  @inlinable
  init<Result: Sendable>(_ result: Result) {
    if !Self.isBytes(Result.self) {
      self = .object(Box(result))
      return
    }
    var words: (UInt, UInt, UInt) = (0, 0, 0)
    withUnsafeMutableBytes(of: &words) { $0.storeBytes(of: result, as: Result.self) }
    self = .bytes(words.0, words.1, words.2)
  }

  /// Returns the result of that type. Requires: the question has results of that type.
  @inlinable
  func result<Result: Sendable>(as type: Result.Type) -> Result {
    switch self {
    case .bytes(let first, let second, let third):
      return withUnsafeBytes(of: (first, second, third)) { $0.load(as: type) }
    case .object(let object):
      return unsafeDowncast(object, to: Box<Result>.self).result
    }
  }

  /// Whether values of that type are plain bytes, and few.
  @inlinable
  static func isBytes<Result>(_ type: Result.Type) -> Bool {
    _isPOD(type) && MemoryLayout<Result>.size <= MemoryLayout<(UInt, UInt, UInt)>.size
      && MemoryLayout<Result>.alignment <= MemoryLayout<UInt>.alignment
  }
}
