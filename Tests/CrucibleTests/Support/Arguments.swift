import Crucible
import CrucibleTestSupport
import Testing

/// Every test of the contract runs on each of these, through the same code.
let matchers = Soup.Matcher.all
/// Their names, for tests in processes of their own, which get values that can be encoded only.
let matcherNames = matchers.map(\.description)
/// Those that choose at random among the enabled reactions: `arrival` never does.
let choosingMatchers = matchers.filter { $0 != .arrival }

/// How a soup decides, and where its bodies run.
struct Setup: Sendable, CustomTestStringConvertible {
  let matcher: Soup.Matcher
  let placement: Placement
  var testDescription: String { "\(matcher), \(placement.testDescription)" }
}

extension Run {
  /// Every matcher with every placement.
  static let setups = matchers.flatMap { matcher in
    [Placement.inline, .pool].map { Setup(matcher: matcher, placement: $0) }
  }
  /// Every matcher that chooses at random, with every placement.
  static let choosingSetups = setups.filter { choosingMatchers.contains($0.matcher) }
}

extension Placement: CustomTestStringConvertible {
  public var testDescription: String { self == .inline ? "inline" : "pool" }
}

/// How long a test waits for what has to come: long, because machines may be loaded, and only those that fail wait.
let patience = Duration.seconds(120 * AddressSanitizer.patience)

extension Soup.Control {
  /// Waits until the soup is quiet, and records an issue if it is not in time.
  func settle(_ location: SourceLocation = #_sourceLocation) async {
    let isQuiet = await quiet(within: patience)
    #expect(isQuiet, "not quiet within \(patience): \(self)", sourceLocation: location)
  }
}

extension Census {
  /// Waits until nothing is alive, and records an issue if something is when patience ends. A pool thread may be about
  /// to drop its last reference when all else is over, so this has to be waited for; what has leaked never goes.
  func expectExtinction(_ location: SourceLocation = #_sourceLocation) async {
    let deadline = ContinuousClock.now + patience
    while alive != 0 && ContinuousClock.now < deadline { await Task.yield() }
    #expect(alive == 0, "instances alive at the end", sourceLocation: location)
  }
}
