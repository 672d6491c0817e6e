import CCrucible
import CrucibleTestSupport
import Testing

@testable import Crucible

/// The names of the matchers, for tests in processes of their own, which get only values that can be encoded.
let matcherNames = matchers.map(\.description)
/// The matchers that choose at random among the enabled reactions.
let choosingMatchers = matchers.filter { !crucible_matcher_is_ordered($0.core) }

/// The matcher of a soup, and the placement of its bodies.
struct Setup: Sendable, CustomTestStringConvertible {
  let matcher: Matcher
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
