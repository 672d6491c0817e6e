/// An error of the engine: the disk is full, the file is damaged, a definition differs.
///
/// ```swift
/// do {
///   try await shop.order(order)
/// } catch let error as EngineError {
///   print(error)  // the database /srv/shop.db: database or disk is full (13)
/// }
/// ```
public struct EngineError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Kind: Sendable, Hashable {
    /// The engine, or the system below it, has failed.
    case system
    /// The soup refuses molecules from outside, because it was stopped or drains.
    case stopped
    /// The stored definition of the soup differs from this one.
    case differs
    /// The soup was destroyed.
    case destroyed
  }

  /// The kind of the error.
  public let kind: Kind
  /// The action of the engine that failed, and its reason.
  public let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  static func stopped(_ soup: String) -> EngineError {
    EngineError(.stopped, "the shared soup '\(soup)' is stopped or drains: it takes no molecules from outside")
  }

  static func outdated(_ soup: String) -> EngineError {
    EngineError(
      .differs, "a later definition of the shared soup '\(soup)' has removed reactions of this one: define it again")
  }

  static let destroyed = EngineError(.destroyed, "the shared soup was destroyed")
}
