import CCrucible

/// Bodies on the threads of callers that wait for them (`firing/visits.c` of the core).
enum Visits {
  /// Tells the core, once, where bodies may visit.
  static let hooks: Void = crucible_visits_begin(
    { Station.isOnPools },
    { core, index in
      let warning = Soup.Warning(outlasting: index, in: core)
      Task { warning.logOnce() }  // the thread has no time for the program's log
    })
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
