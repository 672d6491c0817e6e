/// The loop of a reaction dropped its body instead of running it.
///
/// ```swift
/// let options = Soup.Options(onError: { failure in
///   if failure.error is LoopGone { log.debug("the window is closed") }
/// })
/// ```
public struct LoopGone: Error, Equatable, CustomStringConvertible {
  /// An error of this kind; all are equal.
  public init() {}

  public var description: String { "The loop on which the reaction is placed dropped it without running it." }
}
