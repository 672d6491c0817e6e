import Compounds
import Crucible
import CrucibleTestSupport
import Testing

@Suite(.watched)
struct `A coroutine` {
  /// Makes a coroutine that replies to each text with a number and the text, until it gets an empty one.
  private func numbering(_ options: Soup.Options, before: @escaping @Sendable (String) async -> Void = { _ in })
    -> Coroutine<String, String>
  {
    Coroutine(options: options) { first, yield in
      var (text, number) = (first, 0)
      while !text.isEmpty {
        await before(text)
        number += 1
        text = try await yield("\(number)\(text)")
      }
    }
  }

  @Test(arguments: matchers)
  func `A coroutine gets the value of each call, and answers it`(matcher: Matcher) async throws {
    let numbering = numbering(.init(matcher: matcher))
    await numbering.control.expectRest(["fresh 1", "refused 1"])
    #expect(try await numbering.next("a") == "1a")
    #expect(try await onThread { try numbering.next.blocking("b") } == "2b")
    #expect(try await numbering.next("c", within: patience) == "3c")
    #expect(try await numbering.next(with: "d") == "4d")
    #expect(try await numbering.next(with: "e", within: patience) == "5e")
    try await onThread { () throws in
      #expect(try numbering.blocking.next(with: "f") == "6f")
      #expect(try numbering.blocking.next(with: "g", within: patience) == "7g")
    }
    #expect(try await numbering.next("") == nil)
    #expect(try await onThread { try numbering.blocking.next(with: "d") } == nil)
    #expect(try await numbering.next("d") == nil)
    await numbering.control.expectRest(["over 1", "refused 1"])
    #expect(numbering.control.warnings == [])
  }

  @Test(arguments: matchers)
  func `A coroutine drops what it made for a caller that has given up`(matcher: Matcher) async throws {
    let (begun, mayGoOn) = (Gate(), Gate())
    let numbering = numbering(.init(matcher: matcher)) { text in
      if text != "lost" { return }
      begun.open()
      await mayGoOn.wait()
    }
    #expect(try await numbering.next("a") == "1a")
    let caller = Task { await numbering.next.outcome("lost") }
    await begun.wait()
    let next = Task { try await numbering.next("b") }
    caller.cancel()
    await #expect(throws: CallError.cancelled) { try await caller.value.get() }
    mayGoOn.open()
    #expect(try await next.value == "3b")
    // A caller that gives up before its turn has said nothing.
    numbering.control.pause()
    await #expect(throws: CallError.timedOut) { try await numbering.next("early", within: .zero) }
    numbering.control.resume()
    #expect(try await numbering.next("c") == "4c")
  }

  @Test(arguments: matchers)
  func `A coroutine drops what it made if the caller gives up as it is served`(matcher: Matcher) async throws {
    let moment = Moment("refused & asked & offered")
    let (begun, mayGoOn) = (Gate(), Gate())
    let numbering = numbering(.init(matcher: matcher, observer: moment.observer)) { text in
      if text != "lost" { return }
      begun.open()
      await mayGoOn.wait()
    }
    try await moment.cancel(numbering.next, "lost", in: numbering.control) {
      await begun.wait()
      mayGoOn.open()
    }
    #expect(try await numbering.next("a") == "2a")
  }

  @Test(arguments: matchers)
  func `A coroutine keeps its error, or its end, for the next caller`(matcher: Matcher) async throws {
    for error in [Fault(number: 1), nil] {
      let (begun, mayGoOn) = (Gate(), Gate())
      let coroutine = Coroutine<Int, Int>(options: .init(matcher: matcher)) { _, _ in
        begun.open()
        await mayGoOn.wait()
        if let error { throw error }
      }
      let caller = Task { await coroutine.next.outcome(1) }
      await begun.wait()
      caller.cancel()
      await #expect(throws: CallError.cancelled) { try await caller.value.get() }
      mayGoOn.open()
      if let error {
        await #expect(throws: CallError.failed(error)) { try await coroutine.next(2) }
      }
      #expect(try await coroutine.next(3) == nil)
    }
  }
}
