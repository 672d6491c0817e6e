import CCrucible

extension Soup.Pool {
  /// A thread of the pool at a moment, and its activity: see ``Soup/Pool/threads``.
  ///
  /// ```swift
  /// for thread in Soup.Pool.threads where thread.runs(in: control) { print(thread) }
  /// // thread 4711: blocked in account & withdraw (Bank/Bank.swift:14) of soup 'bank' (Bank/Bank.swift:9)
  /// ```
  public struct Thread: Sendable, Hashable, CustomStringConvertible {
    /// The activity of a thread.
    public enum State: Sendable, Hashable {
      /// The thread sleeps, because it has no work.
      case idle
      /// The thread runs, or looks for work.
      case working
      /// It blocks in a call of the library, or in ``Soup/Pool/blocking(_:)``. Another thread replaces it.
      case blocked
    }

    /// A body that runs on the thread.
    public struct Body: Sendable, Hashable, CustomStringConvertible {
      /// The soup of the reaction.
      public let soup: Soup.Definition
      /// The reaction.
      public let reaction: Soup.ReactionInfo
      /// The number that distinguishes soups of one definition.
      let instance: UInt

      public var description: String { "\(reaction) of \(soup)" }
    }

    /// The number that the system gives to the thread, as in `/proc/self/task`.
    public let number: Int
    /// The thread's activity.
    public let state: State
    /// The innermost body on the thread; `nil` if it runs none, or a part of an `async` body.
    public let body: Body?

    /// Whether the body is one of the soup.
    ///
    /// - Complexity: O(1).
    public func runs(in control: Soup.Control) -> Bool { body?.instance == UInt(bitPattern: control.core) }

    public var description: String {
      "thread \(number): \(state)" + (body.map { " in \($0)" } ?? "")
    }
  }

  /// The threads that the pool has now, and the body that each of them runs.
  ///
  /// ```swift
  /// let stuck = Soup.Pool.threads.filter { $0.state == .blocked }
  /// ```
  ///
  /// Each thread is read by itself and does not stop. So a body that began or ended meanwhile may be missing.
  ///
  /// - Complexity: O(threads + soups × reactions). Does not block.
  public static var threads: [Thread] {
    named([crucible_pool_thread](roomFor: 64) { crucible_pool_threads($0, $1) })
  }

  private static func named(_ threads: [crucible_pool_thread]) -> [Thread] {
    var bodies: [UnsafeRawPointer: Thread.Body] = [:]
    let reactions = Set(threads.compactMap(\.reaction))
    for control in reactions.isEmpty ? [] : Soup.All.defined() {
      for reaction in reactions where bodies[reaction] == nil {
        let index = crucible_soup_find_reaction(control.core, reaction)
        if index < 0 { continue }
        bodies[reaction] = Thread.Body(
          soup: Soup.Definition(control.core), reaction: Soup.ReactionInfo(index, in: control.core),
          instance: UInt(bitPattern: control.core))
      }
    }
    return threads.map { thread in
      Thread(
        number: Int(thread.thread), state: thread.is_blocked ? .blocked : thread.is_idle ? .idle : .working,
        body: thread.reaction.flatMap { bodies[$0] })
    }
  }
}
