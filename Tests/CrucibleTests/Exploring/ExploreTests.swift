import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Foundation
import Testing

/// A number that the threads of a world change one at a time.
final class Cell: @unchecked Sendable { var value = 0 }

@Suite struct ExploreTests {
  /// Two threads of three steps each have 20 orders, three of two steps 90, and two tasks of two steps 6. The orders
  /// with few preemptions were counted by hand.
  @Test func `The search runs each schedule once`() async throws {
    for (bound, count) in [(0, 2), (1, 6), (2, 14), (3, 18), (4, 20)] {
      let done = try await explore(.all(preemptions: bound)) { world in
        for name in ["a", "b"] { world.thread(name) { for _ in 1...2 { world.point() } } }
      }
      #expect(done.schedules == count && done.isComplete)
    }
    let three = try await explore(.all(preemptions: 3)) { world in
      for name in ["a", "b", "c"] { world.thread(name) { world.point() } }
    }
    #expect(three.description == "all 90 schedules pass")
    let injecting = try await explore(.all(preemptions: 2)) { world in
      let (note, _) = Soup.define { soup in
        let note = soup.slow("note")
        let never = soup.slow("never")
        soup.react(note, never) { _, _ in }
        return (note, never)
      }
      for name in ["a", "b"] { world.task(name) { note() } }
      await world.quiet()
    }
    #expect(injecting.description == "all 6 schedules pass")
    let choosing = try await explore(.all(preemptions: 0)) { world in
      let seen = Cell()
      let token = Soup.define { soup in
        let token = soup.slow("token")
        for number in 1...3 { soup.react(token, on: .inline) { _ in seen.value = number } }
        return token
      }
      token()
      #expect((1...3).contains(seen.value))
    }
    #expect(choosing.description == "all 3 schedules pass")
    let partial = try await explore(.all(preemptions: 4), schedules: 19) { world in
      for name in ["a", "b"] { world.thread(name) { for _ in 1...2 { world.point() } } }
    }
    #expect(partial.description == "19 schedules pass")
  }

  @Test(arguments: [SchedulePolicy.mixed, .random, .priorities(depth: 2), .all(preemptions: 1)])
  func `Each policy finds a lost update, and the failure replays`(policy: SchedulePolicy) async throws {
    let lost: @Sendable (World) async throws -> Void = { world in
      let cell = Cell()
      for name in ["a", "b"] {
        world.task(name) {
          let seen = cell.value
          world.point()
          cell.value = seen + 1
        }
      }
      await world.quiet()
      #expect(cell.value == 2)
    }
    let failure = try await #require(throws: ExplorationFailure.self) { try await explore(policy, lost) }
    #expect(failure.reason.contains("cell.value"))
    #expect(failure.story.count == 3 && failure.story[0].contains("passes line"))
    #expect(failure.story[2] == "test: an expectation fails")
    let again = try await #require(throws: ExplorationFailure.self) {
      try await explore(.replay(failure.replay), lost)
    }
    #expect(again.story == failure.story && again.replay == failure.replay && again.passed == 0)
    #expect("\(again)".contains("explore(.replay(\"\(failure.replay)\"))"))
  }

  private static let everywhere: @Sendable (World) async throws -> Void = { world in
    let cell = Cell()
    let queue = DispatchQueue(label: "serial")
    let (start, total, control) = Soup.define("everywhere", with: .init(matcher: world.matcher)) { soup in
      let start = soup.slow("start", of: Int.self)
      let steps = ["pool", "inline", "task", "main", "queue", "loop", "end"].map { soup.slow($0, of: Int.self) }
      let total = soup.fast("total", returning: Int.self)
      soup.react(start) { steps[0]($0) }
      soup.react(steps[0], on: .pool) { steps[1]($0 + 1) }
      soup.react(steps[1], on: .inline) { steps[2]($0 + 1) }
      soup.react(steps[2]) { value async in
        await Task.yield()
        try? await Task.sleep(for: .seconds(3600))
        steps[3](value + 1)
      }
      soup.react(steps[3], on: .main) {
        MainActor.assertIsolated()
        steps[4]($0 + 1)
      }
      soup.react(steps[4], on: .queue(queue)) { steps[5]($0 + 1) }
      soup.react(steps[5], on: .loop(LostLoop())) { steps[6]($0) }
      soup.react(total, steps[6]) { call, value in if !call.reply(value) { steps[6](value) } }
      return (start, total, soup.control)
    }
    world.thread("blocked") {
      let value = try total.blocking()
      cell.value += value
    }
    world.task("awaiting") {
      let value = try? await total(within: .seconds(7200))
      cell.value += value ?? 0
    }
    world.task("starting") {
      start(10)
      start.after(.seconds(60), 20)
    }
    await world.quiet()
    let left = control.snapshot()["end"]!
    #expect(left == 0 && cell.value == 40 || left == 1 && (cell.value == 15 || cell.value == 25))
    #expect(await control.stop().isQuiet)
  }

  @Test(arguments: Soup.Matcher.all)
  func `Bodies on every placement, timers and limits are controlled`(matcher: Soup.Matcher) async throws {
    try await explore(matchers: [matcher], schedules: 100, Self.everywhere)
  }

  /// Each key takes other steps, so the order of keys shows.
  private static let keyed: @Sendable (World) async throws -> Void = { world in
    let (word, end, control) = makeWords(world)
    control.pause()
    for length in 1...9 {
      word(String(repeating: "x", count: length))
      end(String(repeating: "x", count: length))
    }
    control.resume()
    let count = control.snapshot(of: "x")[word]
    #expect(count == 0 || count == 1)
    await world.quiet()
    let left = control.snapshot(of: "x")[word] + control.keys(of: end, as: String.self).count
    #expect(left == 0)
  }

  @Test func `String keys take the same steps in another process`() async throws {
    let here = try await explore(schedules: 15, seed: 7, Self.keyed).digest
    let there = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
      print("digest", try await explore(schedules: 15, seed: 7, ExploreTests.keyed).digest)
    }
    #expect(Data(there.standardOutputContent).range(of: Data("\(here)".utf8)) != nil)
  }

  @Test func `One seed takes the same steps 1,000 times, in another process too`() async throws {
    let steps = { try await explore(schedules: 5, seed: 7, Self.everywhere) }
    let first = try await steps()
    for _ in 1..<scaled(200) { #expect(try await steps() == first) }
    let here = Data("\(first.digest)".utf8)
    let there = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
      print("digest", try await explore(schedules: 5, seed: 7, ExploreTests.everywhere).digest)
    }
    #expect(Data(there.standardOutputContent).range(of: here) != nil)
  }

  @Test func `Callers that wait for ever fail a run, with what they wait for`() async throws {
    let failure = try await #require(throws: ExplorationFailure.self) {
      try await explore { world in
        let take = makeTaker()
        world.task("taker") { try await take() }
      }
    }
    #expect(failure.reason.contains("nothing can go on, and 'taker' waits"))
    #expect(failure.reason.contains("take: 1 caller waits"))
  }

  @Test func `A thrown error, a leaked soup, and a run without an end fail`() async throws {
    struct Broken: Error {}
    func reason(_ body: @escaping @Sendable (World) async throws -> Void) async throws -> String {
      try await #require(throws: ExplorationFailure.self) { try await explore(schedules: 1, body) }.reason
    }
    #expect(try await reason { _ in throw Broken() } == "'test' throws Broken()")
    #expect(try await reason { world in world.task("a") { throw Broken() } } == "'a' throws Broken()")
    #expect(try await reason { world in world.thread("a") { throw Broken() } } == "'a' throws Broken()")
    let kept = Kept()
    #expect(try await reason { _ in kept.name = makeTaker() }.contains("a soup outlives the run: soup 'taker'"))
    try await explore(schedules: 1, mayLeak: true) { _ in kept.name = makeTaker() }
    let endless = try await reason { world in world.task("a") { while !Task.isCancelled { world.point() } } }
    #expect(endless.contains("does not end within"))
  }

  @Test func `A thread that the run does not control fails it`() async throws {
    let failure = try await #require(throws: ExplorationFailure.self) {
      try await explore(schedules: 1) { world in
        let take = makeTaker()
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          _ = try? take.blocking(within: .zero)
          done.signal()
        }
        world.thread("waiting") { done.wait() }
        await world.quiet()
      }
    }
    #expect(failure.reason.contains("a thread that the run does not control took part"))
    #expect(failure.reason.contains("injected take"))
  }

  @Test func `A soup that was defined outside of the run fails it`() async throws {
    let (take, token) = Soup.define("outside") { soup in
      let take = soup.fast("take", returning: Void.self)
      let token = soup.slow("token")
      soup.react(take, token) { call, _ in call.reply() }
      return (take, token)
    }
    token()
    let used = try await #require(throws: ExplorationFailure.self) {
      try await explore(schedules: 1) { world in world.task("a") { try await take() } }
    }
    #expect(used.reason.contains("the run uses soup 'outside' (CrucibleTests/ExploreTests.swift:"))
    let stuck = try await #require(throws: ExplorationFailure.self) {
      try await explore(schedules: 1) { world in world.task("a") { try await take() } }
    }
    #expect(stuck.reason.contains("and the run has defined no soup"))
  }

  @Test func `A main thread that serves while it blocks takes no part in a run`() async throws {
    let (take, token, control) = Soup.define { soup in
      let take = soup.fast("take", returning: Void.self)
      let token = soup.slow("token")
      soup.react(take, token, on: .main) { call, _ in call.reply() }
      return (take, token, soup.control)
    }
    let main = Task { await MainActor.run { take.blockingOutcome((), within: patience) } }
    await control.callers(1)
    let explored = await Task { try await explore(schedules: 20, Self.everywhere) }.result
    token()  // in any case, because the tests share the main actor
    _ = try explored.get()
    let outcome = await main.value
    #expect(throws: Never.self) { try outcome.get() }
  }

  @Test func `A trace of a replay has the bodies of the failure`() async throws {
    let test: @Sendable (World) async throws -> Void = { world in
      let (add, total) = Soup.define("sum") { soup in
        let sum = soup.slow("sum", of: Int.self)
        let add = soup.slow("add", of: Int.self)
        let total = soup.fast("total", returning: Int.self)
        soup.react(sum, add) { sum($0 + $1) }
        soup.react(sum, total) { value, call in
          call.reply(value)
          sum(value)
        }
        sum(0)
        return (add, total)
      }
      world.task("a") { add(1) }
      let value = try await total()
      #expect(value == 0)
    }
    let failure = try await #require(throws: ExplorationFailure.self) { try await explore(.mixed, test) }
    let path = FileManager.default.temporaryDirectory.appending(path: "replay-\(UUID()).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let trace = try Soup.Trace.record(to: path)
    await #expect(throws: ExplorationFailure.self) { try await explore(.replay(failure.replay), test) }
    try trace.end()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains(#""name":"sum & add","cat":"body""#))
  }

  @Test func `A crash prints what replays it`() async throws {
    let crash = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await explore(seed: 1) { world in
        let cell = Cell()
        world.thread("a") {
          world.point()
          cell.value = 1
        }
        world.thread("b") { precondition(cell.value == 0) }
      }
    }
    let text = String(decoding: crash.standardErrorContent, as: UTF8.self)
    #expect(text.firstMatch(of: /explore\(\.replay\("(\d+=\d+\/)*(\d+)-(\d+)"\)\)/) != nil)
  }
}

/// A loop that loses its work, outside of a run.
private final class LostLoop: ReactionLoop {
  var isCurrent: Bool { false }
  func enqueue(_ work: LoopWork) {}
}

private final class Kept: @unchecked Sendable { var name: FastInjector<Void, Void>? }

private func makeWords(_ world: World) -> (word: Injector<String>, end: Injector<String>, control: Soup.Control) {
  Soup.define("words") { soup in
    let word = soup.slow("word", of: String.self, key: { $0 })
    let end = soup.slow("end", of: String.self, key: { $0 })
    soup.react(word, end) { text, _ in
      for _ in text.utf8 { world.point() }
    }
    return (word, end, soup.control)
  }
}

/// A soup whose calls wait for ever.
private func makeTaker() -> FastInjector<Void, Void> {
  Soup.define("taker") { soup in
    let take = soup.fast("take", returning: Void.self)
    let never = soup.slow("never")
    soup.react(take, never) { call, _ in call.reply() }
    return (take, never)
  }.0
}
