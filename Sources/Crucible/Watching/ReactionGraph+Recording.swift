import CCrucible

extension ReactionGraph {
  /// Watches the injections of bodies, so that a graph has arrows in both directions.
  ///
  /// ```swift
  /// let recording = ReactionGraph.Recording()
  /// try await work()
  /// for graph in recording.graphs { print(graph.dot) }
  /// recording.end()
  /// ```
  ///
  /// A recording observes, as ``Soup/Control/observe(_:)`` does, until ``end()`` or until nothing refers to it.
  /// Molecules that the tasks of a body inject count as supplied from outside, and so do those of other soups.
  public final class Recording: Sendable {
    private let books = Books()
    private let observation: Soup.Observation

    /// Records all soups that live or are made from now on.
    public init() { observation = Soup.observe { [books] in books.note($0) } }

    /// Records one soup.
    ///
    /// - Complexity: as ``Soup/Control/observe(_:)``.
    public init(of control: Soup.Control) { observation = control.observe { [books] in books.note($0) } }

    deinit { observation.end() }

    /// Ends the recording. Its graphs stay.
    ///
    /// - Complexity: as ``Soup/Observation/end()``.
    public func end() { observation.end() }

    /// The graphs of everything seen until now: one for all soups that have the same names and reactions.
    ///
    /// - Complexity: O(graphs × (names + outcomes)). Holds up observed reactions for as long.
    public var graphs: [ReactionGraph] { books.graphs }
  }

  fileprivate final class Books: Sendable {
    fileprivate struct Page {
      var initial: [Int: Int] = [:]
      var supplied: [Int: Int] = [:]
      var outcomes: [Int: [[Int: Int]: Int]] = [:]
      var soups = 0
    }

    private struct State {
      var bodies = ActiveBodies<[Int: Int]>()
      var pages: [ReactionGraph: Page] = [:]
      var order: [ReactionGraph] = []
      /// The graphs of the soups that live.
      var known: [UInt: ReactionGraph] = [:]
    }

    private let state = Guarded(State())

    var graphs: [ReactionGraph] {
      state.withLock { state in state.order.map { $0.filled(from: state.pages[$0]!) } }
    }

    func note(_ event: Soup.Event) {
      let core = OpaquePointer(bitPattern: event.instance)!
      switch event.kind {
      case .injected(let molecule, let count): injected(molecule, count, in: core)
      case .refused(let molecule, let count): injected(molecule, -count, in: core)
      case .started(let reaction):
        _ = known(core)
        state.withLock { $0.bodies.begin(reaction.index, of: event.instance, [:]) }
      case .finished(let reaction), .threw(let reaction, _):
        // If a body ends whose begin was not seen, it began before the recording.
        state.withLock { state in
          guard let outcome = state.bodies.end(reaction.index, of: event.instance) else { return }
          let graph = state.known[event.instance]!
          state.pages[graph]!.outcomes[reaction.index, default: [:]][outcome.filter { $0.value > 0 }, default: 0] += 1
        }
      case .gone: state.withLock { $0.known[event.instance] = nil }
      default: break
      }
    }

    private func injected(_ molecule: Soup.Event.Molecule, _ count: Int, in core: OpaquePointer) {
      let name = crucible_name_index(OpaquePointer(bitPattern: molecule.name)!)
      let instance = UInt(bitPattern: core)
      let place: WritableKeyPath<Page, [Int: Int]> = crucible_soup_is_defined_here(core) ? \.initial : \.supplied
      let graph = known(core)
      state.withLock { state in
        if state.bodies.changeInnermost(of: instance, { $0[name, default: 0] += count }) { return }
        state.pages[graph]![keyPath: place][name, default: 0] += count
      }
    }

    /// Returns the graph of a soup that reported an event after its definition had ended.
    private func known(_ core: OpaquePointer) -> ReactionGraph {
      let instance = UInt(bitPattern: core)
      if let graph = state.withLock({ $0.known[instance] }) { return graph }
      let graph = ReactionGraph(of: core)
      state.withLock { state in
        if state.known.updateValue(graph, forKey: instance) != nil { return }
        if state.pages[graph] == nil { state.order.append(graph) }
        state.pages[graph, default: Page()].soups += 1
      }
      return graph
    }
  }

  fileprivate func filled(from page: Books.Page) -> ReactionGraph {
    var graph = self
    graph.soups = page.soups
    // Several soups of one definition: the initial molecules of each of them.
    graph.initial = page.initial.mapValues { ($0 + page.soups - 1) / page.soups }.filter { $0.value > 0 }
    graph.supplied = page.supplied.filter { $0.value > 0 }
    graph.outcomes = page.outcomes.sorted { $0.key < $1.key }.flatMap { reaction, outcomes in
      outcomes.map { Outcome(reaction: reaction, injected: $0.key, times: $0.value) }
        .sorted { $0.times != $1.times ? $0.times > $1.times : $0.text < $1.text }
    }
    return graph
  }
}

extension ReactionGraph.Outcome {
  /// A text for an order that does not change from run to run.
  fileprivate var text: String {
    injected.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ",")
  }
}
