public import Crucible
public import CrucibleTesting
public import Testing

/// The longest wait of a test. It is long because machines may be loaded, and only tests that fail wait so long.
public let patience = Duration.seconds(120 * AddressSanitizer.patience)

/// Waits until the condition holds. Records an issue if it does not hold when patience ends.
public func eventually(
  _ sentence: @autoclosure () -> String, _ location: SourceLocation = #_sourceLocation, _ isSo: () async -> Bool
) async {
  let deadline = ContinuousClock.now + patience
  while await !isSo() {
    guard ContinuousClock.now < deadline else {
      Issue.record("not in time: \(sentence()): \(Soup.Pool.status)", sourceLocation: location)
      return
    }
    await Task.yield()
  }
}

extension Census {
  /// Waits until nothing is alive, and records an issue if something still is when patience ends. A pool thread may
  /// release its last reference after all else is over. A leak never goes away.
  public func expectExtinction(_ location: SourceLocation = #_sourceLocation) async {
    await eventually("nothing is alive: \(alive) instances", location) { alive == 0 }
  }
}

extension Soup.Control {
  /// Waits until `count` callers wait, in bags or in states, and returns them.
  @discardableResult
  public func callers(_ count: Int, _ location: SourceLocation = #_sourceLocation) async -> [WaitingCall] {
    await eventually("\(count) callers wait: \(explain())", location) { explain().callers.count == count }
    return explain().callers
  }

  /// Waits until the soup is quiet, and records an issue if it is not quiet in time.
  public func settle(_ location: SourceLocation = #_sourceLocation) async {
    let isQuiet = await quiet(within: patience)
    #expect(isQuiet, "not quiet within \(patience): \(self)", sourceLocation: location)
  }

  /// Waits until the soup is quiet once its clock has advanced.
  public func settle(
    _ clock: ManualClock, advancedBy time: Duration, _ location: SourceLocation = #_sourceLocation
  ) async {
    clock.advance(by: time)
    await settle(location)
  }
}
