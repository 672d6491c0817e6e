import Crucible
import Synchronization

/// The part that the names of one definition share: its mistakes and first molecules while its scope is open, then the
/// link to the engine.
final class DefinitionCore: Sendable {
  let label: String
  let source: Soup.Source
  private struct State {
    var isOpen = true
    var initial: [Injection] = []
    var labels: [String] = []
    // Weak, because link, bodies, names and core would form a cycle.
    weak var link: Link?
  }
  private let state = Mutex(State())

  init(_ label: String, _ source: Soup.Source) {
    self.label = label
    self.source = source
  }

  var isOpen: Bool { state.withLock { $0.isOpen } }
  /// Nil before the engine has the definition, and after the last outer name is released.
  var link: Link? { state.withLock { $0.link } }

  /// Keeps a molecule of the scope, of the name with this index.
  func keep(_ injection: Injection) { state.withLock { $0.initial.append(injection) } }

  /// Ends the scope, which has declared these names. Returns its molecules.
  func close(_ labels: [String]) -> [Injection] {
    state.withLock {
      ($0.isOpen, $0.labels) = (false, labels)
      return $0.initial
    }
  }

  /// The label of a name, when the scope is closed.
  func label(of index: Int) -> String { state.withLock { $0.labels[index] } }

  func connect(_ link: Link) { state.withLock { $0.link = link } }

  func fail(_ what: String, file: StaticString, line: UInt) -> Never {
    fatalError("Crucible: shared soup '\(label)' (\(source)): \(what)", file: file, line: line)
  }
}

/// A soup in its engine, as this process uses it.
final class Link: Sendable {
  let engine: Engine
  let label: String
  let soup: Int64
  let names: [Int64]
  let chemistry: Chemistry
  /// By the number of the reaction in the engine.
  let bodies: [Int64: ReactionBody]
  let replies: Replies
  let injections: Injections

  var store: any Store { engine.store }

  init(_ engine: Engine, _ chemistry: Chemistry, _ defined: Defined, _ bodies: [ReactionBody]) {
    self.engine = engine
    self.chemistry = chemistry
    label = chemistry.label
    soup = defined.soup
    names = defined.names
    self.bodies = Dictionary(uniqueKeysWithValues: zip(defined.reactions, bodies))
    replies = Replies(engine.store, defined.soup)
    injections = Injections(engine, defined.soup, replies)
  }

  /// Injects in one step, which also forgets calls.
  func inject(_ injections: [Injection], _ repetition: Repetition? = nil) throws -> Bool {
    try replies.forgetting { try store.inject(injections, into: soup, repetition, forgetting: $0) }
  }
}

/// The body of a reaction, with its inputs and state as the engine has them.
struct ReactionBody: Sendable {
  /// The decoded value of a state, as a body gets and returns it.
  typealias State = any Sendable
  let label: String
  let retry: Retry
  let limit: Duration?
  /// Decodes and encodes the state.
  let decode: (@Sendable ([UInt8]) throws -> State)?
  let encode: (@Sendable (State) throws -> [UInt8])?
  let run: @Sendable (State?, [Molecule], Recorder) async throws -> State?
}
