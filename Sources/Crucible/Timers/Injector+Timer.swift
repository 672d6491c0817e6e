import CCrucible

extension Injector {
  /// Injects a molecule that carries `value`, once the delay is over.
  ///
  /// ```swift
  /// let timer = retry.after(.seconds(1), request)
  /// timer.cancel()                                  // the request is not injected, and destroyed
  /// ```
  ///
  /// <doc:Timers> says what ends a timer.
  ///
  /// - Parameters:
  ///   - delay: the time until the injection, by the soup's clock, ``Soup/Options/clock``. Zero or less means as soon
  ///     as possible. The molecule comes up to 16 µs late, or later if the machine is busy.
  ///   - value: the value of the molecule, destroyed if it is not injected. Without room for it, it counts as dropped.
  /// - Returns: the timer. If the soup is stopped or gone, the timer has ended.
  /// - Complexity: O(1), with the continuous clock; O(log n) for n timers with another clock. Allocates 176 bytes for a
  ///   value of 8. Blocks for a moment while another thread arms or cancels a timer of the soup.
  @discardableResult
  public func after(_ delay: Duration, _ value: Value) -> Soup.Timer {
    Soup.Timer(name, handle, after: delay, every: nil, value)
  }

  /// Injects a molecule that carries `value` after each period.
  ///
  /// ```swift
  /// let heartbeat = beat.every(.seconds(10))
  /// heartbeat.cancel()
  /// ```
  ///
  /// The n-th molecule comes n periods after the call, even if the one before still waits. Each carries a copy of the
  /// value. If a timer was held up, it injects the molecules that it missed at once. The period is a microsecond or
  /// more, by the soup's clock, ``Soup/Options/clock``.
  ///
  /// - Complexity: as ``after(_:_:)``.
  @discardableResult
  public func every(
    _ period: Duration, _ value: Value, file: StaticString = #fileID, line: UInt = #line
  ) -> Soup.Timer {
    if period < .microseconds(1) {
      fatalError(
        "Crucible: every: the period of '\(self)' must be a microsecond or more, not \(period)", file: file, line: line)
    }
    return Soup.Timer(name, handle, after: period, every: period, value)
  }
}

extension Injector where Value == Void {
  /// Injects a molecule once the delay is over; see ``after(_:_:)``.
  @discardableResult
  public func after(_ delay: Duration) -> Soup.Timer { after(delay, ()) }

  /// Injects a molecule after each period; see ``every(_:_:file:line:)``.
  @discardableResult
  public func every(_ period: Duration, file: StaticString = #fileID, line: UInt = #line) -> Soup.Timer {
    every(period, (), file: file, line: line)
  }
}

extension Soup {
  /// A timer injects a molecule later, or repeatedly: ``Injector/after(_:_:)``, ``Injector/every(_:_:file:line:)``.
  ///
  /// This value owns neither the soup nor the molecule's value: a timer fires also if the program keeps no copy of it.
  public struct Timer: Sendable, Leaving {
    /// The timer. Nil if the soup was gone or stopped.
    private let armed: ArmedTimer?

    fileprivate init<Value: Sendable>(
      _ name: OpaquePointer, _ handle: SoupHandle, after delay: Duration, every period: Duration?, _ value: Value
    ) {
      defer { withExtendedLifetime(handle) {} }
      guard crucible_soup_hold(handle.core) else {
        LostCalls.note(in: value, Outcome.destroyed)
        armed = nil
        return
      }
      handle.markGivenOut()
      let timers = SoupContext.of(handle.core).timers(of: handle.core)
      let timer = TimerOfValue(timers, name, every: period, value)
      armed = timers.arm(timer, after: delay) ? timer : nil
      crucible_soup_release(handle.core)
    }

    /// Ends the timer: from now on it injects nothing. Destroys its value on this thread.
    ///
    /// ```swift
    /// let heartbeat = a.every(.seconds(1), 7)
    /// heartbeat.cancel()
    /// ```
    ///
    /// Molecules that it has injected before stay injected.
    ///
    /// - Returns: false if the timer had ended: it was cancelled, has injected, or the soup was stopped or is gone.
    /// - Complexity: as ``Injector/after(_:_:)``.
    @discardableResult
    public func cancel() -> Bool { armed.map { $0.timers.cancel($0) } ?? false }

    /// Whether the timer still has something to inject.
    ///
    /// - Complexity: O(1). The answer may be outdated the next moment; ``cancel()`` decides.
    public var isArmed: Bool { armed.map { $0.timers.isArmed($0) } ?? false }

    /// Whether the timer was never armed, because the soup was stopped or gone. Its value was destroyed at once.
    ///
    /// - Complexity: O(1).
    public var isRefused: Bool { armed == nil }

    public func owning() -> Timer { self }
    public var weak: Timer { self }
  }
}
