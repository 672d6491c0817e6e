import Crucible
import CrucibleTestSupport
import Foundation
import Testing

/// Trace files, read as a viewer reads them.
@Suite(.watched)
struct `A trace` {
  @Test(arguments: Run.setups)
  func `A trace has nested slices, arrows with both ends and counters`(setup: Setup) async throws {
    let (begin, _, _, ask, control) = setup.define(
      slow("begin", of: Int.self), slow("middle", of: Int.self), slow("end"), fast("ask", returning: Int.self),
      named: "relay \(setup.matcher)"
    ) { soup, begin, middle, end, ask in
      let count = soup.state("count", 0)
      soup.react(begin) { n in for _ in 0..<n { middle(n) } }
      soup.react(middle) { _ async in
        await Task.yield()
        end()
      }
      soup.react(state: count, end) { n, _ in n += 1 }
      soup.react(state: count, ask) { n, call in call.reply(n) }
    }
    let trace = try await Traced(control) {
      for _ in 0..<3 { begin(4) }
      await control.settle()
      let count: Int = try await ask()
      #expect(count == 12)
      await control.settle()
    }
    let events = trace.events
    let (slices, mistakes) = trace.slices()
    #expect(mistakes == [])
    let bodies = slices.filter { $0.category == "body" }
    for (pattern, count) in [("begin", 3), ("middle", 12), ("count & end", 12), ("count & ask", 1)] {
      let found: Int = bodies.count { $0.name == pattern }
      #expect(found == count, "\(pattern)")
    }
    #expect(trace.brokenArrows() == [])
    let arrows = events.filter { $0.phase == "s" }
    #expect(arrows.count == 28)
    // A body of 'middle' injects each molecule of 'end', and another body counts it.
    for arrow in arrows where arrow.name == "end" {
      #expect(slices.contains { $0.name == "middle" && $0.encloses(arrow) })
      let head = events.first { $0.phase == "f" && $0.id == arrow.id }!
      #expect(slices.contains { $0.name == "count & end" && $0.encloses(head) })
      #expect(arrow.time < head.time)
    }
    for arrow in arrows where arrow.name == "begin" {
      #expect(slices.contains { $0.name == "inject begin" && $0.encloses(arrow) })
    }
    for name in ["begin", "middle", "end", "ask"] {
      let counts: [Int] = trace.counts("relay \(setup.matcher): \(name)")
      #expect(counts.last == 0)
      #expect(counts.contains(1))
    }
    #expect(events.contains { $0.phase == "M" && $0.name == "process_name" })
    let marks: [String] = events.filter { $0.phase == "i" }.map(\.name)
    #expect(marks.contains { $0.hasSuffix("replied to ask") })
  }

  @Test(arguments: matchers)
  func `A trace shows withdrawals, drops and errors, and quotes every label`(matcher: Matcher) async throws {
    let odd = "a \"b\"\\ \n\u{1} größe"
    let (wait, _, other, boom, control) = Soup.Options(
      matcher: matcher, placement: .inline, onError: { _ in }, allowing: [.neverServed]
    ).define(fast("wait", returning: Void.self), slow("never"), slow("other", of: Int.self), slow("boom"), named: odd) {
      soup, wait, never, other, boom in
      soup.react(wait, never) { call, _ in call.reply() }
      soup.react(other, boom) { _, _ in throw Bang() }
    }
    let trace = try await Traced(control) {
      other(0)
      boom()
      await #expect(throws: CallError.timedOut) { try await wait(within: .zero) }
      other.inject(contentsOf: 0..<100)
      control.clear()
    }
    #expect(trace.slices().mistakes == [])
    #expect(trace.brokenArrows() == [])
    let events = trace.events
    let errors = events.compactMap(\.error)
    #expect(errors == ["Bang()"])
    for name in ["wait", "other"] {
      let counts: [Int] = trace.counts("\(odd): \(name)")
      let most = name == "wait" ? 1 : 100
      #expect(counts.max() == most)
      #expect(counts.last == 0)
    }
  }

  @Test func `A trace shows the keys of bodies`() async throws {
    let (left, right, control) = Soup.define { soup in
      let (left, right) = (soup.slow("left", of: Int.self, key: { $0 }), soup.slow("right", of: Int.self, key: { $0 }))
      soup.react(left, right, on: .inline) { _, _ in }
      return (left, right, soup.control)
    }
    let trace = try await Traced(control) {
      for key in 1...3 { _ = (left(key), right(key)) }
    }
    #expect(trace.events.filter { $0.phase == "B" }.map(\.key) == ["1", "2", "3"])
  }

  @Test func `A trace is complete though bodies run at its end, and throws where it cannot be written`() async throws {
    let (gate, inside) = (Latch(1), Latch(1))
    let (go, control) = Soup.Options().react(slow("go")) { _ in
      inside.countDown()
      gate.waitBlocking()
    }
    let trace = try await Traced(control) {
      go()
      await inside.wait()
    }
    gate.countDown()
    await control.settle()
    let (slices, mistakes) = trace.slices()
    #expect(mistakes == [])
    #expect(slices.contains { $0.name == "go" })
    let failure = #expect(throws: Soup.Trace.Failure.self) { _ = try Soup.Trace.record(to: "/no/such/folder/x.json") }
    #expect(failure?.error == ENOENT)
    let text = String(describing: failure)
    #expect(text.contains("/no/such/folder/x.json"))
    let full = try Soup.Trace.record([control], to: "/dev/full")
    let second = #expect(throws: Soup.Trace.Failure.self) { try full.end() }
    #expect(second?.error == ENOSPC)
  }
}

private struct Bang: Error {}

/// The events of a trace.
private struct Traced {
  struct Event {
    let phase: String
    let name: String
    let category: String
    let track: Int
    let time: Double
    let duration: Double
    let id: Int?
    let molecules: Int
    let error, key: String?
  }

  struct Slice {
    let name: String
    let category: String
    let track: Int
    let begin: Double
    var end: Double

    func encloses(_ event: Event) -> Bool { event.track == track && begin <= event.time && event.time <= end }
  }

  let events: [Event]

  /// The values of a counter.
  func counts(_ name: String) -> [Int] { events.filter { $0.phase == "C" && $0.name == name }.map(\.molecules) }

  /// Records `work`, and checks the format: an array of objects that have a phase, a process, a track and a time.
  init(_ control: Soup.Control, _ work: () async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: path) }
    let trace = try Soup.Trace.record([control], to: path.path())
    try await work()
    try trace.end()
    try trace.end()
    let all = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: path)) as? [[String: Any]])
    events = try all.map { event in
      let phase = try #require(event["ph"] as? String)
      #expect(event["pid"] as? Int == Int(getpid()))
      let arguments = event["args"] as? [String: Any] ?? [:]
      return Event(
        phase: phase, name: event["name"] as? String ?? "", category: event["cat"] as? String ?? "",
        track: event["tid"] as? Int ?? -1, time: phase == "M" ? 0 : try #require(event["ts"] as? Double),
        duration: event["dur"] as? Double ?? 0, id: event["id"] as? Int,
        molecules: arguments["molecules"] as? Int ?? -1,
        error: arguments["error"] as? String, key: arguments["key"] as? String)
    }
  }

  /// Returns the slices. A mistake is an end without a begin, a begin without an end, or an overlap on a track.
  func slices() -> (slices: [Slice], mistakes: [String]) {
    var (slices, mistakes): ([Slice], [String]) = ([], [])
    for (track, events) in Dictionary(grouping: events, by: \.track) {
      var open: [Slice] = []
      for event in events.sorted(by: { $0.time < $1.time }) {
        switch event.phase {
        case "B":
          let slice = Slice(name: event.name, category: event.category, track: track, begin: event.time, end: .infinity)
          open.append(slice)
        case "E":
          guard var slice = open.popLast() else {
            mistakes.append("an end without a begin")
            continue
          }
          slice.end = event.time
          slices.append(slice)
        case "X":
          let end = event.time + event.duration
          slices.append(
            Slice(name: event.name, category: event.category, track: track, begin: event.time, end: end))
          if events.contains(where: { "BE".contains($0.phase) && $0.time > event.time && $0.time < end }) {
            mistakes.append("\(event.name) overlaps")
          }
        default: break
        }
      }
      mistakes += open.map { "\($0.name) does not end" }
    }
    return (slices, mistakes)
  }

  /// Returns the arrows without exactly one beginning and one end, each in a slice.
  func brokenArrows() -> [Int] {
    let slices = slices().slices
    let arrows = Dictionary(grouping: events.filter { $0.id != nil }, by: { $0.id! })
    return arrows.filter { _, ends in
      ends.map(\.phase) != ["s", "f"] || !ends.allSatisfy { end in slices.contains { $0.encloses(end) } }
    }.map(\.key)
  }
}
