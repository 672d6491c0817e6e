import CHarness

extension Session {
  /// Reports the cases in which an alternative that the command line names has no row, with the reason and a remedy.
  func reportAbsences() {
    for alternative in options.namedAlternatives {
      let entrant = Entrant(layer: nil, strategy: alternative)
      let absent = options.cases.filter { one in !threads(for: one).contains { has(entrant, one, threads: $0) } }
      if alternative == .oneTBB {
        report(alternative, lacks: absent, "its program does \(peers?.cases.joined(separator: ", ") ?? "none")")
        continue
      }
      // An alternative with threads of its own may have the case, but not with the chosen numbers of threads.
      report(
        alternative, lacks: absent.filter { $0.has(entrant) },
        "it has one thread for each processor, so choose --threads \(harness_cores())")
      report(alternative, lacks: absent.filter { !$0.has(entrant) }, "--list shows what each case has")
    }
  }

  private func report(_ alternative: Strategy, lacks cases: [Case], _ reason: String) {
    if cases.isEmpty { return }
    let names = cases.count > 6 ? "\(cases.count) cases" : cases.map(\.name).joined(separator: ", ")
    printError("no row of \(alternative.name) for \(names): \(reason)")
  }
}
