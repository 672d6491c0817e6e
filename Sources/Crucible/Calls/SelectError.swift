/// The reason why calls cannot be the branches of one select, `Soup.first(of:)`. Nothing was injected.
///
/// ```swift
/// do {
///   _ = try await Soup.first(of: [Soup.Branch<Int>]())
/// } catch CallError.failed(let error as SelectError) {
///   print(error.cause)  // noBranches
/// }
/// ```
public struct SelectError: Error, Equatable, CustomStringConvertible {
  /// The kind of mistake in the branches.
  public enum Cause: Equatable, Sendable {
    /// The select has no branches.
    case noBranches
    /// Some reaction consumes both molecules, or the select has the name twice: a select cannot react with itself.
    case sharedReaction(String, String)
    /// The definition of the soup of this molecule has not ended.
    case isBeingDefined(String)
  }

  /// The mistake.
  public let cause: Cause

  public var description: String {
    switch cause {
    case .noBranches: "A select needs at least one branch."
    case .sharedReaction(let a, let b) where a == b: "A select cannot have two branches of one name, '\(a)'."
    case .sharedReaction(let a, let b):
      """
      A select cannot have branches of both '\(a)' and '\(b)': some reaction consumes both, so that it would react \
      with itself.
      """
    case .isBeingDefined(let name): "'\(name)' cannot be in a select before the definition of its soup has ended."
    }
  }
}
