/// The operations of an engine, each of which is one atomic step.
///
/// There are `SQLiteStore`, `RedisStore`, and `Model` in memory, with which the tests compare them. Invariants that all
/// keep, and that the tests name by their number:
///
/// 1. A molecule is in exactly one place: a bag, a firing, a state in a worker's hands, the molecules that are due
///    later, a dead letter. Or it was consumed.
/// 2. A worker has a firing exactly as long as the record of it has the worker's id and fence. Only the deletion of
///    that record consumes the inputs, and only the deleter's outputs are injected.
/// 3. Ids of firings and calls come from clients, and a number is used up before it is sent.
/// 4. A lost bell delays a reaction by a third of a lease at most. A reaction that can fire has a row in `ready`.
/// 5. A state is in its bag, or in the hands of one worker. It never waits in a retry or in a dead letter.
/// 6. A call has one outcome: the row of a call that has none is given one, or deleted, and both happen once.
///
/// The operations block their thread, for a transaction and for the transactions of others.
protocol Store: AnyObject, Sendable {
  var bell: Bell { get }
  var clock: SoupClock { get }

  /// Stores the definition, or compares it with the one that is stored. `initial` is stored by the first definition.
  func define(_ chemistry: Chemistry, _ upgrade: Upgrade, initial: ([Int64]) -> [Injection]) throws -> Defined
  /// Deletes the soup with all its molecules.
  func destroy(_ soup: Int64) throws

  /// Injects from outside. Returns false if the repetition has been there before, and nothing was injected.
  /// Also forgets `calls`: deletes those that have an outcome, and withdraws the others.
  func inject(
    _ injections: [Injection], into soup: Int64, _ repetition: Repetition?, forgetting calls: [ClientID]
  ) throws -> Bool
  /// Returns the outcomes of a client's calls, until these are forgotten.
  func outcomes(of client: Int64, in soup: Int64) throws -> [Int64: CallOutcome]
  /// The number of times that the engine has lost acknowledged steps of this process. Calls from before may be lost.
  func losses(of soup: Int64) -> Int
  /// Ends calls without a reply, and takes back those of their molecules that still wait. Returns the outcomes of the
  /// calls that have one.
  func withdraw(_ calls: [ClientID], from soup: Int64) throws -> [CallOutcome?]

  /// Registers a worker for some reactions.
  func register(_ worker: Int64, of soup: Int64, offering reactions: [Int64], lease: Int64) throws -> Registration
  /// Extends the lease, and recovers the firings of workers that are gone. Throws ``LeaseIsOver``.
  func extend(_ worker: Int64, of soup: Int64, lease: Int64) throws -> [Peer]
  /// Settles runs, then takes new ones. Returns which settlements were accepted. Throws ``LeaseIsOver``.
  func commit(
    _ settlements: [Settlement], of worker: Int64, in soup: Int64, taking limit: Int, _ ids: Numbers
  ) throws -> (accepted: [Bool], Taken)
  /// Ends the worker's lease, and gives back what it still has, at once.
  func release(_ worker: Int64, of soup: Int64) throws

  func setCondition(_ condition: Condition, of soup: Int64) throws
  func contents(of soup: Int64) throws -> Contents
  /// Stops a soup that drains, if no reaction can fire and no firing runs or is to run again, or in any case. Returns
  /// the contents if the drain is over, by this or by another process.
  func endDrain(of soup: Int64, inAnyCase: Bool) throws -> Contents?
  /// The waiting molecules of a name, the oldest first, those of all keys.
  func molecules(of name: Int64, in soup: Int64, limit: Int) throws -> [Molecule]
  func deadFirings(of soup: Int64) throws -> [DeadFiring]
  /// Takes a dead letter out, and runs it again or not. Returns false if it was not there.
  func settleDead(_ id: ClientID, of soup: Int64, retry: Bool) throws -> Bool
}

/// Whether reactions of a shared soup fire, and whether it takes molecules from outside.
public enum Condition: Int64, Sendable, CustomStringConvertible {
  /// Reactions fire.
  case running
  /// Molecules gather, and no reaction begins.
  case paused
  /// Molecules from outside are refused, and the accepted work goes on.
  case draining
  /// Molecules from outside are refused, and no reaction begins.
  case stopped

  /// The condition as a word.
  public var description: String { ["running", "paused", "draining", "stopped"][Int(rawValue)] }

  var accepts: Bool { self == .running || self == .paused }
  var fires: Bool { self == .running || self == .draining }
}

/// The result of a registration: the worker keeps it while it works.
struct Registration: Sendable {
  /// The bell that rings when one of its reactions may fire.
  var bell: Int
  /// The lock that shows that its process lives.
  var life: Life
  var peers: [Peer]
}

/// Another worker.
struct Peer: Hashable, Sendable {
  var process: Int32
}

/// The worker has no lease any more: another one has taken its firings over.
struct LeaseIsOver: Error {}

/// The contents of a soup at one moment.
struct Contents: Sendable {
  struct Worker: Sendable {
    var reactions: Set<Int64>
    var firings: Int
    var process: Int32
  }
  var condition = Condition.running
  /// By name: the molecules that wait.
  var waiting: [Int64: Int] = [:]
  /// The molecules that are due later, by name.
  var later: [Int64: Int] = [:]
  /// The firings that wait for a worker, or for the time of their next attempt, by reaction.
  var retries: [Int64: Int] = [:]
  /// The firings in the hands of workers, by reaction.
  var running: [Int64: Int] = [:]
  var states: [Int64: Bool] = [:]
  var dead = 0
  /// The calls without an outcome.
  var calls = 0
  var consumed: Int64 = 0
  /// Whether a reaction could fire, or a firing waits.
  var isBusy = false
  var workers: [Worker] = []
}

extension Store {
  func losses(of soup: Int64) -> Int { 0 }
}
