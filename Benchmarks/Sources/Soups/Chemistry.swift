import Crucible

/// A chemistry that `Benchmarks/run --compare --soup NAME` measures with every matcher.
public struct Chemistry: Sendable {
  /// One round of a thread, which does it again and again with the number of the round. Numbers go from 0, and no two
  /// threads get the same one.
  public typealias Round = @Sendable (_ number: Int) throws -> Void

  public let name: String
  public let summary: String
  /// Defines a soup with these options.
  public let define: @Sendable (Soup.Options) -> (control: Soup.Control, round: Round)

  /// - Parameters:
  ///   - define: Must pass its options to `Soup.define`, or the matchers do not differ. A round must leave as
  ///     many molecules as it found; the benchmark checks this.
  public init(
    _ name: String, _ summary: String,
    define: @escaping @Sendable (Soup.Options) -> (control: Soup.Control, round: Round)
  ) {
    self.name = name
    self.summary = summary
    self.define = define
  }
}
