/// There was no memory for a longer backlog of molecules; none was injected.
///
/// ```swift
/// do { try value.blocking() } catch CallError.failed(is NoMemory) { print("the backlog is too long") }
/// ```
public struct NoMemory: Error, Equatable, CustomStringConvertible {
  /// An error of this kind; all are equal.
  public init() {}

  public var description: String { "There is no memory for a longer backlog." }
}
