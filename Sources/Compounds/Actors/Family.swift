import Crucible

/// The report of a crash, from an agent to its supervisor. It stops the agent, unless the supervisor makes it anew.
final class FamilyCrash: @unchecked Sendable {
  /// The identity of an agent. A later agent with the same id has another one.
  final class Identity: Sendable {}

  let id: String
  let identity: Identity
  let error: any Error
  /// The agent's control, which does not own the agent.
  let control: Soup.Control
  /// Only the body that has the family sets it.
  var isForgiven = false

  init(_ error: any Error, of report: FamilyReport, _ control: Soup.Control) {
    (id, identity, self.error, self.control) = (report.id, report.identity, error, control)
  }

  deinit { if !isForgiven { control.blocking.stop(within: .zero) } }
}

/// The function by which an agent reports a crash to its supervisor.
@usableFromInline
struct FamilyReport: Sendable {
  let id: String
  let identity = FamilyCrash.Identity()
  /// The supervisor's injector, which does not own the supervisor.
  let crashed: Injector<FamilyCrash>

  /// Reports a crash. If the supervisor is stopped or gone, this stops the agent.
  @usableFromInline
  func callAsFunction(_ error: any Error, of control: Soup.Control) {
    crashed(FamilyCrash(error, of: self, control))
  }
}

/// An agent as its supervisor sees it.
struct FamilyMember: Sendable {
  let identity: FamilyCrash.Identity
  let restarts: Supervisor.Restarts
  /// Makes an agent anew that is down, after a delay.
  let revive: @Sendable (Duration) -> Void
  /// Makes an agent anew that is up.
  let renew: @Sendable () -> Void
  /// The agent or the pool.
  let recipient: any Recipient
  /// The number of crashes in the last interval.
  var crashes = 0
}

/// The changes of a family that callers may request, and the questions.
enum FamilyChange: Sendable {
  case add(String, FamilyMember)
  case link(String, String)
  case unlink(String, String)
  case remove(String)
  case find(String)
  case list

  enum Answer: Sendable {
    case done
    case refused(SupervisionError)
    case found((any Recipient)?)
    case listed([String])
  }
}

/// The family of a supervisor, which a restart keeps. Only one body has it at a time, because it is a state.
final class KeptFamily: @unchecked Sendable {
  var family = Family()
}

/// The agents of a supervisor, and their links.
struct Family {
  private(set) var agents: [String: FamilyMember] = [:]
  private var links: [String: [String]] = [:]

  /// Makes a change, or answers a question.
  mutating func apply(_ change: FamilyChange) -> FamilyChange.Answer {
    switch change {
    case .add(let id, let member):
      if agents[id] != nil { return .refused(.duplicate(id)) }
      agents[id] = member
    case .link(let parent, let child):
      for id in [parent, child] where agents[id] == nil { return .refused(.unknown(id)) }
      if parent == child || descendants(of: child).contains(parent) { return .refused(.circular(parent, child)) }
      if !links[parent, default: []].contains(child) { links[parent, default: []].append(child) }
    case .unlink(let parent, let child):
      for id in [parent, child] where agents[id] == nil { return .refused(.unknown(id)) }
      links[parent]?.removeAll { $0 == child }
    case .remove(let id):
      if agents[id] == nil { return .refused(.unknown(id)) }
      remove(id)
    case .find(let id): return .found(agents[id]?.recipient)
    case .list: return .listed(agents.keys.sorted())
    }
    return .done
  }

  /// Forgets the crashes of all agents, because the timers that end their intervals are over.
  mutating func forgetCrashes() {
    for id in agents.keys { agents[id]!.crashes = 0 }
  }

  /// Returns all agents that are linked to an agent, directly or not, each once.
  ///
  /// - Complexity: O(agents and links).
  func descendants(of id: String) -> [String] {
    var found: [String] = []
    var seen: Set = [id]
    var next = links[id] ?? []
    while let one = next.popLast() {
      guard seen.insert(one).inserted else { continue }
      found.append(one)
      next += links[one] ?? []
    }
    return found
  }

  /// Counts a crash.
  ///
  /// - Returns: the time after which the agent must be made anew. `nil` if it must be stopped; then it is already
  ///   removed.
  mutating func delay(after crash: FamilyCrash) -> Duration? {
    guard let agent = agents[crash.id], agent.identity === crash.identity else { return nil }
    agents[crash.id]!.crashes += 1
    if agent.crashes >= agent.restarts.limit {
      remove(crash.id)
      return nil
    }
    return agent.restarts.delay(before: agent.crashes + 1)
  }

  /// Removes a crash from the count when it is an interval old.
  mutating func forget(_ crash: FamilyCrash) {
    if agents[crash.id]?.identity === crash.identity { agents[crash.id]!.crashes -= 1 }
  }

  private mutating func remove(_ id: String) {
    let gone = Set(descendants(of: id) + [id])
    for id in gone {
      agents[id] = nil
      links[id] = nil
    }
    for parent in links.keys { links[parent]!.removeAll { gone.contains($0) } }
  }
}
