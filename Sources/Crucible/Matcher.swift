import CCrucible

/// How a soup decides which reaction fires. All matchers promise the same; they differ in speed and in progress.
///
/// ```swift
/// let a = Soup.define("log", matcher: .locked) { soup in … }
/// ```
public enum Matcher: Sendable, Hashable {
  /// ``word`` for every component that fits, ``locked`` for the others. ``Control/description`` says which.
  case automatic
  /// Lock-free: the waiting molecules of a component (names connected by sharing reactions) are counted in one 64-bit word,
  /// and one compare-and-swap selects a reaction. A thread that is stopped anywhere delays no reaction of others. Blocks
  /// only to allocate when a backlog outgrows its memory. At most 31 names in a component, fewer if patterns repeat names.
  case word
  /// One mutex per component: the straightforward reference, which serves any component.
  case locked

  var core: crucible_matcher {
    switch self {
    case .automatic: CRUCIBLE_AUTOMATIC
    case .word: CRUCIBLE_WORD
    case .locked: CRUCIBLE_LOCKED
    }
  }

  init(_ core: crucible_matcher) {
    switch core {
    case CRUCIBLE_WORD: self = .word
    case CRUCIBLE_LOCKED: self = .locked
    default: self = .automatic
    }
  }
}

/// Where the body of a reaction runs.
///
/// ```swift
/// soup.react(counter & increment, on: .inline) { n, _ in n += 1 }
/// ```
public struct Placement: Sendable, Hashable {
  let core: crucible_placement

  /// On a thread of the pool (see ``Pool``): the default. Injecting returns without having run anybody's code.
  public static let pool = Placement(core: CRUCIBLE_POOL)

  /// On the thread that completed the match, before its injection returns: the fastest, for short bodies that do not block.
  ///
  /// The body runs under whatever locks the injecting code holds, and the injecting thread may find itself running reactions
  /// that other threads' molecules enabled. Injections inside such bodies run theirs nested up to a fixed depth; what
  /// would go deeper waits until the outermost body has ended, or until a thread of the pool takes it over, if that body
  /// takes its time: so the stack is bounded however long a chain is, and nothing waits behind a body that blocks.
  public static let inline = Placement(core: CRUCIBLE_INLINE)
}

/// The threads on which ``Placement/pool`` bodies run; one pool for the process.
public enum Pool {
  /// How many bodies may run at once: 1 to 256, at first the number of processors.
  ///
  /// Threads are started when there is work for them. A thread that waits for a reply in
  /// ``FastInjector/blocking(_:)`` does not count while it waits.
  public static var workers: Int {
    get { Int(crucible_pool_workers()) }
    set {
      if newValue < 1 || !crucible_pool_set_workers(newValue) {
        fatalError("Crucible: Pool.workers must be from 1 to 256, not \(newValue)")
      }
    }
  }
}
