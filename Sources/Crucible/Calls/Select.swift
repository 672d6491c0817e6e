extension Soup {
  /// Calls several names, also of different soups. Exactly one of the calls takes place, and its reply is the result.
  ///
  /// ```swift
  /// enum Got { case job(Job), quit }
  /// switch try await Soup.first(of: jobs.call { Got.job($0) }, quit.call { Got.quit }) {
  /// case .job(let job): run(job)
  /// case .quit: return
  /// }
  /// ```
  ///
  /// The select makes the calls one after the other, until a reaction has consumed one: in a random order, or with
  /// ``Preference/earlier`` in that of the arguments. <doc:Outcomes> says what happens to the others.
  ///
  /// The limit covers the choice, not the reply of the reaction that consumed a call. It counts from the call on, by
  /// the clock of the first branch's soup. If the limit is zero or less, only a call that reacts at once takes place.
  ///
  /// - Throws: if no call is left, the error of the last one that dropped out: ``CallError/stopped``,
  ///   ``CallError/cleared`` or ``CallError/gone``. ``CallError/neverReplied`` or ``CallError/failed(_:)`` of the call
  ///   that took place. ``CallError/timedOut`` or ``CallError/cancelled`` if that was before any call took place.
  ///   ``CallError/failed(_:)`` with ``SelectError``, ``Deadlock`` or ``NoMemory`` if nothing was injected.
  /// - Complexity: O(calls²), for the check of their names, and allocations. Never blocks on ``Soup/Matcher/word``.
  nonisolated(nonsending)
    public static func first<Result>(
      of branches: Branch<Result>..., within limit: Duration? = nil, preferring preference: Preference = .none,
      file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError) -> Result
  {
    try await first(of: branches, within: limit, preferring: preference, file: file, line: line)
  }

  /// Calls the names of an array.
  nonisolated(nonsending)
    public static func first<Result>(
      of branches: [Branch<Result>], within limit: Duration? = nil, preferring preference: Preference = .none,
      file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError) -> Result
  {
    do throws(CallError) {
      if Task.isCancelled { throw .cancelled }
      let (waiting, open) = try SelectContents.begin(branches, preference, at: StaticSource(file, line)) {
        .deadlock(awaiting: $0)
      }
      await waiting.wait(within: limit, file, line)
      return try waiting.result(of: open)
    } catch {
      throw error.of(branches.map(\.name), file, line)
    }
  }

  /// The call that a select takes if reactions could consume several of them at once.
  ///
  /// ```swift
  /// let next = try await Soup.first(of: urgent.call(), normal.call(), preferring: .earlier)
  /// ```
  public enum Preference: Sendable, Hashable {
    /// Any of them: a random one, by the seed of the first branch's soup (``Options/seed``).
    case none
    /// The one that comes first in the arguments. A loop over such a select may starve the later ones. A body elsewhere
    /// than ``Placement/inline`` decides only when it begins, so a later branch may be before it.
    case earlier
  }
}
