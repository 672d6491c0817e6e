extension Supervisor {
  /// The limits for making a supervised agent or pool anew: how often, and how soon.
  ///
  /// ```swift
  /// let restarts = Supervisor.Restarts(5, within: .seconds(10), delay: .milliseconds(100))
  /// ```
  public struct Restarts: Sendable, Hashable {
    /// The number of crashes within the interval that the agent or pool survives. One more stops it.
    public let limit: Int
    /// The time for which a crash counts.
    public let interval: Duration
    /// The time for which the first crash of an interval keeps the agent or pool down. Each further crash doubles the
    /// time, up to the interval.
    public let delay: Duration

    /// Allows `limit` crashes, 0 or more, within the interval.
    ///
    /// - Complexity: O(1).
    public init(
      _ limit: Int = 3, within interval: Duration = .seconds(5), delay: Duration = .zero, file: StaticString = #fileID,
      line: UInt = #line
    ) {
      if limit < 0 {
        let sentence = "the limit of restarts must be 0 or more, not \(limit)"
        fatalError("Crucible: \(sentence) (\(file):\(line))", file: file, line: line)
      }
      self.limit = limit
      self.interval = interval
      self.delay = delay
    }

    func delay(before crash: Int) -> Duration { min(delay * (1 << min(crash - 1, 30)), interval) }
  }
}
