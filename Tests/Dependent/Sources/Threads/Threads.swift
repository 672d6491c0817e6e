import Crucible
import Dispatch

#if canImport(CrucibleTesting)
  import CrucibleTesting
#endif

/// An application of the library, for runs under ThreadSanitizer: `Threads`, and `Threads race`, which has a race.
@main
struct Threads {
  /// A class that is not `Sendable`. Only the bodies of one state touch its object.
  final class Totals {
    var sum = 0
    var words: [String] = []
  }

  actor Account {
    var balance = 0
  }

  struct Again: Error {}

  static func main() async throws {
    if CommandLine.arguments.contains("race") { return try await race() }
    for matcher in Soup.Matcher.all {
      try await compute(matcher)
      try await visitPlaces(matcher)
      for _ in 0..<20 { await come(andGo: matcher) }
      #if canImport(CrucibleTesting)
        for _ in 0..<500 { await tumble(matcher) }
      #endif
    }
    print("no thread raced")
  }

  /// Uses states, calls and the pool.
  static func compute(_ matcher: Soup.Matcher) async throws {
    let (add, word, total, double, control) = Soup.define("compute", with: .init(matcher: matcher)) { soup in
      let totals = soup.state("totals", Totals())
      let add = soup.slow("add", of: [Int].self)
      let word = soup.slow("word", of: String.self)
      let total = soup.fast("total", returning: Int.self)
      let double = soup.fast("double", of: [Int].self, returning: [Int].self)
      soup.react(state: totals, add) { totals, numbers in totals.sum += numbers[0] }
      soup.react(state: totals, word, on: .inline) { totals, word in totals.words.append(word) }
      soup.react(state: totals, total) { totals, call in call.reply(totals.sum + totals.words.count) }
      soup.react(double, on: .task) { call in call.reply(call.input.map { 2 * $0 }) }
      return (add, word, total, double, soup.control)
    }
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<100 {
            add([1])
            word("\(task) \(round)")
            let doubled = try await double([round], within: .seconds(60))
            precondition(doubled == [2 * round])
          }
        }
      }
      for _ in 0..<2 {
        group.addTask {
          try await onThread { for round in 0..<100 { _ = try double.blocking([round]) } }
        }
      }
      try await group.waitForAll()
    }
    let isQuiet = await control.quiet(within: .seconds(60))
    precondition(isQuiet)
    let sum = try await total()
    precondition(sum == 1600)
    _ = await control.stop()
  }

  /// Uses actors, queues, the main actor, calls that time out, retries, timers and an observer.
  static func visitPlaces(_ matcher: Soup.Matcher) async throws {
    let account = Account()
    let queue = DispatchQueue(label: "lines")
    let (deposit, line, show, flaky, pair, kept, control) = Soup.define("places", with: .init(matcher: matcher)) {
      soup in
      let deposit = soup.slow("deposit", of: Int.self)
      let line = soup.slow("line", of: String.self)
      let lines = soup.state("lines", [String]())
      let show = soup.slow("show", of: [Int].self)
      let flaky = soup.slow("flaky", of: [Int].self)
      let pair = soup.fast("pair", returning: Int.self)
      let kept = soup.fast("kept", returning: Int.self)
      let never = soup.slow("never")
      // A task looks at a copy of a call whose caller may give up, and drops it before the body ends, or after.
      soup.react(kept, on: .pool) { call in
        Task { _ = call.isAwaited }
        var rest = Int.random(in: 0..<20_000)
        while rest > 0 { rest -= 1 }
        call.reply(1)
      }
      soup.react(deposit, on: .actor(account)) { account, sum in account.balance += sum }
      soup.react(state: lines, line, on: .queue(queue)) { lines, line in lines.append(line) }
      soup.react(show, on: .main) { numbers in MainActor.assertIsolated("\(numbers)") }
      soup.react(flaky, recovery: .retry(limit: 63, backoff: .microseconds(1))) { _ throws in
        if Bool.random() { throw Again() }
      }
      soup.react(pair, never) { call, _ in call.reply(1) }
      return (deposit, line, show, flaky, pair, kept, soup.control)
    }
    let observation = control.observe { _ in }
    try await withThrowingTaskGroup { group in
      for task in 0..<6 {
        group.addTask {
          for round in 0..<50 {
            deposit.after(.microseconds(round), 1)
            line("\(task) \(round)")
            show([task, round])
            flaky([round])
            do { _ = try await pair(within: .microseconds(50)) } catch CallError.timedOut {}
            do { _ = try await kept(within: .microseconds(round)) } catch CallError.timedOut {}
            if round % 10 == 0 { _ = control.explain() }
          }
        }
      }
      try await group.waitForAll()
    }
    withExtendedLifetime(observation) {}
    while await account.balance < 300 { await Task.yield() }
    _ = await control.stop()
  }

  /// Releases a soup while bodies run and molecules wait.
  static func come(andGo matcher: Soup.Matcher) async {
    let (work, word) = Soup.define("short", with: .init(matcher: matcher, allowing: [.neverFires])) { soup in
      let s = soup.state("s", Totals())
      let work = soup.slow("work", of: [Int].self)
      let word = soup.slow("word", of: String.self)
      let never = soup.slow("never")
      soup.react(state: s, work) { s, numbers in s.sum += numbers[0] }
      soup.react(word, never) { _, _ in }
      return (work, word)
    }
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<20 {
            work([round])
            word("\(task)")
          }
        }
      }
    }
  }

  #if canImport(CrucibleTesting)
    /// Uses a clock of the tests, and a probe.
    static func tumble(_ matcher: Soup.Matcher) async {
      let clock = ManualClock()
      let (event, control) = Soup.define("tumbling", with: .init(matcher: matcher, clock: clock)) { soup in
        let open = soup.state("open", 0)
        let event = soup.slow("event")
        let tick = soup.slow("tick")
        soup.react(state: open, event) { open, _ in open += 1 }
        soup.react(state: open, tick) { open, _ in open = 0 }
        tick.every(.seconds(1))
        return (event, soup.control)
      }
      let probe = Probe(control)
      for _ in 0..<5 { event() }
      clock.advance(by: .seconds(1))
      await control.quiet(within: .seconds(60))
      withExtendedLifetime(probe) {}
    }
  #endif

  /// Makes a mistake of an application: bodies that run at the same time change one value.
  static func race() async throws {
    nonisolated(unsafe) var count = 0
    let add = Soup.define("race") { soup in
      let add = soup.slow("add", of: Int.self)
      soup.react(add, on: .inline) { x in count += x }
      return add
    }
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { try await onThread { for _ in 0..<1000 { add.after(.zero, 1) } } }
        group.addTask { try await onThread { for _ in 0..<1000 { add(1) } } }
      }
      try await group.waitForAll()
    }
    print("the race was not seen: \(count)")
  }

  static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      DispatchQueue.global().async { done.resume(with: Result { try body() }) }
    }
  }
}
