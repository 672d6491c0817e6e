public import CrucibleTesting

/// Time passes in a test as soon as something waits for it, so no test sleeps.
extension ManualClock {
  /// Waits until a task sleeps for as long as `pause` or shorter, and advances the clock by it.
  public func advanceOnceAwaited(by pause: Duration) async {
    let end = now.advanced(by: pause)
    while nextAwakening.map({ $0 > end }) ?? true {
      if Task.isCancelled { return }
      await Task.yield()
    }
    advance(by: pause)
  }

  /// Has `act` wait for something with a limit of an hour, and lets the hour pass once it waits.
  public func expire<Result>(_ act: (Duration) async throws -> Result) async rethrows -> Result {
    let limit = Duration.seconds(3600)
    async let hour: Void = advanceOnceAwaited(by: limit)
    let result = try await act(limit)
    await hour
    return result
  }
}
