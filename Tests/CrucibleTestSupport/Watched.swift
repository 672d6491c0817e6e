public import Testing

/// Puts every case of a test under the watchdog.
public struct Watched: TestTrait, SuiteTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    if testCase == nil { return try await function() }
    try await Turns.ofCases.take {
      try await Watchdog.guarding(test.displayName ?? test.name, within: patience * 2) { try await function() }
    }
  }
}

extension Trait where Self == Watched {
  public static var watched: Watched { Watched() }
}
