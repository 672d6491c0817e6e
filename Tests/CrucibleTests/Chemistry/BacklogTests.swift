import Crucible
import CrucibleTestSupport
import Testing

/// A backlog of any size loses no molecule and refuses none. Fields of the state word overflow exactly.
@Suite(.watched, .serialized)
struct `Backlogs` {
  @Test(arguments: matchers)
  func `A backlog of a million molecules or more without a value is exact`(matcher: Matcher) async throws {
    // The default matcher gets ten times as many.
    let count = scaled(matcher == .word ? 10_000_000 : 1_000_000)
    let fired = Tally()
    let (names, control) = matcher.react(slow("n", count: 8), on: .inline) { _ in fired.add() }
    try await onThreads(2) { thread in for _ in 0..<count / 2 { names[0]() } }
    #expect(control.snapshot()[names[0]] == count / 2 * 2)
    try await onThreads(2) { thread in for _ in 0..<1000 { for name in names[1...] { name() } } }
    await control.settle()
    #expect(fired.count == 2000)
    #expect(control.snapshot()[names[0]] == count / 2 * 2 - 2000)
    for name in names[1...] { #expect(control.snapshot()[name] == 0) }
  }

  @Test(arguments: matchers)
  func `A soup serves all of a backlog of a million values, oldest first`(matcher: Matcher) async throws {
    let count = scaled(1_000_000)
    let (item, go, last, _, control) = matcher.define(
      slow("item", of: Int.self), slow("go"), fast("last", returning: [Int].self), slow("spare", count: 4)
    ) { soup, item, go, last, spare in
      let expected = soup.state("expected", (next: 0, mistakes: 0))
      soup.react(state: expected, item, go, on: .inline) { expected, n, _ in
        if n != expected.next { expected.mistakes += 1 }
        expected.next = n + 1
      }
      soup.react(state: expected, last, on: .inline) { expected, call in call.reply([expected.next, expected.mistakes])
      }
      // Makes the component one of eight names, so that its fields are narrow.
      for name in spare { soup.react(state: expected, name, item, on: .inline) { _, _, _ in } }
    }
    try await onThread { for n in 0..<count { item(n) } }
    #expect(control.snapshot()[item] == count)
    try await onThreads(2) { thread in for _ in 0..<count / 2 { go() } }
    await control.settle()
    #expect(try await last() == [count / 2 * 2, 0])
    #expect(control.snapshot()[item] == count % 2)
  }

  @Test
  func `A backlog of ten million values takes little more than sixteen bytes each, and leaves no trace`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("memory of a backlog")
      let scaledCount = scaled(10_000_000)
      try await onThread {
        Memory.makeThreadReady()
        // The first backlog is told, which takes memory for good.
        for count in [max(200_000, scaledCount / 10), scaledCount] {
          let before = Memory.settledBytes
          do {
            let (value, plain, _, control) = Matcher.word.define(
              slow("value", of: Int.self), slow("plain"), slow("rest", count: 6)
            ) { soup, value, plain, rest in
              soup.react(value, plain, rest[0], rest[1], rest[2], rest[3], rest[4], rest[5], on: .inline) {
                _, _, _, _, _, _, _, _ in
              }
            }
            let empty = Memory.settledBytes
            for _ in 0..<count { plain() }
            #expect(count < scaledCount || Memory.settledBytes == empty)
            for n in 0..<count { value(n) }
            #expect(control.snapshot()[value] == count)
            let perValue = Double(Memory.settledBytes - empty) / Double(count)
            #expect(count < scaledCount || (16...17).contains(perValue), "\(perValue) bytes per value")
          }
          #expect(count < scaledCount || Memory.settledBytes == before)
        }
      }
    }
  }
}
