import Crucible

/// The data that the page shows, as JSON.
struct Look: Encodable {
  let pool: PoolLook
  let threads: [ThreadLook]
  /// The number of soups of the program.
  let count: Int
  /// The soups that the page shows.
  let soups: [SoupLook]
}

struct PoolLook: Encodable {
  let text: String
  let workers, threads, blocked, idle, queued, limit: Int

  init(_ status: Soup.Pool.Status) {
    text = status.description
    (workers, threads, blocked) = (status.workers, status.threads, status.blocked)
    (idle, queued, limit) = (status.idle, status.queuedFirings, status.limit)
  }
}

struct ThreadLook: Encodable {
  let number: Int
  let state: String
  let soup, pattern, source: String?
  /// The seconds for which the thread has been seen in this activity. Nil if it changed since the last look, or is
  /// idle.
  let seconds: Double?

  init(_ thread: Soup.Pool.Thread, seconds: Double?) {
    (number, state, self.seconds) = (thread.number, "\(thread.state)", seconds)
    let body = thread.body
    (soup, pattern, source) = (body?.soup.label, body?.reaction.pattern, body?.reaction.source.description)
  }
}

struct SoupLook: Encodable {
  struct Name: Encodable {
    let label, kind, source, matcher: String
    let component, count: Int
  }

  /// The keys of a name of which molecules wait.
  struct Keys: Encodable {
    struct Backlog: Encodable {
      let key: String
      let count: Int
    }

    let name, keys: Int
    let longest: [Backlog]
  }

  struct Reaction: Encodable {
    let pattern, source, placement: String
    let component, bodies: Int
    let rate: Double
    let missing: [String]
    /// The number of molecules of each name, by the numbers of the names.
    let takes, gives: [[Int]]
  }

  struct Caller: Encodable {
    let molecule, source, form: String
    let seconds: Double
    let limit: Double?
  }

  let id: Int
  let label, source, condition, verdict: String
  let names: [Name]
  /// Of the names with keys.
  let keys: [Keys]
  let reactions: [Reaction]
  let callers: [Caller]
  let warnings: [String]
  let reserved, dropped, withdrawn: Int

  init(_ id: Int, _ control: Soup.Control, rates: [Double], outcomes: [ReactionGraph.Outcome]) {
    let (graph, snapshot, explanation) = (control.graph, control.snapshot(), control.explain())
    self.id = id
    (label, source) = (explanation.soup, explanation.source.description)
    (condition, verdict) = (explanation.condition.description, explanation.verdict)
    names = zip(graph.names, snapshot.counts).map { name, count in
      Name(
        label: name.label, kind: "\(name.kind)", source: "\(name.source)", matcher: "\(name.matcher)",
        component: name.component, count: count.molecules)
    }
    keys = control.backlogs(longest: 5).map { name in
      Keys(
        name: name.name, keys: name.keys,
        longest: name.longest.map { Keys.Backlog(key: "\($0.key)", count: $0.molecules) })
    }
    reactions = zip(graph.reactions, explanation.reactions).enumerated().map { index, both in
      let given = outcomes.filter { $0.reaction == index }.reduce(into: [Int: Int]()) { given, outcome in
        given.merge(outcome.injected, uniquingKeysWith: max)
      }
      return Reaction(
        pattern: both.0.info.pattern, source: "\(both.0.info.source)", placement: both.0.placement,
        component: both.0.component, bodies: both.1.bodies, rate: index < rates.count ? rates[index] : 0,
        missing: both.1.missing.map(\.label),
        takes: graph.edges.filter { $0.reaction == index }.map { [$0.name, $0.multiplicity] },
        gives: given.sorted { $0.key < $1.key }.map { [$0.key, $0.value] })
    }
    callers = explanation.callers.prefix(50).map { call in
      Caller(
        molecule: call.molecule, source: "\(call.source)", form: call.form.description,
        seconds: call.duration / .seconds(1), limit: call.limit.map { $0 / .seconds(1) })
    }
    warnings = explanation.warnings.map(\.description)
    (reserved, dropped, withdrawn) = (explanation.reserved, snapshot.dropped, snapshot.withdrawn)
  }
}
