/// The loop of a reaction dropped its body instead of running it.
public struct LoopGone: Error, Equatable, CustomStringConvertible {
  /// An error of this kind; all are equal.
  public init() {}

  public var description: String { "The loop on which the reaction is placed dropped it without running it." }
}
