import CHarness
import Crucible
import Synchronization

/// Sets a case up.
typealias Opening = @Sendable (Setting) throws(Wrong) -> Contender

/// The setting for which a case is made: a strategy, and the threads that inject.
struct Setting {
  let strategy: Strategy
  let crew: Crew

  /// The matcher. Requires: the strategy is a matcher.
  var matcher: Soup.Matcher {
    guard let matcher = strategy.matcher else { fatalError("\(strategy.name) is not a matcher, and has no case here") }
    return matcher
  }
  /// As many tasks as the crew has threads, with the same limit.
  var taskCrew: TaskCrew { TaskCrew(tasks: crew.threads, limit: crew.limit) }
  /// The options of a soup, or of a compound. Requires: as for `matcher`.
  var options: Soup.Options { Soup.Options(matcher: matcher) }
}

extension Soup.Control {
  /// Waits until no firing is in progress. If some still were when the crew ended, the time of the sample ends now.
  func settle(_ sample: inout harness_sample) throws(Wrong) {
    if blocking.quiet(within: .zero) { return }
    try rest()
    sample.nanoseconds = harness_now() - sample.began
  }

  /// The molecules that wait in the soup.
  var waiting: Int { snapshot().counts.reduce(0) { $0 + $1.molecules } }

  /// Waits until the soup is quiet, and throws unless no molecule is left over.
  func checkEmpty() throws(Wrong) {
    try rest()
    try Wrong.unlessEqual("molecules left over", expected: 0, found: waiting)
  }

  /// Waits until the soup is quiet. Does not change the time, for runs that end at a gate.
  func rest() throws(Wrong) {
    guard blocking.quiet(within: .seconds(60)) else { throw Wrong("not quiet after 60 s") }
  }
}

/// Counts a reaction that consumed values of this sum.
@inline(__always)
func tally(_ value: Int) { harness_tally_add(UInt64(bitPattern: Int64(value))) }

/// Counts a reaction on the pool. At intervals it also reads the clock, to show which threads work.
@inline(__always)
func tallyStamped(_ value: Int) { harness_tally_add_stamped(UInt64(bitPattern: Int64(value))) }

/// A sum to which every thread adds once.
final class Sum: Sendable {
  private let total = Atomic(0)
  func add(_ value: Int) { total.wrappingAdd(value, ordering: .relaxed) }
  var value: Int { total.load(ordering: .relaxed) }
}

/// Returns 0 + 1 + … + (count - 1).
func sumOfNumbers(below count: Int) -> UInt64 { UInt64(count) * UInt64(count - 1) / 2 }
