import CrucibleTestSupport
import Testing

/// Puts every test, or every case of a test, under the watchdog.
struct Watched: TestTrait, SuiteTrait, TestScoping {
  let limit: Duration
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    if testCase == nil { return try await function() }
    try await Turns.ofCases.take {
      try await Watchdog.guarding(test.displayName ?? test.name, within: limit) { try await function() }
    }
  }
}

extension Trait where Self == Watched {
  static var watched: Watched { Watched(limit: .seconds(240 * AddressSanitizer.patience)) }
  static func watched(within limit: Duration) -> Watched { Watched(limit: limit) }
}
