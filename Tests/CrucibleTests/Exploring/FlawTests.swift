import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// A known mistake in a chemistry, beside the right version.
struct Flaw: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The most steps of its story. If these are more than ten, an exhaustive search of the schedules with one
  /// interruption has found none of ten.
  let steps: Int
  let run: @Sendable (World, _ isRight: Bool) async throws -> Void

  init(_ description: String, steps: Int = 10, _ run: @escaping @Sendable (World, _ isRight: Bool) async throws -> Void)
  {
    testDescription = description
    self.steps = steps
    self.run = run
  }

  static let all = exclusion + values + waiting
}

@Suite(.watched) struct FlawTests {
  @Test func `There are forty flaws`() { #expect(Flaw.all.count == 40) }

  @Test(arguments: Flaw.all)
  func `A wrong chemistry fails within 1,000 schedules, in ten steps, and the right one passes`(flaw: Flaw) async throws
  {
    let failure = try await #require(throws: ExplorationFailure.self) {
      try await explore(schedules: 1000, seed: 1) { try await flaw.run($0, false) }
    }
    #expect(failure.story.count <= flaw.steps)
    try await explore(schedules: scaled(300), seed: 2) { try await flaw.run($0, true) }
  }
}
