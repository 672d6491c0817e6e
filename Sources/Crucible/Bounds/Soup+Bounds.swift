import CCrucible

extension Soup {
  /// Declares a slow molecule that leaves the soup if it has not reacted in time.
  ///
  /// ```swift
  /// let late = soup.slow("late", of: Job.self)
  /// let jobs = soup.slow("jobs", of: Job.self, expires: .seconds(5), into: late)
  /// ```
  ///
  /// The time is positive, by the soup's clock. It begins with the injection, and again when a failed body puts the
  /// molecule back. A molecule either reacts or expires: never both, and never early. The name `into` gets its value.
  /// Without it, the value is destroyed, and counted in ``Snapshot/dropped``. A firing that waits for a thread of the
  /// pool has reacted.
  ///
  /// - Complexity: an injection reads the clock, and blocks for those of the names that react with this one: they are
  ///   served by ``Matcher/locked``, or by ``Matcher/arrival`` if it is chosen. A name has one alarm, however many
  ///   molecules wait, and one more for each molecule that is injected with a shorter time.
  public func slow<Value: Sendable>(
    _ label: String, of: Value.Type, expires lifetime: Duration, into late: Injector<Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Injector<Value> {
    let source = StaticSource(file, line)
    return slow(label, by: NameRules(expiry: expiry(of: label, after: lifetime, into: late, at: source)), at: source)
  }

  /// Declares a slow molecule of which only so many may wait.
  ///
  /// ```swift
  /// let tickets = soup.slow("tickets", of: Int.self, capacity: 1000, whenFull: .refuse)
  /// soup.react(tickets) { number in print(number) }
  /// if !tickets(1) { print("sold out") }
  /// ```
  ///
  /// A molecule counts from its injection until a body that gets it begins, or until it is dropped. So the capacity
  /// also bounds what waits for a thread of the pool. Molecules that a failed body puts back come on top. Those that
  /// are injected in one step (``Injector/inject(contentsOf:)``) are refused if there is no room for all of them,
  /// whatever `whenFull` says. The capacity is from 1 to 2⁴⁰. The values must not be calls.
  ///
  /// With `expires`, a molecule that has not reacted in time leaves (``slow(_:of:expires:into:file:line:)``). `into` is
  /// then the name for that.
  ///
  /// - Complexity: as for other names, and two atomic operations a molecule. Lock-free on ``Soup/Matcher/word``, which
  ///   does not serve `expires`.
  public func slow<Value: Sendable>(
    _ label: String, of: Value.Type, expires lifetime: Duration? = nil, into late: Injector<Value>? = nil,
    capacity: Int, whenFull: WhenFull<Value>, file: StaticString = #fileID, line: UInt = #line
  ) -> Injector<Value> {
    let source = StaticSource(file, line)
    requireNoCalls(Value.self, label, at: source)
    let bound = bound(capacity, of: label, whenFull, at: source)
    let expiry = expiry(of: label, after: lifetime, into: late, at: source)
    return slow(label, by: NameRules(bound: bound, expiry: expiry), at: source)
  }

  /// Declares a slow molecule of which only so many may wait, and for whose room an injection waits.
  ///
  /// ```swift
  /// let tickets = soup.slow("tickets", of: Int.self, capacity: 1000, whenFull: .wait)
  /// soup.react(tickets) { number in print(number) }
  /// try await tickets(1)
  /// ```
  ///
  /// Injections go on in the order in which they came. A drain serves those that wait, and a stop ends them with
  /// ``CallError/stopped``. The soup gets three names more, which ``Control/snapshot()`` and ``Control/explain()``
  /// show: `tickets.put` has the injections that wait, `tickets.room` the rest of the capacity, and the state
  /// `tickets.turn` keeps their order.
  ///
  /// Requires: no body placed ``Placement/inline`` that gets such a molecule waits for room of the same name. The
  /// capacity is from 1 to 2⁴⁰. The values must not be calls.
  ///
  /// - Complexity: an injection is a call and a reaction.
  public func slow<Value: Sendable>(
    _ label: String, of: Value.Type, expires lifetime: Duration? = nil, into late: Injector<Value>? = nil,
    capacity: Int, whenFull: Waiting, file: StaticString = #fileID, line: UInt = #line
  ) -> BoundedInjector<Value> {
    let source = StaticSource(file, line)
    let expiry = expiry(of: label, after: lifetime, into: late, at: source)
    return waiting(label, capacity, NameRules(expiry: expiry), at: source)
  }

  /// Declares a name by these rules, and those by which injections wait for its room.
  func waiting<Value: Sendable>(
    _ label: String, _ capacity: Int, _ rules: NameRules, at source: StaticSource
  ) -> BoundedInjector<Value> {
    requireNoCalls(Value.self, label, at: source)
    requireUsual(capacity, "the capacity", of: label, at: source)
    let (file, line) = (source.file, source.line)
    let room = slow("\(label).room", file: file, line: line)
    let lost = CountingDestructor<Value>()  // of molecules that came too late for a stop
    var rules = rules
    rules.bound = crucible_bound_options(
      capacity: 0, when_full: CRUCIBLE_REFUSE, into: nil, room: room.name, rooms: UInt64(capacity))
    let inner: Injector<Value> = slow(label, lost, by: rules, at: source)
    let put = fast("\(label).put", of: Value.self, returning: Void.self, file: file, line: line)
    let turn = state("\(label).turn", 0, file: file, line: line)
    // The state keeps the order of two injections, the first of which has returned when the second begins.
    react(state: turn, put, room, on: .automatic, file: file, line: line) { _, call, _ in
      if !call.reply() {
        room()  // the caller has given up
      } else if !inner(call.input) {
        lost.note()
      }
    }
    room.inject(count: capacity)
    return BoundedInjector(put: put, line: inner.name)
  }

  /// The action of an injection when its name has as many molecules as its capacity.
  ///
  /// ```swift
  /// let old  = soup.slow("old", of: Int.self)
  /// let news = soup.slow("news", of: Int.self, capacity: 100, whenFull: .dropOldest(into: old))
  /// ```
  ///
  /// What is dropped into no name is destroyed, and counted as by a clear.
  public struct WhenFull<Value: Sendable>: Sendable {
    let policy: crucible_when_full
    var into: Injector<Value>?

    /// The injection returns false.
    public static var refuse: WhenFull { WhenFull(policy: CRUCIBLE_REFUSE) }
    /// The new molecule is dropped, and the injection returns true.
    public static var dropNewest: WhenFull { WhenFull(policy: CRUCIBLE_DROP_NEWEST) }
    /// The oldest molecule that waits is dropped. If firings have reserved all of them, the new one is.
    public static var dropOldest: WhenFull { WhenFull(policy: CRUCIBLE_DROP_OLDEST) }
    /// Drops the new molecule into another name of the soup: its value is injected there.
    ///
    /// ```swift
    /// let late = soup.slow("late", of: Int.self)
    /// let seats = soup.slow("seats", of: Int.self, capacity: 100, whenFull: .dropNewest(into: late))
    /// ```
    ///
    /// - Complexity: that of an injection, when the name is full.
    public static func dropNewest(into name: Injector<Value>) -> WhenFull {
      WhenFull(policy: CRUCIBLE_DROP_NEWEST, into: name)
    }
    /// Drops the oldest molecule into another name of the soup: its value is injected there.
    ///
    /// - Complexity: that of an injection, when the name is full.
    public static func dropOldest(into name: Injector<Value>) -> WhenFull {
      WhenFull(policy: CRUCIBLE_DROP_OLDEST, into: name)
    }
  }

  /// The action of an injection of a ``BoundedInjector`` when its name is full.
  public enum Waiting: Sendable {
    /// It waits until there is room.
    case wait
  }
}
