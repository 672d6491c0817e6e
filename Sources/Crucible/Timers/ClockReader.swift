extension Soup {
  /// Reads the clock of a soup, for its bodies.
  ///
  /// ```swift
  /// let clock = soup.clock
  /// soup.react(state: bucket, take) { bucket, call in call.reply(bucket.take(at: clock.now)) }
  /// ```
  ///
  /// - Complexity: O(1): a copy of a reference.
  public var clock: ClockReader { ClockReader(clock: SoupContext.known(of: core)?.clock ?? .continuous) }

  /// The time by the clock of a soup, ``Soup/Options/clock``. A closure may capture it and keep it.
  ///
  /// A body that compares times needs no timer for what only expires. This value does not own the soup.
  public struct ClockReader: Sendable {
    let clock: SoupClock

    /// The time since a fixed moment of the clock. It never decreases. Only differences of times have a meaning.
    ///
    /// - Complexity: O(1): reads the clock once. Does not block, with the continuous clock.
    public var now: Duration { .nanoseconds(Int64(clamping: clock.now)) }
  }
}
