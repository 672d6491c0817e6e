public import Dispatch

/// The place where the body of a reaction runs.
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
/// These placements need no isolation: any of them can be a soup's default. ``MainPlacement/main`` places a body that
/// is isolated to the main actor, and ``ActorPlacement`` a body that is isolated to another actor.
///
/// <doc:Placing> says which context a body has, and <doc:Order> in which order bodies begin.
///
/// - Complexity: O(1).
public struct Placement: Sendable, Hashable, CustomStringConvertible {
  enum Kind: Sendable, Hashable {
    case automatic
    case pool
    case inline
    case station(Station)
  }

  let kind: Kind

  /// The default: a synchronous body runs on ``pool`` or on the thread of its caller, which waits for it. An `async`
  /// body runs in a task on Swift's pool, as in `Task { … }`, or on ``pool`` if a thread of that pool completed the
  /// match. It may begin on the thread of its caller.
  ///
  /// <doc:Placing> says when a body comes to its caller's thread, and why an `async` body must not block. Place a body
  /// that sometimes waits on ``pool``. Injecting a slow molecule returns without having run any body.
  public static var automatic: Placement { Placement(kind: .automatic) }

  /// On a thread of the library's pool. ``Soup/Pool`` says which blocked threads it replaces. Injecting runs no body.
  ///
  /// An `async` body runs there in a task, and returns there after each suspension.
  public static var pool: Placement { Placement(kind: .pool) }

  /// On the thread that completed the match, before its injection returns: for short bodies that do not block.
  ///
  /// The body runs under all locks that the injecting code holds. The injecting thread may also run reactions that
  /// molecules of other threads enabled. Injections inside such bodies run their reactions nested, as long as the stack
  /// has room. The thread defers the others, and runs them in order before its outermost injection returns. If a body
  /// blocks, or computes for 20 ms and more, threads of the pool take over the deferred bodies.
  ///
  /// An `async` body runs here until it first suspends. After that it runs on Swift's pool, as with ``automatic``.
  public static var inline: Placement { Placement(kind: .inline) }

  /// In a task on the pool, which has the task-local values and the priority of an injector.
  public static let task = Placement(kind: .station(TaskStation.task))

  /// On a dispatch queue.
  ///
  /// `isConcurrent` says whether the queue runs several blocks at once; the library cannot ask the queue. A blocking
  /// call on a serial queue fails with ``Deadlock`` if only an `async` body on the same queue could answer it.
  public static func queue(_ queue: DispatchQueue, isConcurrent: Bool = false) -> Placement {
    Placement(kind: .station(QueueStation(queue, isConcurrent: isConcurrent)))
  }

  /// On a task executor: in a task that prefers it.
  ///
  /// If the executor is a `SerialExecutor` as well, the library assumes that it runs one job at a time. If the executor
  /// runs a job in the middle of `enqueue`, the body runs in the middle of the injection.
  public static func executor(_ executor: any TaskExecutor) -> Placement {
    Placement(kind: .station(TaskStation(executor)))
  }

  /// On a loop, for example of a UI toolkit; at once if the injector is on the loop already.
  public static func loop(_ loop: any ReactionLoop) -> Placement { Placement(kind: .station(LoopStation(loop))) }

  /// The placement of bodies that are isolated to the main actor. The compiler has checked the isolation.
  static let mainThread = Placement(kind: .station(MainStation.shared))

  /// The placement, as descriptions of soups show it.
  public var description: String {
    switch kind {
    case .automatic: "automatic"
    case .pool: "pool"
    case .inline: "inline"
    case .station(let station): station.label
    }
  }
}
