import Crucible
import CrucibleTestSupport
import Testing

/// A call that only the state of a body further out on the thread's own stack could serve.
@Suite(.watched, .serialized)
struct `A call inside nested bodies` {
  /// A soup `label` with a state `n`, whose reaction to `ask` runs `act` on the thread of its caller.
  private func keeper(
    _ label: String, _ matcher: Matcher, line: UInt = #line, _ act: @escaping @Sendable () throws -> Int
  ) -> FastInjector<Void, Int> {
    Soup.define(label, with: .init(matcher: matcher, placement: .inline)) { soup in
      let n = soup.state("n", 0)
      let ask = soup.fast("ask", returning: Int.self)
      soup.react(state: n, ask, line: line) { _, call in call.reply(try act()) }
      return ask
    }
  }

  private func deadlock(_ work: () throws(CallError) -> Int) -> Deadlock? {
    do throws(CallError) { _ = try work() } catch { return error.deadlock }
    return nil
  }

  @Test(arguments: matchers)
  func `A blocking call for the state of a body further out throws Deadlock with all bodies that wait for it`(
    matcher: Matcher
  ) async throws {
    let (first, found) = (Shared<FastInjector<Void, Int>>(nil), Log<Deadlock?>())
    let line = UInt(#line)
    let third = keeper("third", matcher, line: line + 2) {
      for _ in 0..<2 { found.append(deadlock { () throws(CallError) in try first.value!.blocking() }) }
      found.append(deadlock { () throws(CallError) in try first.value!.blocking(within: patience) })
      return 1
    }
    let second = keeper("second", matcher, line: line + 1) { try third.blocking() }
    first.put(keeper("first", matcher, line: line) { try second.blocking() })
    #expect(try await onThread { try first.value!.blocking() } == 1)
    #expect(found.count == 3)
    for deadlock in found.all {
      let deadlock = try #require(deadlock)
      #expect(deadlock.soup == "first" && deadlock.molecule == "ask" && deadlock.cause == .state("n"))
      #expect(deadlock.bodies.map(\.soup.label) == ["first", "second", "third"])
      #expect(deadlock.bodies.map { UInt($0.reaction.source.line) } == [line, line + 1, line + 2])
      let bodies = ["first", "second", "third"].enumerated().map { index, label in
        "n & ask of soup '\(label)' (\(#fileID):\(line + UInt(index)))"
      }
      #expect(
        deadlock.description == "Every reaction of soup 'first' that consumes 'ask' needs its state 'n', "
          + "which a body has that waits for this very call. "
          + "From the outermost: \(bodies.joined(separator: ", then "))")
    }
    #expect(try await first.value!() == 1, "nothing was left behind")
    _ = first.take()
  }

  @Test(arguments: matchers)
  func `A call in a body that a slow molecule has nested throws Deadlock`(matcher: Matcher) async throws {
    let (read, found) = (Shared<FastInjector<Void, Int>>(nil), Log<Deadlock?>())
    let (handle, _) = matcher.on(.inline).react(slow("handle", of: Int.self)) { _ in
      found.append(deadlock { () throws(CallError) in try read.value!.blocking() })
    }
    let (publish, _, _) = matcher.on(.inline).define(slow("publish", of: Int.self), fast("read", returning: Int.self)) {
      soup, publish, reading in
      let handlers = soup.state("handlers", 0)
      soup.react(state: handlers, publish) { _, value in handle(value) }
      soup.react(state: handlers, reading) { handlers, call in call.reply(handlers) }
      read.put(reading.owning())
    }
    publish(1)
    #expect(found.all.map { $0?.bodies.count } == [2])
    #expect(try await read.value!() == 0)
    _ = read.take()
  }

  @Test(arguments: matchers)
  func `A call whose reactions need states of several nested bodies throws Deadlock`(matcher: Matcher) async throws {
    let found = Log<Deadlock?>()
    let (begin, _, _, _) = matcher.on(.inline).define(slow("begin"), slow("inner"), fast("ask", returning: Int.self)) {
      soup, begin, inner, ask in
      let (a, b) = (soup.state("a", 0), soup.state("b", 0))
      soup.react(state: a, begin) { _, _ in inner() }
      soup.react(state: b, inner) { _, _ in found.append(deadlock { () throws(CallError) in try ask.blocking() }) }
      soup.react(state: a, ask) { _, call in call.reply(1) }
      soup.react(state: b, ask) { _, call in call.reply(2) }
    }
    begin()
    #expect(found.all.map { $0 != nil } == [true])
  }

  @Test(arguments: matchers)
  func `A blocking call in the task of a body that has the state throws Deadlock`(matcher: Matcher) async throws {
    let (first, found) = (Shared<FastInjector<Void, Int>>(nil), Log<Deadlock?>())
    let (second, _) = matcher.on(.inline).react(fast("ask", returning: Int.self), named: "second") { call in
      found.append(deadlock { () throws(CallError) in try first.value!.blocking() })
      call.reply(3)
    }
    let (ask, _) = matcher.define(fast("ask", returning: Int.self), named: "first") { soup, ask in
      let n = soup.state("n", 0)
      soup.react(state: n, ask) { _, call async throws in call.reply(try await second()) }
    }
    first.put(ask)
    #expect(try await ask() == 3)
    #expect(found.all.map { $0?.cause } == [.state("n")])
    _ = first.take()
  }

  /// The outer body keeps nothing that the reactions of the call need, so another thread answers.
  @Test(arguments: matchers)
  func `A call inside nested bodies waits as usual if another thread can answer`(matcher: Matcher) async throws {
    let (outer, waits, replies) = (Shared<FastInjector<Int, Int>>(nil), Gate(), Log<Int>())
    let inner = keeper("inner", matcher) {
      waits.open()
      for number in 1...2 { replies.append(try outer.value!.blocking(number)) }
      return 1
    }
    let (begin, help, _, control) = matcher.on(.inline).define(
      fast("begin", returning: Int.self), slow("help", of: Int.self), fast("ask", of: Int.self, returning: Int.self)
    ) { soup, begin, help, ask in
      let (a, b) = (soup.state("a", 0), soup.state("b", 0))
      soup.react(state: a, begin) { _, call in call.reply(try inner.blocking()) }
      soup.react(state: a, ask) { _, call in call.reply(-1) }
      soup.react(state: b, ask, help) { _, call, number in call.reply(10 * call.input + number) }
      outer.put(ask.owning())
    }
    let caller = Task { try await onThread { replies.append(try begin.blocking()) } }
    await waits.wait()
    for number in [1, 2] {
      await control.callers(1)
      help(number)
      while replies.count < number { await Task.yield() }
    }
    try await caller.value
    #expect(replies.all == [11, 22, 1])
    _ = outer.take()
  }

  /// An executor runs a body while the thread, whose own body has ended, still submits it. Then that body's states are
  /// back.
  @Test(arguments: matchers)
  func `A call of a body that an executor runs while it is submitted gets the states of the body that has ended`(
    matcher: Matcher
  ) async throws {
    let replies = Log<Int>()
    let (go, _, _, control) = matcher.on(.inline).define(slow("go"), slow("next"), fast("read", returning: Int.self)) {
      soup, go, next, read in
      let (a, b) = (soup.state("a", 1), soup.state("b", 2))
      soup.react(state: a, state: b, go) { a, b, _ in next() }
      soup.react(state: a, next, on: .executor(AtOnceExecutor())) { _, _ in
        replies.append((try? read.blocking()) ?? -1)
      }
      soup.react(state: b, read) { b, call in call.reply(b) }
    }
    go()
    await control.settle()
    #expect(replies.all == [2])
  }

  /// A thread remembers 256 bodies.
  @Test(arguments: matchers)
  func `A body still has its state after 600 bodies have nested inside it`(matcher: Matcher) {
    let (found, nested) = (Log<Deadlock?>(), Log<Int>())
    let (go, _, _, _, _) = matcher.on(.inline).define(
      slow("go"), slow("middle"), slow("down", of: Int.self), fast("ask", returning: Int.self)
    ) { soup, go, middle, down, ask in
      let n = soup.state("n", 0)
      soup.react(middle) { down(600) }
      soup.react(state: n, go) { _, _ in
        middle()
        found.append(deadlock { () throws(CallError) in try ask.blocking() })
      }
      soup.react(down, on: .executor(AtOnceExecutor())) { left in
        if left > 1 { down(left - 1) }
        nested.append(left)
      }
      soup.react(state: n, ask) { n, call in call.reply(n) }
    }
    go()
    #expect(nested.all == Array(1...600), "each ended before the one around it")
    #expect(found.all.map { $0?.cause } == [.state("n")])
  }
}

/// Runs each job on the thread that enqueues it.
private final class AtOnceExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) { UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor()) }
}
