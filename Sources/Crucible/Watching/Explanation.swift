import CCrucible

/// An explanation of a soup at one moment, as values and as text: why nothing happens, or what happens.
///
/// ```swift
/// print(control.explain())
/// // soup 'bank' (Bank/Bank.swift:10): nothing reacts: every reaction lacks a molecule; 1 caller waits
/// //
/// // reaction account & withdraw & permit (Bank/Bank.swift:14) on pool, component 0, word
/// //   there:   account 1, withdraw 1
/// //   missing: permit
/// //   next:    who injects 'permit' (declared at Bank/Bank.swift:13)?
/// //
/// // withdraw: 1 caller waits
/// //   for 2.31 s, from Bank/Teller.swift:40, await, limit 5 s
/// ```
///
/// The counts are atomic per component, as those of a ``Soup/Snapshot``. The running bodies and the waiting callers are
/// read right after them. So while the soup works, the parts may be of slightly different moments. At rest they agree.
public struct Explanation: Sendable, Hashable, CustomStringConvertible {
  /// Whether reactions may fire at all.
  public enum Condition: String, Sendable, Hashable, CustomStringConvertible {
    /// The definition has not ended: the soup holds all molecules until then.
    case beingDefined = "being defined"
    /// Reactions may fire.
    case running
    /// No reaction fires until ``Soup/Control/resume()``.
    case paused
    /// ``Soup/Control/drain(within:)`` waits for the soup, which finishes its work and accepts no more.
    case draining
    /// The soup refuses all molecules, and nothing reacts, until ``Soup/Control/restart(within:)``.
    case stopped
    /// The soup has ended.
    case gone

    public var description: String { rawValue }
  }

  /// An input of a reaction: a name, and how many of its molecules were there.
  public struct Input: Sendable, Hashable {
    /// The name's label.
    public let label: String
    /// Whether the name is slow, fast, a state or a fact.
    public let kind: MoleculeKind
    /// The place of the name's declaration.
    public let source: Soup.Source
    /// The number of its molecules that one firing takes. 0 for a state with keys in an explanation of all keys.
    public let needed: Int
    /// The number of its molecules that waited.
    public let there: Int
    /// The other reactions that consume it.
    public let competitors: [Soup.ReactionInfo]
    /// The reactions whose bodies run and may have this input, if it is a state that is not there.
    ///
    /// Empty if the library sees no such body. Then a reserved firing has it, or a body under that of another soup.
    public let holders: [Soup.ReactionInfo]
    /// The timers that will inject the name, if any are armed.
    public let timers: Soup.Snapshot.Timers?
    /// Whether ``Soup/Control/pause(_:file:line:)`` holds the name.
    public let isPaused: Bool

    /// The number of its molecules that one firing lacked.
    public var missing: Int { max(0, needed - there) }
  }

  /// A reaction, with the inputs that were there and those that it lacked.
  public struct Reaction: Sendable, Hashable {
    /// The reaction.
    public let info: Soup.ReactionInfo
    /// The placement of its bodies.
    public let placement: String
    /// Reactions that share names have the same number.
    public let component: Int
    /// The matcher of the component.
    public let matcher: Soup.Matcher
    /// Each name once, in the order of the pattern.
    public let inputs: [Input]
    /// The number of its bodies that run, as far as these are innermost on their threads.
    public let bodies: Int
    /// The number of firings that have consumed their molecules and wait for the place of their bodies. Firings that
    /// wait for the pool are counted for the whole soup only: ``Explanation/reserved``.
    public let placed: Int
    /// Whether its names have keys, and the numbers of its inputs are sums. Only molecules of one key react with each
    /// other: ``Soup/Control/explain(of:)`` says what a key lacks.
    public let isOfAllKeys: Bool

    /// Whether all its inputs were there. False for a reaction ``isOfAllKeys``.
    public var isEnabled: Bool { missing.isEmpty && !isOfAllKeys }
    /// The inputs that it lacked, at least in part.
    public var missing: [Input] { inputs.filter { $0.missing > 0 } }
    /// The inputs that are paused. If there are any, the reaction does not fire.
    public var paused: [Input] { inputs.filter(\.isPaused) }
  }

  /// The callers of one fast molecule.
  public struct Calls: Sendable, Hashable {
    /// The molecule's label.
    public let label: String
    /// The callers that sleep, the longest first. A caller that has just called is not yet among them.
    public let callers: [WaitingCall]
    /// The number of calls that waited for a reaction. The library does not know which calls these are. The other
    /// callers wait for a body that has, or will have, their call, or it was handed on (``WaitingCall/carrier``).
    public let unmatched: Int

    /// The least number of callers that wait for the reply of a body that has their call.
    public var matched: Int { max(0, callers.count - unmatched - callers.count { $0.carrier != nil }) }
  }

  /// The soup's label.
  public let soup: String
  /// The place of the soup's definition.
  public let source: Soup.Source
  /// Whether reactions may fire at all.
  public let condition: Condition
  /// The reactions, in the order of declaration.
  public let reactions: [Reaction]
  /// The fast molecules whose callers sleep, in the order of declaration.
  public let calls: [Calls]
  /// The armed timers of each name that has some, in the order of declaration.
  public let timers: [Soup.Snapshot.Timers]
  /// The number of firings that have consumed their molecules and have not begun.
  public let reserved: Int
  /// The number of molecules that waited, without states and facts.
  public let molecules: Int
  /// The status of the pool, if firings wait for it.
  public let pool: Soup.Pool.Status?
  /// The probable mistakes in the definition.
  public let warnings: [Soup.Warning]

  /// The callers that sleep, the longest first.
  public var callers: [WaitingCall] { calls.flatMap(\.callers).sorted { $0.duration > $1.duration } }
}

extension Explanation {
  init(of core: OpaquePointer, key: AnyKey? = nil) {
    let graph = ReactionGraph(of: core)
    soup = graph.soup
    source = graph.source
    condition = Condition(of: core, isComplete: graph.isComplete)
    let all = graph.isComplete ? Soup.Snapshot(of: core, key: key).counts : []
    let counts = all.map(\.molecules)
    let (bodies, reserved) = graph.isComplete ? Soup.Snapshot.Running.counts(in: core) : ([], reserved: 0)
    self.reserved = reserved
    let isAsked = { (name: Int) in key == nil || graph.names[name].keys == key.map { UInt(bitPattern: $0.type) } }
    molecules = zip(graph.names, counts).reduce(0) { $1.0.kind.stays ? $0 : $0 + $1.1 }
    let placed = graph.reactions.indices.map { Int(crucible_soup_placed(core, $0)) }
    timers = key == nil ? Soup.Snapshot.Timers.all(in: core) : []
    let timersByName = Dictionary(uniqueKeysWithValues: timers.map { ($0.name, $0) })
    reactions = graph.reactions.indices.filter { isAsked(graph.reactions[$0].inputs[0].name) }.map {
      Reaction($0, of: graph, all, bodies, placed, timersByName, ofOneKey: key != nil)
    }
    pool = reserved > placed.reduce(0, +) ? Soup.Pool.status : nil
    warnings = Soup.Control(handle: SoupHandle(core, owns: false)).warnings
    let waiting = key == nil ? WaitingCall.all(in: core) : []
    let callers = Dictionary(grouping: waiting, by: \.name).sorted { $0.key < $1.key }
    calls = callers.map { name, callers in
      Calls(
        label: callers[0].molecule, callers: callers,
        // Calls that are held until the definition ends are not counted, and no reaction has them.
        unmatched: graph.isComplete ? counts[name] : callers.count)
    }
  }
}

extension Explanation.Condition {
  init(of core: OpaquePointer, isComplete: Bool) {
    let held: Explanation.Condition? = whileHeld(core) {
      if !isComplete { return .beingDefined }
      if crucible_soup_is_stopped(core) { return .stopped }
      return crucible_soup_is_paused(core) ? .paused : crucible_soup_is_draining(core) ? .draining : .running
    }
    self = held ?? .gone
  }
}

extension Explanation.Reaction {
  fileprivate init(
    _ index: Int, of graph: ReactionGraph, _ counts: [Soup.Snapshot.Count], _ bodies: [Int], _ placed: [Int],
    _ timers: [Int: Soup.Snapshot.Timers], ofOneKey: Bool
  ) {
    let reaction = graph.reactions[index]
    let sums = graph.names[reaction.inputs[0].name].hasKeys && !ofOneKey
    isOfAllKeys = sums
    info = reaction.info
    placement = reaction.placement
    component = reaction.component
    matcher = graph.names[reaction.inputs[0].name].matcher
    self.bodies = bodies[index]
    self.placed = placed[index]
    inputs = reaction.inputs.map { input in
      let name = graph.names[input.name]
      let consumers = graph.reactions(over: input.name)
      let count = counts[input.name]
      let isState = name.kind == .state
      let isAway = isState && count.molecules == 0 && !sums
      return Explanation.Input(
        label: name.label, kind: name.kind, source: name.source, needed: isState && sums ? 0 : input.multiplicity,
        there: count.molecules,
        competitors: consumers.filter { $0 != index }.map { graph.reactions[$0].info },
        holders: isAway ? consumers.filter { bodies[$0] > 0 }.map { graph.reactions[$0].info } : [],
        timers: timers[input.name], isPaused: count.isPaused)
    }
  }
}
