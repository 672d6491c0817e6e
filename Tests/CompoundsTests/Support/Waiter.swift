import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// A caller that waits in a compound, and the code that makes it wait.
struct Waiter: Sendable, CustomTestStringConvertible {
  /// A limit, and whether to block.
  typealias Call = @Sendable (Duration?, CallForm) async -> CallError?

  let testDescription: String
  let make: @Sendable (Soup.Options) async throws -> (Soup.Control, Call)

  init(_ title: String, _ make: @escaping @Sendable (Soup.Options) async throws -> (Soup.Control, Call)) {
    testDescription = title
    self.make = make
  }

  /// A caller of a name of the compound, which is in a condition in which it waits.
  init<Made: Compound, Input, Output>(
    _ title: String, _ name: @escaping @Sendable (Made) -> FastInjector<Input, Output>, _ input: Input,
    make: @escaping @Sendable (Soup.Options) async throws -> Made
  ) {
    self.init(title) { options in
      let made = try await make(options)
      return (made.control, Self.calling(name(made), input))
    }
  }

  static func prepared<Made>(_ made: Made, by prepare: (Made) async throws -> Void) async throws -> Made {
    try await prepare(made)
    return made
  }

  static let all = ofSynchronisation + ofTiming + ofChannels + ofActors + ofPromises

  static func calling<Input, Output>(_ name: FastInjector<Input, Output>, _ input: Input) -> Call {
    { limit, form in
      if case .failure(let error) = await name.outcome(input, within: limit, form) { error } else { nil }
    }
  }

  /// Makes callers give up in every way, and expects that the soup has the same contents as before.
  func expectNothingBehind(_ matcher: Matcher) async throws {
    let clock = ManualClock()
    let (control, call) = try await make(.init(matcher: matcher, clock: clock))
    let before = control.contents
    for form in CallForm.allCases {
      #expect(await call(.zero, form) == .timedOut)
      #expect(await clock.expire { await call($0, form) } == .timedOut)
    }
    await control.expectRest(before)
    let caller = Task { await call(nil, .suspending) }
    await control.callers(1)
    caller.cancel()
    #expect(await caller.value == .cancelled)
    await control.expectRest(before)
    #expect(control.warnings == [])
  }
}
