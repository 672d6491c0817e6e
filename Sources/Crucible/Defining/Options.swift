extension Soup {
  /// The choices of a definition for its soup, besides names and reactions.
  ///
  /// ```swift
  /// let options = Soup.Options(placement: .inline, seed: 1, onError: { log.warning("\($0)") })
  /// let parse = Soup.define("parser", with: options) { soup in … }
  /// ```
  public struct Options: Sendable {
    /// The matcher, which decides which reaction fires. ``Soup/Control/matchers`` has the matchers that the soup got.
    public var matcher: Matcher
    /// The default placement, for reactions that do not specify one.
    public var placement: Placement
    /// The seed of the random choice among enabled reactions; `nil`: a new one each time. Two soups with the same seed
    /// choose alike, if one thread drives both in the same way. <doc:Guarantees> says how fair a choice is (G7).
    public var seed: UInt64?
    /// The clock of the soup; `nil` means `ContinuousClock`. <doc:Timers> lists its uses and its costs.
    public var clock: (any Clock<Duration>)?
    /// Gets each error of a body that no caller received; `nil`: it is written to standard error in one line.
    ///
    /// The handler runs on the thread of the body, after the body and before the states are back. After a backoff, it
    /// runs on a thread of the pool. It must not capture an owning name, which would keep the soup.
    public var onError: ErrorHandler?
    /// Kinds of warnings that the program expects: the library neither logs nor keeps them.
    public var allowing: Set<Warning.Kind>
    /// Receives every event of the soup from its definition on, as by ``Soup/Control/observe(_:)``.
    public var observer: (@Sendable (Event) -> Void)?

    /// The fate of `async` bodies that still run when the last owning name goes.
    public var whenUnowned: WhenUnowned

    /// Whether every body has the task-local values of an injector whose molecule it consumed; `nil`: it has if some
    /// body of the soup runs in a task. With `false` only bodies in tasks have them. <doc:Placing> has the costs.
    public var carriesContext: Bool?

    /// The fate of `async` bodies in a soup that has no owner.
    ///
    /// ```swift
    /// let stop = Soup.define("ticker", with: .init(whenUnowned: .cancel)) { soup in … }
    /// ```
    public enum WhenUnowned: Sendable {
      /// The bodies run to their ends, and so does all that they inject.
      case finish
      /// The library cancels their tasks, and those of bodies that begin later.
      case cancel
    }

    /// Makes options. Each argument that is left out has the usual value.
    ///
    /// - Complexity: O(1).
    public init(
      matcher: Matcher = .automatic, placement: Placement = .automatic, seed: UInt64? = nil,
      clock: (any Clock<Duration>)? = nil, onError: ErrorHandler? = nil, allowing: Set<Warning.Kind> = [],
      observer: (@Sendable (Event) -> Void)? = nil, whenUnowned: WhenUnowned = .finish,
      carriesContext: Bool? = nil
    ) {
      self.matcher = matcher
      self.placement = placement
      self.seed = seed
      self.clock = clock
      self.onError = onError
      self.allowing = allowing
      self.observer = observer
      self.whenUnowned = whenUnowned
      self.carriesContext = carriesContext
    }
  }
}
