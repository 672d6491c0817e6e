import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// The completion of an injection: all that it causes has ended.
@Suite(.watched, .serialized)
struct `The completion of an injection` {
  /// A tree of molecules: each node is counted, and injects two others in the next of three ways.
  private static func tree(
    _ matcher: Matcher, on placement: Placement
  ) -> (node: Injector<Int>, count: FastInjector<Void, Int>, control: Soup.Control) {
    Soup.define("tree", with: .init(matcher: matcher, placement: placement)) { soup in
      let total = soup.state("total", 0)
      let node = soup.slow("node", of: Int.self)
      let leave = soup.slow("leave", of: Int.self)
      let count = soup.fast("count", returning: Int.self)
      soup.react(state: total, node) { total, depth in
        total += 1
        leave(depth)
      }
      soup.react(leave) { depth async in
        if depth == 0 { return }
        node(depth - 1)
        if depth % 2 == 0 { node.after(.microseconds(50), depth - 1) } else { Task { node(depth - 1) } }
      }
      soup.react(state: total, count) { total, call in call.reply(total) }
      return (node, count, soup.control)
    }
  }

  @Test(arguments: Run.setups)
  func `A completion comes once all that bodies, timers and tasks inject was consumed`(setup: Setup) async throws {
    let (node, count, _) = Self.tree(setup.matcher, on: setup.placement)
    for round in 1...scaled(20) {
      try await node.completion(of: 4)
      #expect(try await count() == 31 * round)
    }
  }

  @Test(arguments: Run.setups)
  func `Completions of several tasks wait for their own causes only`(setup: Setup) async throws {
    let (node, count, _) = Self.tree(setup.matcher, on: setup.placement)
    let (never, _, control) = setup.react(slow("never", of: Int.self), slow("partner"), on: .task) { _, _ in }
    let waiting = Task { _ = await #expect(throws: CallError.cancelled) { try await never.completion(of: 0) } }
    while control.snapshot()[never] == 0 { await Task.yield() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { for _ in 0..<5 { try await node.completion(of: 3) } } }
      try await group.waitForAll()
    }
    #expect(try await count() == 4 * 5 * 15)
    waiting.cancel()
    await waiting.value
  }

  @Test(arguments: matchers)
  func `A completion ends when its molecule is dropped or consumed, by its limit, and with a soup that refuses it`(
    matcher: Matcher
  ) async throws {
    let clock = ManualClock()
    let (wait, partner, control) = matcher.with(clock: clock).react(
      slow("wait", of: Int.self), slow("partner"), on: .task
    ) { _, _ in }
    func waiting(_ limit: Duration? = nil) async -> Task<CallError?, Never> {
      let task = Task {
        do throws(CallError) {
          try await wait.completion(of: 1, within: limit)
          return nil as CallError?
        } catch { return error }
      }
      while control.snapshot()[wait] == 0 { await Task.yield() }
      return task
    }
    let consumed = await waiting()
    partner()
    #expect(await consumed.value == nil)
    let cleared = await waiting()
    control.clear()
    #expect(await cleared.value == nil)
    let late = await waiting(.seconds(5))
    await clock.advanceOnceAwaited(by: .seconds(5))
    #expect(await late.value == .timedOut)
    control.clear()
    let stopped = await waiting()
    await control.stop()
    #expect(await stopped.value == nil)
    await #expect(throws: CallError.stopped) { try await wait.completion(of: 1) }
  }

  @Test(arguments: matchers)
  func `A completion ends when the soup of a waiting molecule is gone`(matcher: Matcher) async throws {
    let keep = Shared<Injector<Void>>(nil)
    let (begin, control) = matcher.react(slow("begin"), on: .task, named: "begin") { _ in
      let (wait, partner, _) = matcher.react(slow("wait", of: Int.self), slow("partner"), on: .task) { _, _ in }
      wait(1)
      keep.put(partner)
    }
    let completion = Task { try await begin.completion() }
    await eventually("the body has run") { keep.value != nil }
    await control.settle()
    _ = keep.take()
    try await completion.value
  }

  @Test(arguments: matchers)
  func `A completion around another one waits for what both cause`(matcher: Matcher) async throws {
    let (node, count, _) = Self.tree(matcher, on: .inline)
    let ended = Tally()
    let (outer, _) = matcher.react(slow("outer"), named: "outer") { _ async throws in
      node(3)
      try await node.completion(of: 2)
      ended.add()
    }
    try await outer.completion()
    #expect(ended.count == 1)
    #expect(try await count() == 15 + 7)
  }
}
