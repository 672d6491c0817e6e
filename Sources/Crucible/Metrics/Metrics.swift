import CCrucible

extension Soup {
  /// Returns the numbers of the soups that live, and of the pool.
  ///
  /// ```swift
  /// let metrics = Soup.metrics()
  /// print(metrics.names.map { "\($0.soup) \($0.label): \($0.waiting)" })
  /// print(metrics.openMetrics())
  /// ```
  ///
  /// Soups of one label are added up. The library reads what every soup keeps anyway. Names that ask for it are counted
  /// since the program began (``Soup/measure(_:bodyTimes:file:line:)``), also after their soups are gone.
  ///
  /// - Parameter isShown: selects soups by their labels. All others are not read.
  /// - Complexity: O(soups × (names + reactions + waiting callers)). Blocks for a moment on ``Soup/Matcher/locked``.
  public static func metrics(of isShown: (String) -> Bool = { _ in true }) -> Metrics {
    var reading = Metrics.Reading()
    for control in All.defined() where isShown(labelOfSoup(control.core)) { reading.add(control) }
    return reading.result(isShown)
  }

  /// The numbers of a program's soups at a moment; see ``Soup/metrics(of:)``.
  ///
  /// ```swift
  /// if let line = Soup.metrics().names.first(where: { $0.label == "line" }), line.waiting > 1_000 { … }
  /// ```
  public struct Metrics: Sendable {
    /// The soups of one label.
    public struct SoupNumbers: Sendable, Hashable {
      /// The label.
      public let soup: String
      /// The number of such soups that live.
      public internal(set) var living = 0
      /// The number of firings that have consumed their molecules and wait for a thread of the pool.
      public internal(set) var reserved = 0
      /// The number of molecules that these soups have dropped since their definitions: ``Soup/Snapshot/dropped``.
      public internal(set) var dropped = 0
      /// The number of calls that were withdrawn from these soups since their definitions.
      public internal(set) var withdrawn = 0
    }

    /// The molecules of one label, in soups of one label.
    public struct NameNumbers: Sendable, Hashable {
      /// The label of the soup.
      public let soup: String
      /// The label of the name.
      public let label: String
      /// Whether the name is slow, fast, a state or a fact.
      public let kind: MoleculeKind
      /// The number of molecules that wait.
      public internal(set) var waiting = 0
      /// The number of callers that sleep until there is a reply.
      public internal(set) var callers = 0
      /// The number of armed timers.
      public internal(set) var timers = 0
      /// How long the oldest of them has waited, of a fast name and of one whose molecules expire. Nil: unknown, or
      /// none waits.
      public internal(set) var oldest: Duration?
      /// The counts since the program began. Nil if the name is not measured.
      public internal(set) var counts: Counts?
    }

    /// The counts of a measured name since the program began.
    ///
    /// Those accepted, `injected - refused`, were consumed, withdrawn, expired or displaced, or they wait, or a control
    /// call or the end of their soup has dropped them. An input that a failed body puts back is injected once more.
    /// Injections that a stopped or draining soup refuses are not counted. The outcome of a select (`Soup.first(of:)`)
    /// counts for the call that took place. If none did, it counts for each name of the select.
    public struct Counts: Sendable, Hashable {
      /// The number of molecules that were injected, refused ones included.
      public internal(set) var injected: Int
      /// The number of those that were refused.
      public let refused: Int
      /// The number that reactions have consumed.
      public let consumed: Int
      /// The number of calls that were withdrawn, because their callers gave up.
      public let withdrawn: Int
      /// The number that have expired.
      public let expired: Int
      /// The number that were dropped for lack of room.
      public let displaced: Int
      /// The number of calls that had a reply.
      public let replied: Int
      /// The number of calls whose time was over.
      public let timedOut: Int
      /// The number of calls whose tasks were cancelled.
      public let cancelled: Int
      /// The number of calls that ended by another error.
      public let failed: Int
    }

    /// The bodies of the reactions of one pattern, in soups of one label.
    public struct ReactionNumbers: Sendable, Hashable {
      /// The label of the soup.
      public let soup: String
      /// The labels of the names that it consumes, joined by `&`.
      public let pattern: String
      /// The number of bodies that run, as far as these are innermost on their threads.
      public internal(set) var running = 0
      /// The number of bodies that have begun since the program began. Nil if no name of the pattern is measured.
      public internal(set) var begun: Int?
      /// The number of bodies that have thrown since then. Nil if no name of the pattern is measured.
      public internal(set) var threw: Int?
      /// The times of the bodies that have ended. Nil if they are not measured.
      public internal(set) var times: Histogram?
    }

    /// The distribution of times over fixed buckets.
    public struct Histogram: Sendable, Hashable {
      /// The upper bounds of all buckets but the last, which has none.
      public static let bounds: [Duration] = [
        .microseconds(10), .microseconds(100), .milliseconds(1), .milliseconds(10), .milliseconds(100), .seconds(1),
        .seconds(10),
      ]
      /// The number of times in each bucket.
      public internal(set) var counts: [Int]
      /// The sum of all times.
      public internal(set) var sum: Duration

      static var none: Histogram { Histogram(counts: bounds.map { _ in 0 } + [0], sum: .zero) }
    }

    /// The soups, by label.
    public let soups: [SoupNumbers]
    /// The names, by the labels of the soups, and in the order of declaration. Those of soups that are gone come last.
    public let names: [NameNumbers]
    /// The reactions, by the labels of the soups, and in the order of declaration. Those of soups that are gone come
    /// last.
    public let reactions: [ReactionNumbers]
    /// The pool.
    public let pool: Soup.Pool.Status
  }
}

extension Soup.Metrics {
  /// The labels of a name or a reaction, which identify its numbers.
  struct Label: Hashable {
    let soup, label: String
  }

  /// The numbers of the soups that were read until now.
  struct Reading {
    private var soups = InOrder<String, SoupNumbers>()
    private var names = InOrder<Label, NameNumbers>()
    private var reactions = InOrder<Label, ReactionNumbers>()

    mutating func add(_ control: Soup.Control) {
      let core = control.core
      let (soup, snapshot) = (labelOfSoup(core), control.snapshot())
      soups[soup, else: SoupNumbers(soup: soup)].add(snapshot)
      let callers = Dictionary(grouping: WaitingCall.all(in: core), by: \.name)
      let timers = Dictionary(uniqueKeysWithValues: snapshot.timers.map { ($0.name, $0.count) })
      for (index, count) in snapshot.counts.enumerated() {
        let name = crucible_soup_name(core, index)
        let first = NameNumbers(soup: soup, label: count.label, kind: MoleculeKind(crucible_name_kind(name)))
        names[Label(soup: soup, label: count.label), else: first].add(
          count.molecules, callers: callers[index] ?? [], timers: timers[index] ?? 0, age: crucible_name_age(name))
      }
      for (index, running) in Soup.Snapshot.Running.counts(in: core).0.enumerated() {
        let pattern = Soup.ReactionInfo(index, in: core).pattern
        let first = ReactionNumbers(soup: soup, pattern: pattern)
        reactions[Label(soup: soup, label: pattern), else: first].running += running
      }
    }

    /// Returns the numbers, with those that were counted.
    mutating func result(_ isShown: (String) -> Bool) -> Soup.Metrics {
      let (counted, begun) = Meter.all
      for (label, counts) in Soup.Metrics.sorted(counted) where isShown(label.soup) {
        let first = NameNumbers(soup: label.soup, label: label.label, kind: counts.kind)
        names[label, else: first].counts = counts.read()
      }
      for (label, counts) in Soup.Metrics.sorted(begun) where isShown(label.soup) {
        let first = ReactionNumbers(soup: label.soup, pattern: label.label)
        counts.read(into: &reactions[label, else: first])
      }
      return Soup.Metrics(
        soups: soups.values.sorted { $0.soup < $1.soup }, names: names.grouped(by: \.soup),
        reactions: reactions.grouped(by: \.soup), pool: Soup.Pool.status)
    }
  }

  /// Sorted, so that the names of soups that are gone have an order too.
  private static func sorted<Value>(_ counts: [Label: Value]) -> [(Label, Value)] {
    counts.sorted { ($0.key.soup, $0.key.label) < ($1.key.soup, $1.key.label) }.map { ($0.key, $0.value) }
  }

  /// Values by key, in the order in which they came.
  private struct InOrder<Key: Hashable, Value> {
    private(set) var values: [Value] = []
    private var places: [Key: Int] = [:]

    subscript(key: Key, else first: Value) -> Value {
      get { places[key].map { values[$0] } ?? first }
      set {
        if let place = places[key] {
          values[place] = newValue
        } else {
          places[key] = values.count
          values.append(newValue)
        }
      }
    }

    func grouped(by label: (Value) -> String) -> [Value] {
      values.enumerated().sorted { (label($0.element), $0.offset) < (label($1.element), $1.offset) }.map(\.element)
    }
  }
}

extension Soup.Metrics.SoupNumbers {
  fileprivate mutating func add(_ snapshot: Soup.Snapshot) {
    living += 1
    reserved += snapshot.reserved
    dropped += snapshot.dropped
    withdrawn += snapshot.withdrawn
  }
}

extension Soup.Metrics.NameNumbers {
  fileprivate mutating func add(_ molecules: Int, callers: [WaitingCall], timers: Int, age: UInt64) {
    waiting += molecules
    self.callers += callers.count
    self.timers += timers
    let first: Duration? = age > 0 ? .nanoseconds(Int64(clamping: age)) : nil
    oldest = (callers.map(\.duration) + [oldest, first].compactMap { $0 }).max()
  }
}
