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
    let (names, control) = Soup.define("many", with: .init(matcher: matcher)) { soup in
      let names = soup.slow("n", count: 8)
      soup.react(names, on: .inline) { _ in fired.add() }
      return (names, soup.control)
    }
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
    let (item, go, last, control) = Soup.define("million", with: .init(matcher: matcher)) { soup in
      let expected = soup.state("expected", (next: 0, mistakes: 0))
      let item = soup.slow("item", of: Int.self)
      let go = soup.slow("go")
      let last = soup.fast("last", returning: [Int].self)
      let spare = soup.slow("spare", count: 4)
      soup.react(state: expected, item, go, on: .inline) { expected, n, _ in
        if n != expected.next { expected.mistakes += 1 }
        expected.next = n + 1
      }
      soup.react(state: expected, last, on: .inline) { expected, call in call.reply([expected.next, expected.mistakes])
      }
      // Makes the component one of eight names, so that its fields are narrow.
      for name in spare { soup.react(state: expected, name, item, on: .inline) { _, _, _ in } }
      return (item, go, last, soup.control)
    }
    try await onThread { for n in 0..<count { item(n) } }
    #expect(control.snapshot()[item] == count)
    try await onThreads(2) { thread in for _ in 0..<count / 2 { go() } }
    await control.settle()
    #expect(try await last() == [count / 2 * 2, 0])
    #expect(control.snapshot()[item] == count % 2)
  }

  @Test(arguments: Run.setups)
  func `Backlogs in each of 31 names of one component lose nothing`(setup: Setup) async throws {
    let perName = scaled(setup.placement == .inline ? 10_000 : 2000)
    let ledger = Ledger(capacity: 31 * perName)
    let (names, control) = Soup.define("wide", with: .init(matcher: setup.matcher)) { soup in
      let names = soup.slow("n", of: Int.self, count: 31)
      soup.react(names, on: setup.placement) { for n in $0 { ledger.consume(n) } }
      return (names, soup.control)
    }
    // Without the last name nothing can react, so everything waits. 8 threads spill at once.
    try await onThreads(8) { thread in
      for index in 0..<30 * perName where index % 8 == thread { names[index % 30](ledger.issue()!) }
    }
    for name in names.dropLast() { #expect(control.snapshot()[name] == perName) }
    #expect(ledger.consumed == 0)
    try await onThreads(8) { thread in
      for index in 0..<perName where index % 8 == thread { names[30](ledger.issue()!) }
    }
    await control.settle()
    #expect(ledger.issued == 31 * perName)
    #expect(ledger.outstanding == 0)
    #expect(ledger.duplicates == 0)
    #expect(control.snapshot().counts.allSatisfy { $0.molecules == 0 })
  }

  @Test
  func `A backlog of ten million values takes little more than sixteen bytes each, and leaves no trace`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("memory of a backlog")
      let count = scaled(10_000_000)
      try await onThread {
        Memory.makeThreadReady()
        let before = Memory.settledBytes
        do {
          let (value, plain, control) = Soup.define("memory", with: .init(matcher: .word)) { soup in
            let value = soup.slow("value", of: Int.self)
            let plain = soup.slow("plain")
            let rest = soup.slow("rest", count: 6)
            soup.react(value, plain, rest[0], rest[1], rest[2], rest[3], rest[4], rest[5], on: .inline) {
              _, _, _, _, _, _, _, _ in
            }
            return (value, plain, soup.control)
          }
          let empty = Memory.settledBytes
          for _ in 0..<count { plain() }
          #expect(Memory.settledBytes == empty)
          for n in 0..<count { value(n) }
          #expect(control.snapshot()[value] == count)
          let perValue = Double(Memory.settledBytes - empty) / Double(count)
          #expect((16...17).contains(perValue), "\(perValue) bytes per value")
        }
        #expect(Memory.settledBytes == before)
      }
    }
  }

  @Test(arguments: Run.setups)
  func `Molecules that come and go at once in narrow fields leave nothing enabled`(setup: Setup) async throws {
    let perThread = scaled(3000)
    let fired = Tally()
    let seed = Run.seed(of: "narrow fields")
    let (names, control) = Soup.define("narrow", with: .init(matcher: setup.matcher, seed: seed)) { soup in
      let names = soup.slow("n", count: 30)
      for n in 0..<15 { soup.react(names[n], names[n + 15], on: setup.placement) { _, _ in fired.add(2) } }
      // This reaction connects all names, and fires only when all of them are present.
      soup.react(names, on: setup.placement) { _ in fired.add(30) }
      return (names, soup.control)
    }
    let perName = try await onThreads(8) { thread in
      var random = Seeded(seed &+ UInt64(thread))
      var injected = Array(repeating: 0, count: 30)
      for _ in 0..<perThread {
        let name = Int.random(in: 0..<30, using: &random)
        injected[name] += 1
        names[name]()
      }
      return injected
    }
    await control.settle()
    let present = control.snapshot().counts.map(\.molecules)
    #expect(fired.count + present.reduce(0, +) == 8 * perThread)
    for n in 0..<15 {
      #expect(min(present[n], present[n + 15]) == 0, "n[\(n)] & n[\(n + 15)] is enabled at rest, seed \(seed)")
      let difference = perName.reduce(0) { $0 + $1[n] - $1[n + 15] }
      #expect(present[n] - present[n + 15] == difference)
    }
  }
}
