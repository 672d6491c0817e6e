import Crucible

/// What happens in a run, in lines for a person.
struct Story {
  private var soups: Set<Soup.Definition> = []
  private var events: [(name: String, text: String, soup: Soup.Definition?)] = []

  mutating func add(_ event: Soup.Event, by name: String) {
    soups.insert(event.soup)
    guard let text = Self.text(of: event.kind) else { return }
    events.append((name, text, event.soup))
  }

  mutating func add(_ text: String, by name: String) { events.append((name, text, nil)) }

  /// Adds that time has passed, in the place of an event that says so as well.
  mutating func add(time: UInt64) {
    if events.last?.name == "clock" && events.last?.soup == nil { events.removeLast() }
    add("it is \(Duration.nanoseconds(Int64(clamping: time))) now", by: "clock")
  }

  /// The lines. A line names its soup if there are several.
  var text: [String] {
    events.map { name, text, soup in
      let place = soup.flatMap { soups.count > 1 ? " in \($0.label)" : nil } ?? ""
      return "\(name): \(text)\(place)"
    }
  }

  private static func text(of kind: Soup.Event.Kind) -> String? {
    switch kind {
    case .made, .consumed, .failed, .gone: nil
    case .injected(let molecule, let count): count == 1 ? "injects \(molecule)" : "injects \(count) \(molecule)"
    case .refused(let molecule, _): "\(molecule) is refused"
    case .started(let reaction): "\(reaction.pattern) begins (line \(reaction.source.line))"
    case .finished(let reaction): "\(reaction.pattern) ends"
    case .threw(let reaction, let error): "\(reaction.pattern) throws \(error)"
    case .replied(let molecule): "replies to \(molecule)"
    case .withdrew(let molecule): "\(molecule) is withdrawn"
    case .expired(let molecule): "\(molecule) expires"
    case .displaced(let molecule): "\(molecule) finds no room"
    case .timedOut(let molecule): "\(molecule) times out"
    case .cancelled(let molecule): "\(molecule) is cancelled"
    case .paused: "pauses"
    case .resumed: "resumes"
    case .cleared(let dropped): "clears, \(dropped) dropped"
    case .draining: "drains"
    case .stopped(let dropped): "stops, \(dropped) dropped"
    case .restarted: "restarts"
    }
  }
}
