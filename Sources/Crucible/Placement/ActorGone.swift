/// The actor of a reaction is gone; the reaction does not keep it.
///
/// ```swift
/// do { try value.blocking() } catch CallError.failed(is ActorGone) { print("the actor is gone") }
/// ```
public struct ActorGone: Error, Equatable, CustomStringConvertible {
  /// An error of this kind; all are equal.
  public init() {}

  public var description: String { "The actor on which the reaction is placed is gone." }
}
