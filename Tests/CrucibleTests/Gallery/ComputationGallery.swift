import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@testable import gallery

/// The problems of `Sources/Examples/Gallery` that compute.
@Suite(.watched)
struct `Gallery of computation` {
  @Test(arguments: [0, 1, 100], Run.setups)
  func `Many jobs run, and are reported once`(count: Int, setup: Setup) async throws {
    let jobs = (0..<count).map { number in { @Sendable () async -> Int in number * number } }
    #expect(try await runAll(jobs, setup.options) == (0..<count).map { $0 * $0 })
  }

  @Test(arguments: Run.setups)
  func `A crawler visits each page once, and ends after the last`(setup: Setup) async throws {
    let loaded = Log<Int>()
    let pages = try await crawl(from: 1, setup.options) { page in
      await Task.yield()
      loaded.append(page)
      return [2 * page, 2 * page + 1, page / 2].filter { $0 > 0 && $0 < 64 }
    }
    #expect(pages == Set(1..<64))
    #expect(loaded.all.sorted() == Array(1..<64))
  }

  @Test(arguments: Run.setups)
  func `The gallery's switch lets requests through while it is on`(setup: Setup) async throws {
    let passed = Tally()
    let (wanted, wantedControl) = setup.react(slow("wanted"), named: "wanted") { _ in passed.add() }
    let (enable, disable, request, control) = makeSwitch(setup.options)
    for (isOn, expected) in [(false, 0), (true, 2), (true, 3), (false, 3), (false, 3), (true, 6)] {
      (isOn ? enable : disable)()
      _ = try await control.leftovers()
      request(wanted)
      let left = try await control.leftovers()
      #expect(left == (isOn ? ["on": 1] : ["off": 1, "request": left["request"]!]))
      _ = try await wantedControl.leftovers()
      #expect(passed.count == expected)
    }
  }

  @Test(arguments: [0, 1, 20], Run.setups)
  func `Tasks run while the thread that started them blocks`(count: Int, setup: Setup) async throws {
    #expect(try await onThread { try sumWhileBlocked(upTo: count, setup.options) } == count * (count + 1) / 2)
  }

  @Test(arguments: [0, 1, 2, 300], Run.setups)
  func `Merging sorts a list`(count: Int, setup: Setup) async throws {
    var random = Seeded(Run.seed(of: "merge sort", count))
    let numbers = (0..<count).map { _ in Int.random(in: 0..<1000, using: &random) }
    #expect(try await mergeSort(numbers, setup.options) == numbers.sorted())
  }

  @Test(arguments: [0, 1, 2, 200], Run.setups)
  func `The greatest of many numbers survives`(count: Int, setup: Setup) async throws {
    #expect(
      try await maximum(of: (0..<count).map { ($0 * 7) % 199 }, setup.options) == [nil, 0, 7, 198][min(count, 3)])
  }

  @Test(arguments: Run.setups)
  func `Queens find every placement`(setup: Setup) async throws {
    #expect(try await queens(on: 6, setup.options).count == 4)
    #expect(try await queens(on: 3, setup.options) == [])
    #expect(try await queens(on: 0, setup.options) == [[]])
  }

  @Test(arguments: Run.setups)
  func `Cells live and die by their neighbours alone`(setup: Setup) async throws {
    let blinker = (0..<4).map { row in (0..<5).map { row == 2 && (1...3).contains($0) } }
    let turned = (0..<4).map { row in (0..<5).map { (1...3).contains(row) && $0 == 2 } }
    #expect(try await play(blinker, generations: 3, setup.options) == turned)
    #expect(try await play(blinker, generations: 4, setup.options) == blinker)
    #expect(try await play(blinker, generations: 0, setup.options) == blinker)
    #expect(try await play([], generations: 3, setup.options) == [])
    #expect(try await play([[true]], generations: 1, setup.options) == [[false]])
    #expect(try await play([[true, true]], generations: 1, setup.options) == [[false, false]])
  }

  @Test(arguments: Run.setups)
  func `A token goes round a ring of soups`(setup: Setup) async throws {
    #expect(try await passToken(around: 7, passes: 100, setup.options) == 2)
    #expect(try await passToken(around: 1, passes: 0, setup.options) == 0)
  }

  @Test(arguments: Run.setups)
  func `The first result wins, and no result is an answer too`(setup: Setup) async throws {
    let never = Gate()
    let jobs: [@Sendable () async -> Int?] = [
      { nil }, { 7 },
      {
        await never.wait()
        return 8
      },
    ]
    #expect(try await firstResult(of: jobs, setup.options) == 7)
    never.open()
    #expect(try await firstResult(of: [{ nil }, { nil }] as [@Sendable () async -> Int?], setup.options) == nil)
    #expect(try await firstResult(of: [] as [@Sendable () async -> Int?], setup.options) == nil)
  }

  @Test(arguments: Run.setups)
  func `A parallel or ends at the first true`(setup: Setup) async throws {
    let never = Gate()
    #expect(
      try await parallelOr(
        [
          {
            await never.wait()
            return false
          }, { true },
        ], setup.options))
    never.open()
    #expect(try await !parallelOr([{ false }, { false }], setup.options))
    #expect(try await !parallelOr([], setup.options))
  }

  @Test(arguments: Run.setups)
  func `Proposers agree on one value`(setup: Setup) async throws {
    let acceptors = (0..<5).map { _ in makeAcceptor(setup.options) }
    let chosen = try await together(3) { number in
      try await propose("value \(number)", by: number, of: 3, to: acceptors)
    }
    #expect(Set(chosen).count == 1)
    #expect(["value 0", "value 1", "value 2"].contains(chosen[0]))
    for acceptor in acceptors { #expect(try await acceptor.control.leftovers() == [:]) }
    #expect(try await propose("alone", by: 0, of: 1, to: [makeAcceptor(setup.options)]) == "alone")
    await #expect(throws: NoAcceptors.self) { try await propose("nobody", by: 0, of: 1, to: []) }
  }

  @Test(arguments: Run.setups)
  func `A press prints what it has accepted, once, and counts what it missed`(setup: Setup) async throws {
    let pages = Log<Int>()
    let press = makePress(capacity: 2, setup.options) { pages.append($0) }
    let accepted = (0..<5).filter { press.urgent($0) }
    for number in 5..<10 { press.news(number) }
    press.ready.inject(count: 54)
    for number in 10..<60 { try await press.print(number) }
    await press.control.settle()
    #expect(accepted == [0, 1] && pages.all.sorted() == [0, 1, 8, 9] + Array(10..<60))
    #expect(try await press.missed() == 3)
    #expect(try await press.control.leftovers() == ["print.room": 2])
  }

  @Test(arguments: [Soup.Matcher.automatic, .locked, .arrival])
  func `A hotline connects every question once, or calls back those who have waited too long`(
    matcher: Soup.Matcher
  ) async {
    let (clock, answers, missed) = (ManualClock(), Log<String>(), Log<String>())
    let hotline = makeHotline(patience: .seconds(5), .init(matcher: matcher, clock: clock)) {
      answers.append("\($0) \($1)")
    } missed: {
      missed.append($0)
    }
    for question in ["a", "b", "c"] { hotline.ask(question) }
    hotline.expert("Ada")
    await hotline.control.settle(clock, advancedBy: .seconds(4))
    hotline.ask("d")
    hotline.ask("e", expires: .seconds(1))
    await hotline.control.settle(clock, advancedBy: .seconds(1))
    await eventually("three are called back") { missed.count == 3 }
    hotline.expert("Grace")
    await hotline.control.settle()
    #expect(answers.all == ["a Ada", "d Grace"] && missed.all.sorted() == ["b", "c", "e"])
  }

  @Test(arguments: [0, 1, 100], Run.setups)
  func `A line delivers every item once`(count: Int, setup: Setup) async throws {
    let lines = [
      makeHandover(of: Int.self, setup.options), makeOrderedLine(of: Int.self, setup.options),
      makeBoundedLine(of: Int.self, capacity: 3, setup.options),
      makeBoundedLine(of: Int.self, capacity: 0, setup.options),
    ]
    for (kind, line) in lines.enumerated() {
      async let taken = together(1) { _ in
        var items: [Int] = []
        for _ in 0..<count { items.append(try await line.take()) }
        return items
      }
      for item in 0..<count { try await line.put(item) }
      let items = try await taken[0]
      #expect(kind == 1 ? items == Array(0..<count) : items.sorted() == Array(0..<count))
      #expect(try await line.control.leftovers() == (kind == 2 ? ["free": 3] : [:]))
    }
  }
}
