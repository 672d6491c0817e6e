public import Dispatch

/// Where the body of a reaction runs.
///
/// ```swift
/// soup.react(state: counter, increment, on: .inline) { n, _ in n += 1 }
/// soup.react(line, on: .queue(disk)) { line in append(line) }
/// soup.react(line, on: .executor(Soup.Pool.executor)) { line in append(line) }
/// soup.react(line, on: .loop(loop)) { line in append(line) }
/// soup.react(page, on: .main) { page in window.show(page) }        // isolated to the main actor
/// soup.react(deposit, on: .actor(account)) { account, x in account.add(x) } // isolated to an actor
/// ```
///
/// These are the placements that need no isolation: any of them can be a soup's default. A body that is isolated to the
/// main actor is placed by ``MainPlacement/main``, one that is isolated to another actor by that actor itself. Bodies
/// may be `async` on every placement; a reaction's states stay with it until its body has ended.
///
/// An `async` body has the context of an injector, and so has a synchronous one on any placement but ``automatic``,
/// ``inline`` and ``pool``. <doc:Placing> says of which injector, and <doc:Order> in which order bodies begin.
///
/// - Complexity: O(1) to make one. <doc:Placing> says what each costs a body.
public struct Placement: Sendable, Hashable, CustomStringConvertible {
  enum Kind: Sendable, Hashable {
    case automatic
    case pool
    case inline
    case station(Station)
  }

  let kind: Kind

  /// The default: a synchronous body on ``pool``, an `async` one in a task on Swift's pool, as that of `Task { … }`.
  ///
  /// Swift's pool has one thread for each processor. An `async` body must not block one: place a body that blocks on
  /// ``pool``. Injecting returns without having run any body.
  public static var automatic: Placement { Placement(kind: .automatic) }

  /// On a thread of the library's pool. ``Soup/Pool`` says which threads that block it replaces. Injecting returns
  /// without having run any body.
  ///
  /// An `async` body runs there in a task, and returns there after each suspension.
  public static var pool: Placement { Placement(kind: .pool) }

  /// On the thread that completed the match, before its injection returns: the fastest, for short bodies that do not
  /// block.
  ///
  /// The body runs under whatever locks the injecting code holds, and the injecting thread may find itself running
  /// reactions that other threads' molecules enabled. Injections inside such bodies run theirs nested, as long as the
  /// stack has room, up to a fixed depth. The thread defers what would nest deeper, and runs it in order before its
  /// outermost injection returns. So the stack is bounded however long a chain is, and the outermost caller finds
  /// everything done. If a body blocks, or computes for 20 ms and more, threads of the pool take over what was
  /// deferred: nothing waits behind it.
  ///
  /// An `async` body runs so until it suspends for the first time. After that it runs on Swift's pool, where it must
  /// not block its thread.
  public static var inline: Placement { Placement(kind: .inline) }

  /// In a task on the pool, which has the task-local values and the priority of an injector.
  public static let task = Placement(kind: .station(TaskStation.task))

  /// On a dispatch queue.
  ///
  /// `isConcurrent` says whether the queue runs several blocks at once, which a queue does not tell. A blocking call on
  /// a serial queue that only an `async` body on that very queue could answer fails with ``Deadlock``.
  public static func queue(_ queue: DispatchQueue, isConcurrent: Bool = false) -> Placement {
    Placement(kind: .station(QueueStation(queue, isConcurrent: isConcurrent)))
  }

  /// On a task executor: in a task that prefers it.
  ///
  /// One that is a `SerialExecutor` as well is taken to run one job at a time. An executor that runs a job in the
  /// middle of `enqueue` makes the body run in the middle of the injection.
  public static func executor(_ executor: any TaskExecutor) -> Placement {
    Placement(kind: .station(TaskStation(executor)))
  }

  /// On a loop, as that of a UI toolkit; at once when the injector is on the loop already.
  public static func loop(_ loop: any ReactionLoop) -> Placement { Placement(kind: .station(LoopStation(loop))) }

  /// The placement of bodies that are isolated to the main actor, as the compiler has checked.
  static let mainThread = Placement(kind: .station(MainStation.shared))

  /// The placement as descriptions of soups show it.
  public var description: String {
    switch kind {
    case .automatic: "automatic"
    case .pool: "pool"
    case .inline: "inline"
    case .station(let station): station.label
    }
  }
}
