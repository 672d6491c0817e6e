/// The contents of a shared soup at one moment.
///
/// ```swift
/// let now = try await shop.control.snapshot()
/// if now["order"] ?? 0 > 10_000 { alarm("\(now)") }
/// ```
public struct SharedSnapshot: Sendable, CustomStringConvertible {
  /// A reaction.
  public struct Reaction: Sendable {
    /// The labels of its inputs.
    public let label: String
    /// The inputs of which no molecule waits. With keys, a reaction may lack more than that.
    public let missing: [String]
    /// The number of its firings that workers have.
    public let running: Int
    /// The number of its firings that wait for a worker or for the time of their next attempt.
    public let waiting: Int
    /// The number of workers that offer it.
    public let workers: Int
  }

  /// The soup's label.
  public let soup: String
  /// Whether reactions fire.
  public let condition: Condition
  /// The labels and the numbers of molecules that wait, in the order of declaration.
  public let counts: [(label: String, molecules: Int)]
  /// The number of molecules that are due later.
  public let delayed: Int
  /// The reactions that this process has declared.
  public let reactions: [Reaction]
  /// The number of dead letters.
  public let deadLetters: Int
  /// The number of calls that have no outcome yet.
  public let calls: Int
  /// The number of workers of all processes.
  public let workers: Int
  /// The number of molecules that acknowledged firings have consumed, without states.
  public let consumed: Int
  /// Whether a reaction can fire, runs, or waits for its next attempt.
  public let isBusy: Bool

  init(_ contents: Contents, _ link: Link) {
    soup = link.label
    condition = contents.condition
    counts = zip(link.chemistry.names, link.names).map { ($0.label, contents.waiting[$1] ?? 0) }
    delayed = contents.later.values.reduce(0, +)
    deadLetters = contents.dead
    calls = contents.calls
    workers = contents.workers.count
    consumed = Int(contents.consumed)
    isBusy = contents.isBusy
    let declared = Dictionary(uniqueKeysWithValues: link.chemistry.reactions.map { ($0.label, $0) })
    reactions = link.bodies.sorted { $0.key < $1.key }.map { id, body in
      let reaction = declared[body.label]!
      let names = (reaction.state.map { [$0] } ?? []) + reaction.inputs
      let missing = names.filter { contents.waiting[link.names[$0]] ?? 0 == 0 }
      return Reaction(
        label: body.label, missing: missing.map { link.chemistry.names[$0].label },
        running: contents.running[id] ?? 0, waiting: contents.retries[id] ?? 0,
        workers: contents.workers.count { $0.reactions.contains(id) })
    }
  }

  /// The molecules of the name with this label that wait. Nil if this process has not declared it.
  ///
  /// - Complexity: O(names).
  public subscript(label: String) -> Int? { counts.first { $0.label == label }?.molecules }

  /// The numbers in one line.
  public var description: String {
    var text = "shared soup '\(soup)', \(condition): "
    text += counts.map { "\($0.label) \($0.molecules)" }.joined(separator: ", ")
    let others = [
      ("delayed", delayed), ("running", reactions.reduce(0) { $0 + $1.running }),
      ("to run again", reactions.reduce(0) { $0 + $1.waiting }), ("dead letters", deadLetters), ("calls", calls),
      ("workers", workers), ("consumed", consumed),
    ]
    for (what, number) in others where number != 0 { text += "; \(what) \(number)" }
    return text
  }

  /// The line, and one for each reaction that says why it does not fire.
  var explanation: String {
    reactions.reduce("\(self)") { text, reaction in
      let few = reaction.workers == 0 ? "no worker offers it" : "1 worker offers it"
      var line = "\nreaction \(reaction.label): "
      line += reaction.workers < 2 ? few : "\(reaction.workers) workers offer it"
      if !reaction.missing.isEmpty { line += "; it lacks \(reaction.missing.joined(separator: ", "))" }
      if reaction.running > 0 { line += "; \(reaction.running) run" }
      if reaction.waiting > 0 { line += "; \(reaction.waiting) run again" }
      return text + line
    }
  }
}
