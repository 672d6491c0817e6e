extension Explanation {
  /// The state of the soup in one line.
  public var verdict: String {
    switch condition {
    case .gone: "the soup is gone: nothing reacts in it any more" + waiting
    case .beingDefined: "its definition has not ended: until then nothing reacts" + waiting
    case .stopped:
      activity.isEmpty
        ? "stopped: nothing reacts before restart()" + waiting : "stopped, and not quiet yet: \(activity)" + waiting
    case .paused:
      (enabled == 0 ? "paused, and no reaction would react" : "paused: \(count(enabled, "reaction")) would react")
        + (activity.isEmpty ? "" : "; \(activity)") + waiting
    case .draining: "draining: \(happening)" + waiting
    case .running: happening + waiting + nextTimer
    }
  }

  private var nextTimer: String { timers.map(\.next).min().map { "; the next timer is due in \(text($0))" } ?? "" }

  private var happening: String {
    if !activity.isEmpty {
      return activity + (enabled == 0 && molecules > 0 ? "; nothing else has all that it needs" : "")
    }
    if enabled > 0 { return "\(count(enabled, "reaction")) about to react" }
    let orIsPaused = reactions.contains { !$0.paused.isEmpty } ? ", or one of its names is paused" : ""
    let ofOneKey = reactions.contains(where: \.isOfAllKeys) ? " of one key" : ""
    if molecules > 0 { return "nothing reacts: every reaction lacks a molecule\(ofOneKey)" + orIsPaused }
    return calls.isEmpty ? "quiet and nothing waits" : "quiet, and nothing waits to react"
  }

  private var enabled: Int { reactions.count { $0.isEnabled && $0.paused.isEmpty } }

  private var activity: String {
    let bodies = reactions.reduce(0) { $0 + $1.bodies }
    var parts: [String] = []
    if bodies > 0 { parts.append("\(count(bodies, "body", "bodies")) \(bodies == 1 ? "runs" : "run")") }
    if reserved > 0 {
      let are = reserved == 1 ? "is reserved and has" : "are reserved and have"
      parts.append("\(count(reserved, "firing")) \(are) not begun")
    }
    return parts.joined(separator: ", ")
  }

  private var waiting: String {
    let callers = calls.reduce(0) { $0 + $1.callers.count }
    return callers == 0 ? "" : "; " + sentence(callers, calls.reduce(0) { $0 + $1.matched })
  }

  /// The verdict, then a block for each reaction, then the callers.
  public var description: String {
    let head = "soup '\(soup)' (\(source)): \(verdict)"
    // A soup that is gone has no molecules and never will, so the text omits its missing inputs.
    let blocks = condition == .gone ? [] : reactions.map { lines(of: $0) }
    let pool = pool.map { [["what is reserved waits for the pool: \($0)"]] } ?? []
    let warnings = warnings.isEmpty ? [] : [warnings.map { "warning: \($0)" }]
    let timers = timers.isEmpty ? [] : [timers.map(\.description)]
    let all = [[head]] + blocks + calls.map(lines) + timers + pool + warnings
    return all.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  // ---- Reactions ----

  private func lines(of reaction: Reaction) -> [String] {
    let server = "component \(reaction.component), \(reaction.matcher)"
    var lines = ["reaction \(reaction.info) on \(reaction.placement), \(server)"]
    func add(_ title: String, _ texts: [String]) {
      if texts.isEmpty { return }
      lines.append("  \(title):".padded(to: 11) + texts.joined(separator: ", "))
    }
    if reaction.bodies > 0 { add("runs", [count(reaction.bodies, "body", "bodies")]) }
    if reaction.placed > 0 {
      let verb = reaction.placed == 1 ? "waits" : "wait"
      add("reserved", ["\(count(reaction.placed, "firing")) \(verb) for \(reaction.placement) to be free"])
    }
    add("there", reaction.inputs.filter { $0.there > 0 }.map { "\($0.label) \($0.there)" })
    add("missing", reaction.missing.map(missing))
    let hints = reaction.paused.map { "'\($0.label)' is paused: resume(\($0.label))" } + needs(of: reaction)
    for (index, hint) in hints.enumerated() {
      lines.append((index == 0 ? "  next:" : "").padded(to: 11) + hint)
    }
    return lines
  }

  private func missing(_ input: Input) -> String {
    input.needed == 1 ? input.label : "\(input.label) (\(input.needed) needed, \(input.there) there)"
  }

  private func needs(of reaction: Reaction) -> [String] {
    if reaction.missing.isEmpty && !reaction.paused.isEmpty { return [] }
    if reaction.missing.isEmpty && reaction.isOfAllKeys {
      return ["only molecules of one key react with each other: explain(of: key)"]
    }
    if reaction.isEnabled {
      switch condition {
      case .paused: return ["has all it needs: resume() the soup"]
      case .stopped: return ["has all it needs: restart() the soup"]
      default: return ["has all it needs, and is about to react"]
      }
    }
    return reaction.missing.map { input in
      switch input.kind {
      case .state:
        let unseen = reserved > 0 ? "a firing that is reserved" : "a body that cannot be seen from here"
        let holders = input.holders.isEmpty ? unseen : list(input.holders.map { "a body of \($0)" }, ", or ")
        return "'\(input.label)' is away: \(holders) has it until it ends. What does that wait for?"
      case .slow, .fact:
        if let timers = input.timers {
          return "a timer injects '\(input.label)' in \(text(timers.next))." + competition(for: input)
        }
        return "who injects '\(input.label)' (declared at \(input.source))?" + competition(for: input)
      case .fast: return "who calls '\(input.label)' (declared at \(input.source))?" + competition(for: input)
      }
    }
  }

  private func competition(for input: Input) -> String {
    if input.competitors.isEmpty || input.kind == .fact { return "" }
    return " Also consumed by \(list(input.competitors.map(\.description), ", "))."
  }

  private func list(_ texts: [String], _ separator: String) -> String {
    let most = 3
    let shown = texts.prefix(most).joined(separator: separator)
    return texts.count > most ? "\(shown) and \(texts.count - most) more" : shown
  }

  // ---- Callers ----

  /// Returns the lines of the calls. Calls from one line are grouped.
  private func lines(of calls: Calls) -> [String] {
    var groups: [(way: String, callers: [WaitingCall])] = []
    for call in calls.callers {
      let way = call.way(call.form == .suspended ? "await" : "blocking threads")
      if let index = groups.firstIndex(where: { $0.way == way }) {
        groups[index].callers.append(call)
      } else {
        groups.append((way, [call]))
      }
    }
    return ["\(calls.label): \(sentence(calls.callers.count, calls.matched))"]
      + groups.map { way, callers in
        if callers.count == 1 { return "  " + callers[0].how }
        let (least, most) = (text(callers.last!.duration), text(callers[0].duration))
        return "  \(callers.count) times, for \(least == most ? most : "\(least) to \(most)"), \(way)"
      }
  }

  private func sentence(_ callers: Int, _ matched: Int) -> String {
    let all = "\(count(callers, "caller")) \(callers == 1 ? "waits" : "wait")"
    if matched == 0 { return all }
    return all + (matched == callers ? "" : ", \(matched) of them")
      + " for the reply of a body that has the call\(reserved > 0 ? ", or will have it" : "")"
  }
}

private func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
  "\(number) \(number == 1 ? one : many ?? one + "s")"
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
