import Crucible
import Testing

@testable import SharedSoups

/// The steps of an engine, one by one, as two workers take them.
@Suite struct `Shared engines` {
  /// A soup with `a & b → c`, whose engine the test drives itself.
  struct Bench {
    let store: any Store
    let ids: Defined
    static let lease: Int64 = 10_000_000_000

    init(_ engine: Engine, losses: Int = 5) throws {
      store = engine.store
      let chemistry = Chemistry(
        label: "bench",
        names: ["a", "b", "c", "s"].map {
          Chemistry.Name(label: $0, kind: $0 == "s" ? .state : .slow, type: "Int", late: nil)
        },
        reactions: [
          Chemistry.Reaction(label: "a & b", state: nil, inputs: [0, 1], losses: losses),
          Chemistry.Reaction(label: "s & c", state: 3, inputs: [2], losses: losses),
        ])
      ids = try store.define(chemistry, .refused) { [Injection(name: $0[3], key: "", value: [0])] }
    }

    func inject(_ name: Int, _ value: UInt8) throws {
      _ = try store.inject(
        [Injection(name: ids.names[name], key: "", value: [value])], into: ids.soup, nil, forgetting: [])
    }

    func register(_ worker: Int64, _ reactions: [Int] = [0, 1]) throws -> Registration {
      try store.register(worker, of: ids.soup, offering: reactions.map { ids.reactions[$0] }, lease: Bench.lease)
    }

    func take(_ worker: Int64, _ numbers: Numbers, _ settlements: [Settlement] = []) throws -> ([Bool], [Run]) {
      let (accepted, taken) = try store.commit(settlements, of: worker, in: ids.soup, taking: 100, numbers)
      return (accepted, taken.runs)
    }

    func done(_ run: Run, output: UInt8) -> Settlement {
      let outputs = [Injection(name: ids.names[2], key: "", value: [output])]
      return Settlement(firings: run.firings.map { ($0, .done(outputs, [])) }, state: run.state)
    }

    var contents: Contents { get throws { try store.contents(of: ids.soup) } }
    func waiting(_ name: Int) throws -> Int { try contents.waiting[ids.names[name]] ?? 0 }
  }

  @Test(arguments: EngineKind.allCases)
  func `A commit that is sent twice is accepted once`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine)
      let numbers = Numbers(1)
      let registration = try bench.register(1, [0])
      try bench.inject(0, 1)
      try bench.inject(1, 2)
      let runs = try bench.take(1, numbers).1
      #expect(runs.count == 1 && runs[0].firings[0].inputs.map(\.value) == [[1], [2]])
      #expect(try bench.take(1, numbers, [bench.done(runs[0], output: 3)]).0 == [true])
      #expect(try bench.take(1, numbers, [bench.done(runs[0], output: 3)]).0 == [false])
      #expect(try bench.waiting(2) == 1)
      withExtendedLifetime(registration) {}
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A worker learns when the next molecule is due`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine)
      let registration = try bench.register(1, [0])
      let hour: Int64 = 3_600_000_000_000
      let injection = Injection(name: bench.ids.names[0], key: "", value: [1], delay: hour)
      _ = try bench.store.inject([injection], into: bench.ids.soup, nil, forgetting: [])
      let due = try bench.store.commit([], of: 1, in: bench.ids.soup, taking: 1, Numbers(1)).1.nextDue
      let left = try #require(due) - bench.store.clock.now
      #expect(left <= hour && left > hour / 2)
      withExtendedLifetime(registration) {}
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `The firings of a worker that is lost run again elsewhere with the same ids, and its late commit is refused`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine)
      try bench.inject(0, 1)
      try bench.inject(1, 2)
      let old = try bench.register(1, [0])
      let lost = try bench.take(1, Numbers(1)).1[0]
      #expect(try bench.take(1, Numbers(1)).1.isEmpty)
      // Its lease is over, and it lives. While nobody recovers it, it has its firings.
      engine.store.clock.advance(by: 2 * Bench.lease)
      let new = try bench.register(2, [0])
      let early = try bench.store.commit(
        [bench.done(lost, output: 3)], of: 2, in: bench.ids.soup, taking: 0, Numbers(2))
      #expect(early.accepted == [false], "no worker has the firing")
      let (_, again) = try bench.take(2, Numbers(2))
      #expect(again.count == 1 && again[0].firings[0].id == lost.firings[0].id)
      #expect(again[0].firings[0].inputs == lost.firings[0].inputs && again[0].firings[0].losses == 1)
      #expect(throws: LeaseIsOver.self) { try bench.take(1, Numbers(1), [bench.done(lost, output: 3)]) }
      #expect(throws: LeaseIsOver.self) { try bench.store.extend(1, of: bench.ids.soup, lease: Bench.lease) }
      #expect(try bench.take(2, Numbers(2), [bench.done(lost, output: 3)]).0 == [false], "the fence is an old one")
      #expect(try bench.take(2, Numbers(2), [bench.done(again[0], output: 3)]).0 == [true])
      #expect(try bench.waiting(2) == 1)
      withExtendedLifetime((old, new)) {}
    }
  }

  @Test(arguments: EngineKind.withLives)
  func `A worker whose lock is free is recovered before its lease is over`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine)
      try bench.inject(0, 1)
      try bench.inject(1, 2)
      let other = try bench.register(2, [0])
      try {
        let life = try bench.register(1, [0])
        #expect(try bench.take(1, Numbers(1)).1.count == 1)
        _ = try bench.store.extend(2, of: bench.ids.soup, lease: Bench.lease)
        #expect(try bench.take(2, Numbers(2)).1.isEmpty, "worker 1 lives")
        withExtendedLifetime(life) {}
      }()
      _ = try bench.store.extend(2, of: bench.ids.soup, lease: Bench.lease)
      #expect(try bench.take(2, Numbers(2)).1.count == 1)
      withExtendedLifetime(other) {}
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A firing whose workers are lost too often is a dead letter`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine, losses: 2)
      try bench.inject(0, 1)
      try bench.inject(1, 2)
      for worker in 1...2 as ClosedRange<Int64> {
        let registration = try bench.register(worker, [0])
        #expect(try bench.take(worker, Numbers(worker)).1.count == 1)
        withExtendedLifetime(registration) {}
        try kind.loseWorkers(of: bench)
      }
      let last = try bench.register(3, [0])
      #expect(try bench.take(3, Numbers(3)).1.isEmpty)
      let letter = try #require(try bench.store.deadFirings(of: bench.ids.soup).first)
      #expect(letter.losses == 2 && letter.inputs.count == 2)
      withExtendedLifetime(last) {}
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A released worker gives its firings back without a count, and its state as it was`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine, losses: 1)
      for n in 1...40 as ClosedRange<UInt8> { try bench.inject(2, n) }
      let first = try bench.register(1)
      let run = try bench.take(1, Numbers(1)).1[0]
      #expect(run.firings.count == longestRun && run.state?.value == [0])
      #expect(run.firings.map { $0.inputs[0].value[0] } == Array(1...32), "the oldest first")
      try bench.store.release(1, of: bench.ids.soup)
      #expect(try bench.waiting(3) == 1 && bench.waiting(2) == 8)
      let second = try bench.register(2)
      let again = try bench.take(2, Numbers(2)).1[0]
      #expect(Set(again.firings.map(\.id)) == Set(run.firings.map(\.id)), "they run before new matches")
      #expect(again.firings.allSatisfy { $0.losses == 0 })
      var settlement = bench.done(again, output: 99)
      settlement.state?.value = [7]
      #expect(try bench.take(2, Numbers(2), [settlement]).1.first?.state?.value == [7])
      withExtendedLifetime((first, second)) {}
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A lost worker gives the state back, and the run goes on elsewhere`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine)
      try bench.inject(2, 5)
      let first = try bench.register(1)
      let lost = try bench.take(1, Numbers(1)).1[0]
      engine.store.clock.advance(by: 2 * Bench.lease)
      let second = try bench.register(2)
      let again = try bench.take(2, Numbers(2)).1
      #expect(again.count == 1 && again[0].state?.value == [0])
      #expect(again[0].firings.map(\.id) == lost.firings.map(\.id))
      withExtendedLifetime((first, second)) {}
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A worker gets only the reactions that it offers`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine)
      try bench.inject(0, 1)
      try bench.inject(1, 2)
      try bench.inject(2, 3)
      let (first, second) = (try bench.register(1, [1]), try bench.register(2, [0]))
      #expect(try bench.take(1, Numbers(1)).1.map { $0.firings[0].reaction } == [bench.ids.reactions[1]])
      #expect(try bench.take(2, Numbers(2)).1.map { $0.firings[0].reaction } == [bench.ids.reactions[0]])
      withExtendedLifetime((first, second)) {}
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A molecule rings the bell of the workers that offer a reaction over it, and of no others`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine)
      let (first, second) = (try bench.register(1, [0]), try bench.register(2, [1]))
      try bench.inject(0, 1)
      let bell = bench.store.bell
      let before = (bell.read(first.bell), bell.read(second.bell))
      try bench.inject(1, 2)
      #expect(bell.read(first.bell) != before.0 && bell.read(second.bell) == before.1)
      withExtendedLifetime((first, second)) {}
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A worker that takes a part of what can react rings for the rest, and one that takes all does not`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine)
      let registration = try bench.register(1, [0])
      for n in 1...3 as ClosedRange<UInt8> {
        try bench.inject(0, n)
        try bench.inject(1, n)
      }
      let (bell, numbers) = (bench.store.bell, Numbers(1))
      let before = bell.read(registration.bell)
      _ = try bench.store.commit([], of: 1, in: bench.ids.soup, taking: 2, numbers)
      let between = bell.read(registration.bell)
      #expect(between != before)
      _ = try bench.store.commit([], of: 1, in: bench.ids.soup, taking: 2, numbers)
      #expect(bell.read(registration.bell) == between)
      // One match of each of two reactions.
      let other = try bench.register(2)
      for name in 0...2 { try bench.inject(name, 4) }
      let last = bell.read(other.bell)
      _ = try bench.store.commit([], of: 2, in: bench.ids.soup, taking: 1, Numbers(2))
      #expect(bell.read(other.bell) != last)
      withExtendedLifetime((registration, other)) {}
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A recovery rings for the firings that it finds`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine)
      try bench.inject(0, 1)
      try bench.inject(1, 2)
      let (first, second) = (try bench.register(1, [0]), try bench.register(2, [1]))
      let idle = try bench.register(3, [0])
      #expect(try bench.take(1, Numbers(1)).1.count == 1)
      engine.store.clock.advance(by: Bench.lease - 1_000_000_000)
      _ = try bench.store.extend(2, of: bench.ids.soup, lease: Bench.lease)
      _ = try bench.store.extend(3, of: bench.ids.soup, lease: Bench.lease)
      engine.store.clock.advance(by: 2_000_000_000)
      let before = bench.store.bell.read(idle.bell)
      _ = try bench.store.extend(2, of: bench.ids.soup, lease: Bench.lease)
      #expect(bench.store.bell.read(idle.bell) != before)
      #expect(try bench.take(3, Numbers(3)).1.count == 1)
      withExtendedLifetime((first, second, idle)) {}
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A state that comes back rings for the firings that wait for it`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine)
      let (first, second) = (try bench.register(1), try bench.register(2))
      let numbers = Numbers(1)
      try bench.inject(2, 1)
      let failed = try bench.take(1, numbers).1[0]
      let settlement = Settlement(
        firings: [(failed.firings[0], .failed("", retryAfter: 1_000_000_000))], state: failed.state)
      #expect(try bench.take(1, numbers, [settlement]).0 == [true])
      try bench.inject(2, 2)
      let run = try bench.take(1, numbers).1[0]
      #expect(run.firings[0].inputs[0].value == [2])
      engine.store.clock.advance(by: 1_000_000_000)
      #expect(try bench.take(2, Numbers(2)).1.isEmpty, "the state is away")
      let before = bench.store.bell.read(second.bell)
      let done = bench.done(run, output: 0)
      _ = try bench.store.commit(
        [Settlement(firings: done.firings.map { ($0.0, .done([], [])) }, state: done.state)], of: 1,
        in: bench.ids.soup, taking: 0, numbers)
      #expect(bench.store.bell.read(second.bell) != before)
      #expect(try bench.take(2, Numbers(2)).1.map { $0.firings[0].id } == [failed.firings[0].id])
      withExtendedLifetime((first, second)) {}
    }
  }

  @Test func `No operation of workers and callers takes longer because molecules wait`() async throws {
    try await EngineKind.sqlite.with { engine in
      let bench = try Bench(engine)
      let store = try #require(engine.store as? SQLiteStore)
      let registration = try bench.register(1)
      let (numbers, calls) = (Numbers(1), Numbers(2))
      func cycle() throws -> Int {
        let before = store.connection.steps
        try bench.inject(0, 1)
        try bench.inject(1, 1)
        let run = try bench.take(1, numbers).1[0]
        _ = try bench.take(1, numbers, [Settlement(firings: [(run.firings[0], .done([], []))])])
        let call = calls.next()
        let injection = Injection(name: bench.ids.names[2], key: "", value: [], call: call, lifetime: 1_000_000_000)
        _ = try store.inject([injection], into: bench.ids.soup, nil, forgetting: [])
        _ = try store.withdraw([call], from: bench.ids.soup)
        _ = try store.extend(1, of: bench.ids.soup, lease: Bench.lease)
        _ = try store.transact(bench.ids.soup) { try store.isBusy($0) }
        _ = try store.molecules(of: bench.ids.names[0], in: bench.ids.soup, limit: 1)
        _ = try store.outcomes(of: 2, in: bench.ids.soup)
        return store.connection.steps - before
      }
      _ = try cycle()
      let few = try cycle()
      // Molecules of the first name, which lack their partners, open calls of the same client, and molecules that
      // expire in another soup.
      let other = try await Soup.share("other", on: engine) { soup in
        let a = soup.slow("a", of: Int.self, expires: .seconds(1000))
        soup.react(a) { _ in }
        return a
      }
      try await other.inject(contentsOf: 0..<2000)
      let open = (0..<2000).map { _ in
        Injection(name: bench.ids.names[1], key: "other", value: [], call: calls.next(), lifetime: nil)
      }
      _ = try store.inject(open, into: bench.ids.soup, nil, forgetting: [])
      for _ in 0..<20 {
        let many = (0..<100).map { _ in Injection(name: bench.ids.names[0], key: "", value: []) }
        _ = try store.inject(many, into: bench.ids.soup, nil, forgetting: [])
      }
      _ = try cycle()
      #expect(try cycle() < 2 * few, "with \(few) steps before")
      withExtendedLifetime(registration) {}
    }
  }

  @Test func `A worker is not told of times that are due in another soup of the file`() async throws {
    try await EngineKind.sqlite.with { engine in
      let other = try await Soup.share("other", on: engine) { soup in
        let a = soup.slow("a", of: Int.self, expires: .seconds(1))
        soup.react(a) { _ in }
        return a
      }
      try await other(1)
      let bench = try Bench(engine)
      let registration = try bench.register(1)
      let taken = try bench.store.commit([], of: 1, in: bench.ids.soup, taking: 1, Numbers(1)).1
      #expect(taken.nextDue == nil)
      withExtendedLifetime(registration) {}
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A number of a producer is accepted once, and so is a tag`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("soup", on: engine) { soup in
        let a = soup.slow("a", of: Int.self)
        soup.react(a) { _ in }
        return (a: a, control: soup.control)
      }
      #expect(try await soup.a.inject(1, producer: "p", number: 1))
      #expect(try await soup.a.inject(2, producer: "p", number: 2))
      #expect(try await !soup.a.inject(2, producer: "p", number: 2))
      #expect(try await !soup.a.inject(1, producer: "p", number: 1))
      #expect(try await soup.a.inject(3, producer: "q", number: 1))
      #expect(try await soup.a.inject(contentsOf: [4, 5], once: "import"))
      #expect(try await !soup.a.inject(contentsOf: [4, 5], once: "import"))
      #expect(try await soup.control.waiting(soup.a) == [1, 2, 3, 4, 5])
    }
  }
}
