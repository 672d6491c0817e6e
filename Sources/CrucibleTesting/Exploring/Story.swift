import Crucible

/// What happens in a run, in steps for a person.
struct Story {
  /// What one piece of work does: an act of a task or a thread, or what a body does until another piece goes on.
  struct Step {
    let name: String
    /// The number of the work, if it may go on with the step.
    var item: Int?
    /// The pattern of the body.
    var body: String?
    var isWholeBody = false
    var acts: [String] = []
    var place = ""
    var soup: Soup.Definition?
    /// The time that it is now, if that is the step.
    var time: Duration?
    /// The soups after the step. Nil: as after the step before.
    var soups: [Contents]?
  }

  /// What a soup has between two steps.
  struct Contents {
    /// The number of the soup among those of the run.
    let number: Int
    let soup: String
    let molecules: [Soup.Snapshot.Count]
    let callers: [WaitingCall]
  }

  private(set) var steps: [Step] = []
  private var soups: Set<Soup.Definition> = []
  private var hasEnded = false
  private let file: String
  private let look: () -> [Contents]
  private var calls: [UInt: (name: String, place: String, molecule: String)] = [:]
  /// The last reply of each piece of work, by its number, until the reply's value can be read.
  private var replies: [Int: (step: Int, act: Int, event: Soup.Event)] = [:]

  /// `file`: the file of the test. The places in others are named by their files. `look` looks at the soups.
  init(file: String, _ look: @escaping () -> [Contents] = { [] }) { (self.file, self.look) = (file, look) }

  /// Adds an event of the work with that number. `source`: the place of the call that is injected.
  mutating func add(_ event: Soup.Event, by name: String, _ item: Int, at source: Soup.Source?) {
    settle(item)
    if hasEnded { return }
    soups.insert(event.soup)
    let (call, text) = (event.call, text(of: event))
    switch event.kind {
    case .started(let reaction):
      append(
        Step(name: name, item: item, body: reaction.pattern, acts: [], place: place(reaction.source), soup: event.soup))
    case .finished(let reaction) where isInBody(item, reaction.pattern): steps[steps.count - 1].isWholeBody = true
    case .injected(let molecule, _) where call != nil:
      let place = source.map(place) ?? ""
      calls[call!] = (name, place, molecule.label)
      append(Step(name: name, acts: [text!], place: place, soup: event.soup))
    case .timedOut, .cancelled, .withdrew:
      let (name, place, _) = call.flatMap { calls[$0] } ?? (name, "", "")
      var act = text!
      if case .timedOut = event.kind, let time = steps.last?.time {
        steps.removeLast()
        act += " at \(time)"
      }
      append(Step(name: name, acts: [act], place: place, soup: event.soup), looks: !event.mayBeInMatcher)
    default:
      guard let text else { return }
      act(text, by: name, item, event.soup, looks: !event.mayBeInMatcher)
      if case .replied = event.kind { replies[item] = (steps.count - 1, steps.last!.acts.count - 1, event) }
      if case .threw(let reaction, _) = event.kind, isInBody(item, reaction.pattern) {
        steps[steps.count - 1].isWholeBody = true
      }
    }
  }

  /// Adds an act, to the step of a body if the same work did that.
  mutating func act(
    _ text: String, by name: String, _ item: Int, _ soup: Soup.Definition? = nil, looks: Bool = true
  ) {
    settle(item)
    if hasEnded { return }
    if isInBody(item) {
      steps[steps.count - 1].acts.append(text)
    } else {
      append(Step(name: name, item: item, acts: [text], soup: soup), looks: looks)
    }
  }

  /// The label of the molecule of a call.
  func molecule(of call: UInt) -> String? { calls[call]?.molecule }

  private func isInBody(_ item: Int, _ pattern: String? = nil) -> Bool {
    guard let last = steps.last, let body = last.body, last.item == item, !last.isWholeBody else { return false }
    return pattern == nil || body == pattern
  }

  /// Adds that time has passed, in the place of a step that says so as well.
  mutating func add(time: UInt64) {
    if steps.last?.time != nil { steps.removeLast() }
    append(Step(name: "clock", time: Duration.nanoseconds(Int64(clamping: time))))
  }

  /// Adds the value to the last reply of the work, which goes on, if it has made one. Its caller has not gone on yet.
  mutating func settle(_ item: Int) {
    guard let (step, act, event) = replies.removeValue(forKey: item), let value = event.value else { return }
    steps[step].acts[act] = "replies \(shortened(value))" + steps[step].acts[act].dropFirst("replies".count)
  }

  /// Ends the story: what follows only ends the run.
  mutating func end() {
    complete()
    hasEnded = true
  }

  private mutating func append(_ step: Step, looks: Bool = true) {
    if hasEnded { return }
    if looks { complete() }
    steps.append(step)
  }

  private mutating func complete() {
    if let last = steps.indices.last, !hasEnded, steps[last].soups == nil { steps[last].soups = look() }
  }

  /// The steps, each in a line.
  var text: [String] { steps.map { "\($0.name): \(sentence(of: $0))" } }

  /// Says what a step does. It names its soup if there are several.
  func sentence(of step: Step) -> String {
    let acts = step.time.map { "it is \($0) now" } ?? step.acts.joined(separator: ", ")
    let body = step.body.map { $0 + (step.isWholeBody ? "" : " begins") + (acts.isEmpty ? "" : " → ") } ?? ""
    return body + acts + (step.soup.flatMap { soups.count > 1 ? " in \($0.label)" : nil } ?? "") + step.place
  }

  private func place(_ source: Soup.Source) -> String {
    source.file == file ? " (line \(source.line))" : " (\(source.file.split(separator: "/").last ?? ""):\(source.line))"
  }

  private func text(of event: Soup.Event) -> String? {
    let value = event.value.map { "(\(shortened($0)))" } ?? ""
    return switch event.kind {
    case .made, .consumed, .failed, .gone, .started: nil
    case .injected(let molecule, 1): "\(event.call == nil ? "injects" : "calls") \(molecule)\(value)"
    case .injected(let molecule, let count): "injects \(count) \(molecule)"
    case .refused(let molecule, _): "\(molecule) is refused"
    case .finished(let reaction): "\(reaction.pattern) ends"
    case .threw(_, let error): "throws \(error)"
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

  private func shortened(_ value: String) -> String {
    let line = value.split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.count > 64 ? line.prefix(63) + "…" : line
  }
}

extension Soup.Event {
  /// Whether a matcher may be in the middle of its work, so that nobody may look at the soup.
  fileprivate var mayBeInMatcher: Bool {
    switch kind {
    case .injected, .started, .finished, .threw, .replied, .timedOut, .cancelled: false
    default: true
    }
  }
}
