import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@Suite(.watched)
struct `A generator` {
  @Test(arguments: matchers)
  func `A generator makes a value when it is asked for, and not before`(matcher: Matcher) async throws {
    let made = Tally()
    let generator = Generator<Int>(options: .init(matcher: matcher)) { yield in
      for _ in 1...3 { try await yield(made.add()) }
      made.add()
    }
    await generator.control.expectRest(["fresh 1", "refused 1"])
    #expect(made.count == 0)
    for number in 1...3 {
      #expect(try await generator.next() == number)
      await generator.control.expectWaiting(1)  // the closure, in its `yield`
      #expect(made.count == number)
    }
    #expect(try await generator.next() == nil)
    #expect(try await onThread { try generator.next.blocking() } == nil)
    await generator.control.expectRest(["over 1", "refused 1"])
    #expect(generator.control.warnings == [])
  }

  @Test(arguments: matchers)
  func `A generator throws the error of its closure, once, and ends`(matcher: Matcher) async throws {
    let generator = Generator<Int>(options: .init(matcher: matcher)) { yield in
      try await yield(1)
      throw Fault()
    }
    #expect(try await generator.next() == 1)
    await #expect(throws: CallError.failed(Fault())) { try await generator.next() }
    #expect(try await generator.next() == nil)
  }

  @Test(arguments: matchers)
  func `A generator is a sequence, of which some values can be taken`(matcher: Matcher) async throws {
    let generator = Generator<Int>(options: .init(matcher: matcher)) { yield in
      for number in 0..<10 { try await yield(number) }
    }
    #expect(try await generator.take(0) == [])
    #expect(try await generator.take(3) == [0, 1, 2])
    var rest: [Int] = []
    for try await number in generator { rest.append(number) }
    #expect(rest == Array(3..<10))
    #expect(try await generator.take(3) == [])
  }

  @Test(arguments: matchers, CallForm.allCases)
  func `A generator hands out some values within a limit of the whole wait, and loses none when it is over`(
    matcher: Matcher, form: CallForm
  ) async throws {
    let clock = ManualClock()
    let (isAsked, mayMake, isAskedAgain, mayGoOn) = (Gate(), Gate(), Gate(), Gate())
    let generator = Generator<Int>(options: .init(matcher: matcher, clock: clock)) { yield in
      isAsked.open()
      await mayMake.wait()
      try await yield(1)
      isAskedAgain.open()
      await mayGoOn.wait()
      for number in 2...4 { try await yield(number) }
      throw Fault()
    }
    @Sendable func take(_ count: Int, within limit: Duration) async throws -> [Int] {
      try await form.perform {
        try await generator.take(count, within: limit)
      } blocking: {
        try generator.blocking.take(count, within: limit)
      }
    }
    let taking = Task { try await take(2, within: .seconds(10)) }
    await isAsked.wait()
    clock.advance(by: .seconds(6))
    mayMake.open()
    await isAskedAgain.wait()
    clock.advance(by: .seconds(4))
    #expect(try await taking.value == [1])
    await #expect(throws: CallError.timedOut) { try await take(2, within: .zero) }
    mayGoOn.open()
    #expect(try await take(3, within: .seconds(10)) == [2, 3, 4])
    #expect(try await take(0, within: .zero) == [])
    await #expect(throws: CallError.failed(Fault())) { try await take(1, within: patience) }
    #expect(try await take(2, within: patience) == [])
    #expect(try await onThread { try generator.blocking.take(2) } == [])
  }

  @Test(arguments: matchers)
  func `A generator keeps the value of a caller that has given up for the next one`(matcher: Matcher) async throws {
    let (mayGoOn, clock) = (Gate(), ManualClock())
    let generator = Generator<Int>(options: .init(matcher: matcher, clock: clock)) { yield in
      await mayGoOn.wait()
      for number in 1...3 { try await yield(number) }
    }
    await #expect(throws: CallError.timedOut) { try await clock.expire { try await generator.next(within: $0) } }
    let cancelled = Task { await generator.next.outcome() }
    await generator.control.callers(1)
    cancelled.cancel()
    await #expect(throws: CallError.cancelled) { try await cancelled.value.get() }
    mayGoOn.open()
    #expect(try await generator.take(4) == [1, 2, 3])
  }

  @Test(arguments: matchers)
  func `A generator keeps a value, or its end, if the caller gives up as it is served`(matcher: Matcher) async throws {
    for (pattern, values) in [("refused & asked & offered", [1]), ("asked & ended", [])] {
      let moment = Moment(pattern)
      let mayGoOn = Gate()
      let generator = Generator<Int>(options: .init(matcher: matcher, observer: moment.observer)) { yield in
        await mayGoOn.wait()
        for value in values { try await yield(value) }
      }
      try await moment.cancel(generator.next, (), in: generator.control) { mayGoOn.open() }
      #expect(try await generator.take(2) == values)
    }
  }

  @Test(arguments: matchers)
  func `A generator that is abandoned leaves nothing behind`(matcher: Matcher) async throws {
    let (census, ends) = (Census(), Log<String>())
    for taken in 0...2 {
      let clock = ManualClock()
      let generator = Generator<Int>(options: .init(matcher: matcher, clock: clock)) { [live = census.live()] yield in
        defer { ends.append("\(taken)") }
        if taken == 2 {
          try await yield(0)
          try await yield(1)
          try await Task.sleep(for: patience * 2)
        }
        while true { try await yield(live.number) }
      }
      _ = try await generator.take(taken)
      if taken == 2 {
        // In the middle of its work.
        await #expect(throws: CallError.timedOut) { try await clock.expire { try await generator.next(within: $0) } }
      }
    }
    await eventually("two generators end") { ends.count >= 2 }
    await census.expectExtinction()
    #expect(ends.all.sorted() == ["1", "2"])
  }
}
