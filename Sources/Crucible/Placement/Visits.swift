import CCrucible

/// Bodies on the threads of callers that wait for them (`firing/visits.c` of the core).
enum Visits {
  /// Tells the core, once, where bodies may visit.
  static let hooks: Void = crucible_visits_begin(
    { Visits.areAllowed },
    { core, index in
      let warning = Soup.Warning(outlasting: index, in: core)
      Task { warning.logOnce() }  // the thread has no time for the program's log
    })

  /// Whether the thread has no duties but the tasks of Swift's pool, or of the library's.
  private static var areAllowed: Bool {
    if Station.isOnOwnExecutor { return false }
    return withUnsafeCurrentTask { task in
      guard let executor = task?.unownedTaskExecutor else { return true }
      return executor == PoolExecutor.unowned
    }
  }
}

extension Soup.Warning {
  fileprivate init(outlasting index: Int, in core: OpaquePointer) {
    let reaction = Soup.ReactionInfo(index, in: core)
    self.init(
      .outlasts, Soup.Definition(core), "reaction \(reaction.pattern)", at: reaction.source,
      """
      its bodies were short, and ran on the threads of callers that waited; one blocked or took long there, so the \
      next ones run on the pool: place the reaction `on: .pool`
      """)
  }
}
