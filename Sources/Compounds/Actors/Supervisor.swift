public import Crucible

/// Makes agents anew when they crash, and keeps their mailboxes.
///
/// ```swift
/// let services = Supervisor("services")
/// let store = try services.supervise("store", restarts: Supervisor.Restarts(5, within: .seconds(10))) { Store() }
/// let cache = try services.supervise("cache") { Cache() }
/// try services.link("store", to: "cache")       // when the store crashes, the cache is made anew as well
/// store.send { store in try store.write(row) }  // a throw is a crash
/// store.crash(with: DiskFull())
/// try services.unsupervise("store")             // and the cache with it
/// ```
///
/// The definition. A supervised object is a state and a molecule `up`. Without `up` its mailbox waits:
///
/// ```
/// soup.react(state: object, up, tell) { object, _, message in …; up() }       // or: crashed(error)
/// soup.react(state: object, up, question) { object, _, call in …; up() }
/// soup.react(state: object, revival) { object, _ in object = make(); up() }
/// // the supervisor:
/// soup.react(state: family, crashed) { family, crash in /* revive the agent, and renew those linked */ }
/// ```
///
/// A pool that is down has no idle member, so its mailbox waits as well.
///
/// A message that throws crashes its agent, and so does ``Agent/crash(with:)``. The message goes to the policy for
/// crashes. A question that throws fails its caller, and is no crash. Messages and questions that wait stay
/// where they are, and the new object handles them.
///
/// No call of a supervisor waits for the end of a pause: while it is paused, a call that changes something throws
/// `CallError.timedOut`, and changes nothing. A restart of a supervisor's soup keeps its agents, and forgets their
/// crashes. A restart of a supervised agent's soup makes a new object, and the agent is up.
///
/// The supervisor stops an agent that crashes more often than its ``Supervisor/Restarts`` allow, and the callers get
/// `CallError.stopped`. An agent that crashes after its supervisor is stopped or gone is stopped as well.
///
/// An ``AgentPool`` makes its own members anew. A supervised pool crashes when its members have crashed too often. Then
/// it is down, and the supervisor makes all its members anew, as it does with an agent.
///
/// ```swift
/// let parsers = try services.supervise("parsers", members: 4, crashes: 10, within: .seconds(1)) { Parser() }
/// try services.link("store", to: "parsers")
/// ```
///
/// - Complexity: O(1) for a message; O(agents) for a crash.
public struct Supervisor: Compound {
  public let control: Soup.Control
  private let family: FastInjector<FamilyChange, FamilyChange.Answer>
  private let crashed: Injector<FamilyCrash>
  private let clock: (any Clock<Duration>)?

  /// Makes a supervisor without agents.
  ///
  /// `onEvent` gets each crash, and each stop that follows from one. Delays and intervals go by the clock of the
  /// options.
  public init(
    _ label: String = "supervisor", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, onEvent: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    clock = options.clock
    (family, crashed, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let change = soup.fast("change", of: FamilyChange.self, returning: FamilyChange.Answer.self)
      let crashed = soup.slow("crashed", of: FamilyCrash.self)
      let forgetting = soup.slow("forgetting", of: FamilyCrash.self)
      let event = soup.slow("event", of: Event.self)
      let kept = KeptFamily()
      let family = soup.state("family") {
        kept.family.forgetCrashes()
        return kept
      }
      let reports = soup.state("reports", 0)

      soup.react(state: family, change, on: .inline) { kept, call in
        var changed = kept.family
        if call.reply(changed.apply(call.input)) { kept.family = changed }
      }
      soup.react(state: family, crashed, on: .inline) { kept, crash in
        event(.crashed(crash.id, crash.error))
        guard let delay = kept.family.delay(after: crash) else {
          event(.stopped(crash.id))
          return
        }
        crash.isForgiven = true
        let agent = kept.family.agents[crash.id]!
        _ = forgetting.after(agent.restarts.interval, crash)
        agent.revive(delay)
        for linked in kept.family.descendants(of: crash.id) { kept.family.agents[linked]!.renew() }
      }
      soup.react(state: family, forgetting, on: .inline) { kept, crash in kept.family.forget(crash) }
      soup.react(state: reports, event) { reports, event in
        reports += 1
        onEvent(event)
      }
      return (change, crashed, soup.control)
    }
  }

  /// Makes an agent, and makes it anew when it crashes.
  ///
  /// The supervisor keeps the agent until ``unsupervise(_:)``.
  ///
  /// - Throws: ``SupervisionError/duplicate(_:)`` if an agent is supervised by this id.
  /// - Complexity: O(1), and a soup. Waits for bodies of the supervisor on other threads only.
  @inlinable
  @discardableResult
  public func supervise<Object>(
    _ id: String, restarts: Restarts = Restarts(), options: Soup.Options = Soup.Options(),
    onCrash: Crash.Policy? = nil, file: StaticString = #fileID, line: UInt = #line,
    make: @escaping @Sendable () -> sending Object
  ) throws -> Agent<Object> {
    let report = report(of: id)
    let (agent, revival, renewal) = Agent.supervised(id, report, timed(options), onCrash, file, line, make)
    try add(agent, report, restarts, revival, renewal)
    return agent
  }

  /// Makes a pool, and makes all its members anew when they have crashed more than `crashes` times, 0 or more, within
  /// the interval.
  ///
  /// Until then each crash makes one member anew, at once. A crash of the pool counts by `restarts`, and keeps the pool
  /// down for their delay. While it is down, no message and no question begins. Messages, broadcasts and questions stay
  /// where they are, and the new members handle them. A member that is busy when the pool crashes ends what it does,
  /// and is made anew when it is free. Links make the members of a pool anew in the same way, without a delay.
  ///
  /// The supervisor keeps the pool until ``unsupervise(_:)``.
  ///
  /// - Throws: ``SupervisionError/duplicate(_:)`` if an agent or a pool is supervised by this id.
  /// - Complexity: O(members), and a soup. Waits for bodies of the supervisor on other threads only.
  @inlinable
  @discardableResult
  public func supervise<Object>(
    _ id: String, members: Int, crashes: Int = 3, within interval: Duration = .seconds(5),
    restarts: Restarts = Restarts(), options: Soup.Options = Soup.Options(), onCrash: Crash.Policy? = nil,
    file: StaticString = #fileID, line: UInt = #line, make: @escaping @Sendable () -> sending Object
  ) throws -> AgentPool<Object> {
    MadeAt("agents", id, file, line).require("the number of crashes", crashes, in: 0...Int.max)
    let report = report(of: id)
    let watch = AgentPool<Object>.Watch(crashes, within: interval, report)
    let (pool, revival, renewal) = AgentPool.supervised(
      id, members: members, watch, timed(options), onCrash, file, line, make)
    try add(pool, report, restarts, revival, renewal)
    return pool
  }

  @usableFromInline
  func report(of id: String) -> FamilyReport { FamilyReport(id: id, crashed: crashed.weak) }

  /// Returns the options, with the supervisor's clock if they have none.
  @usableFromInline
  func timed(_ options: Soup.Options) -> Soup.Options {
    var options = options
    options.clock = options.clock ?? clock
    return options
  }

  @usableFromInline
  func add(
    _ recipient: any Recipient, _ report: FamilyReport, _ restarts: Restarts, _ revival: Injector<Void>,
    _ renewal: Injector<Void>
  ) throws {
    let member = FamilyMember(
      identity: report.identity, restarts: restarts, revive: { delay in _ = revival.after(delay) },
      renew: { renewal() }, recipient: recipient)
    try apply(.add(report.id, member))
  }

  /// Links an agent or pool to another: whenever the parent crashes, the supervisor makes the child anew, and all
  /// agents that are linked to the child. A crash of the child does not affect the parent.
  ///
  /// - Throws: ``SupervisionError/unknown(_:)``; ``SupervisionError/circular(_:_:)``.
  public func link(_ parent: String, to child: String) throws { try apply(.link(parent, child)) }

  /// Ends a link: a crash of the parent no longer affects the child, unless by another link. If no such link exists,
  /// nothing changes.
  ///
  /// ```swift
  /// try services.unlink("store", from: "cache")
  /// ```
  ///
  /// - Throws: ``SupervisionError/unknown(_:)``.
  public func unlink(_ parent: String, from child: String) throws { try apply(.unlink(parent, child)) }

  /// The ids of all agents and pools that are supervised, sorted. None while the supervisor is paused or stopped.
  ///
  /// - Complexity: O(agents). Waits for bodies of the supervisor on other threads only.
  public var ids: [String] {
    guard case .listed(let ids)? = try? family.unlessPaused(.list, control) else { return [] }
    return ids
  }

  /// The agent or the pool that is supervised by an id.
  ///
  /// ```swift
  /// let store: Agent<Store>? = services["store"]
  /// if let parsers = services["parsers", as: AgentPool<Parser>.self] { parsers.add(2) }
  /// ```
  ///
  /// - Returns: `nil` if none is supervised by this id, if it is of another type, or while the supervisor is paused or
  ///   stopped.
  /// - Complexity: O(1). Waits for bodies of the supervisor on other threads only.
  public subscript<Found: Recipient>(id: String, as type: Found.Type = Found.self) -> Found? {
    guard case .found(let found)? = try? family.unlessPaused(.find(id), control) else { return nil }
    return found as? Found
  }

  /// Ends the supervision of an agent or a pool, and of all that are linked to it. Each lives on as long as the program
  /// refers to it.
  ///
  /// - Throws: ``SupervisionError/unknown(_:)``.
  public func unsupervise(_ id: String) throws { try apply(.remove(id)) }

  private func apply(_ change: FamilyChange) throws {
    if case .refused(let error) = try family.unlessPaused(change, control) { throw error }
  }
}
