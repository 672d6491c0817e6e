/// A reaction that has been declared.
public struct Reaction {
  /// Its number among the reactions of its soup, in the order of declaration.
  public let index: Int
}
