import CCrucible
import CrucibleTestSupport
import Testing

@testable import Crucible

/// Soups of many names, and patterns of many inputs.
@Suite(.watched)
struct `Sizes` {
  @Test(arguments: [1, 2, 8, 10, 31, 33, 64, 65, 256])
  func `A component of up to 31 names fits one word, and a description names several words`(count: Int) async throws {
    let (names, control) = ring(of: count, .automatic)
    #expect(control.matchers == [.word])
    #expect("\(control)".contains(", word 1 of ") == (count > 31))
    try await drive(names, control)
  }

  @Test(arguments: matchers)
  func `A soup of 256 names in components of four loses no molecule`(matcher: Matcher) async throws {
    let fired = Tally()
    let (names, control) = matcher.define(slow("n", of: Int.self, count: 256)) { soup, names in
      for n in 0..<64 {
        soup.react(names[n], names[255 - n]) { _, _ in fired.add() }
        soup.react(names[64 + n], names[191 - n]) { _, _ in fired.add() }
        soup.react(names[n], names[n], names[64 + n]) { _, _, _ in Issue.record("a reaction lacked one molecule") }
      }
    }
    #expect(control.matchers == [matcher])
    #expect(Set(control.graph.names.map(\.component)).count == 64)
    for _ in 0..<2 {
      try await onThreads(2) { thread in
        for n in 0..<128 { names[thread == 0 ? n : 255 - n](n) }
      }
      await control.settle()
    }
    #expect(fired.count == 2 * 128)
    #expect(control.snapshot().counts.allSatisfy { $0.molecules == 0 })
  }

  @Test(arguments: matchers.filter(\.servesAnySoup))
  func `A component of 256 names reacts, explains, draws and controls itself`(matcher: Matcher) async throws {
    let (names, control) = ring(of: 256, matcher)
    #expect(control.matchers == [matcher])
    #expect(control.warnings == [])
    let recording = ReactionGraph.Recording(of: control)
    for n in [1, 65, 129, 193, 255] { names[n](n) }
    let injected = [1, 65, 129, 193, 255]
    let present = names.indices.filter { control.snapshot()[names[$0]] == 1 }
    #expect(present == injected)
    let reactions = control.explain().reactions
    #expect(reactions.count == 256 && !reactions.contains(where: \.isEnabled))
    #expect(reactions[0].missing.map(\.label) == ["n[0]"])
    #expect(reactions[254].missing.map(\.label) == ["n[254]"])
    #expect(control.graph.names.count == 256 && control.graph.edges.count == 512)
    #expect(Set(control.graph.names.map(\.component)) == [0])
    recording.end()
    #expect(recording.graphs[0].supplied == Dictionary(uniqueKeysWithValues: injected.map { ($0, 1) }))
    #expect(control.clear(names[129]) == 1)
    control.pause(names[65])
    names[64](64)
    await control.settle()
    #expect(control.snapshot().counts.filter(\.isPaused).map(\.label) == ["n[65]"])
    #expect(control.snapshot()[names[64]] == 1 && control.snapshot()[names[1]] == 1)
    control.resume(names[65])
    await control.settle()
    #expect(control.snapshot()[names[64]] == 0 && control.snapshot()[names[1]] == 1)
    await control.stop()
    #expect(control.snapshot().dropped == 4)
    try await control.restart()
    try await drive(names, control)
  }

  /// The names of a pattern are slices of an array, and the state connects them all.
  @Test(arguments: matchers.filter(\.servesAnySoup))
  func `Slices of an array of 200 names react around one state`(matcher: Matcher) async throws {
    let (names, read, control) = matcher.define(
      slow("n", of: Int.self, count: 200), fast("read", returning: [Int].self)
    ) { soup, names, read in
      let sums = soup.state("sums", [Int]())
      for n in stride(from: 0, to: 200, by: 50) {
        soup.react(state: sums, Array(names[n..<n + 50]), on: .inline) { $0.append($1.reduce(0, +)) }
      }
      soup.react(state: sums, read, on: .inline) { sums, call in call.reply(sums) }
    }
    for name in names { name(1) }
    for (n, name) in names.enumerated() { name(n) }
    #expect(try await read().sorted() == [50, 50, 50, 50, 1225, 3725, 6225, 8725])
    #expect(control.snapshot().counts.filter { $0.molecules > 0 }.map(\.label) == ["sums"])
  }

  /// A mask of 64 bits could not distinguish a name from the one 64 places later.
  @Test(arguments: matchers.filter(\.servesAnySoup))
  func `A component of more than 64 names takes no name for another`(matcher: Matcher) async throws {
    let (ask, names, other, go, control) = matcher.define(
      fast("ask", returning: Int.self), slow("n", count: 62), fast("other", returning: Int.self), slow("go")
    ) { soup, ask, names, other, go in
      let state = soup.state("state", 0)
      let far = soup.state("far", 1)
      // A body that has `state` may call a name that needs `far`, but not one that needs `state`.
      soup.react(state: state, go) { state, _ in
        do throws(CallError) { state += try other.blocking() } catch { Issue.record(error) }
        if case .failure(.failed(is Deadlock)) = ask.blockingOutcome((), within: nil) { return }
        Issue.record("no deadlock")
      }
      soup.react(state: state, ask) { state, call in call.reply(state) }
      soup.react(state: far, other) { far, call in call.reply(far) }
      soup.react(names) { _ in }
      soup.react(state: state, state: far, names[0]) { _, _, _ in }
    }
    #expect(control.graph.names.count == 67 && Set(control.graph.names.map(\.component)) == [0])
    go()
    await control.settle()
    #expect(try await ask() == 1)
    // No reaction consumes both, though both have the same place among 64.
    let first = try await Soup.first(of: ask.call(), other.call(), within: patience)
    #expect(first == 1)
    names[61]()
    #expect(control.snapshot()[names[61]] == 1)
  }

  @Test(arguments: Run.setups)
  func `A mixed pattern of more than six inputs hands each its own value`(setup: Setup) async throws {
    let seen = Log<String>()
    let (ints, text, ask, go, control) = setup.define(
      slow("i", of: Int.self, count: 4), slow("text", of: String.self), fast("ask", of: Int.self, returning: Int.self),
      slow("go")
    ) { soup, i, text, ask, go in
      soup.react(i[0], text, i[1], ask, go, i[2], i[3]) { a, text, b, call, _, c, d in
        seen.append("\(a) \(text) \(b) \(call.input) \(c) \(d)")
        call.reply(a + b + c + d)
      }
    }
    for (n, name) in ints.enumerated() { name(n) }
    text("text")
    go()
    #expect(try await ask(9) == 6)
    await control.settle()
    #expect(seen.all == ["0 text 1 9 2 3"])
  }

  @Test(arguments: Run.setups)
  func `A pattern may take one name 64 times`(setup: Setup) async {
    let seen = Log<[Int]>()
    let (a, control) = setup.define(slow("a", of: Int.self)) { soup, a in
      soup.react(Array(repeating: a, count: 64)) { seen.append($0) }
    }
    for n in 0..<64 * 5 + 63 { a(n) }
    await control.settle()
    #expect(seen.count == 5)
    #expect(seen.all.joined().sorted() == Array(0..<64 * 5))
    #expect(control.snapshot()[a] == 63)
  }
}

extension Matcher {
  /// Whether it serves a component of 256 names.
  var servesAnySoup: Bool { crucible_matcher_most_names(core) >= 256 }
}

/// Makes `count` names in one component. Each reacts with the next.
private func ring(of count: Int, _ matcher: Matcher) -> ([Injector<Int>], Soup.Control) {
  matcher.define(slow("n", of: Int.self, count: count)) { soup, names in
    for n in 0..<count { soup.react([names[n], names[(n + 1) % count]]) { _ in } }
  }
}

/// Injects from two threads, and checks that nothing is enabled once the soup is at rest.
private func drive(_ names: [Injector<Int>], _ control: Soup.Control) async throws {
  try await onThreads(2) { thread in for n in 0..<2000 { names[n * 7 % names.count](n) } }
  await control.settle()
  let present = control.snapshot().counts.map(\.molecules)
  for n in names.indices {
    let next = (n + 1) % names.count
    #expect(n == next ? present[n] < 2 : min(present[n], present[next]) == 0, "at rest: \(control)")
  }
}
