import Compounds
import Crucible
import CrucibleTestSupport
import Testing

/// Blocking calls that are no single name of a soup, from threads. `MapReduceTests.swift` has those of the jobs.
@Suite(.watched)
struct `A call that blocks its thread` {
  @Test func `A thread waits until a callback completes its call`() async throws {
    let kept = Shared<Completion<Int>>(nil)
    let caller = Task { try await onThread { try Completion.blocking.value { completion in kept.put(completion) } } }
    while kept.value == nil { await Task.yield() }
    #expect(kept.take()?(7) == true)
    #expect(try await caller.value == 7)
    try await onThread { () throws in
      #expect(throws: CallError.neverReplied) { try Completion<Int>.blocking.value { _ in } }
      #expect(throws: CallError.failed(Fault())) { try Completion<Int>.blocking.value { $0.fail(Fault()) } }
      #expect(throws: CallError.failed(Fault())) { try Completion<Int>.blocking.value { _ in throw Fault() } }
      #expect(throws: CallError.timedOut) { try Completion<Int>.blocking.value(within: .zero) { kept.put($0) } }
    }
    #expect(kept.take()?.isWanted == false)
  }

  @Test(arguments: matchers)
  func `A blocking end of the subscription whose closure calls it throws an error`(matcher: Matcher) async throws {
    let reasons = Log<String>()
    let options = Soup.Options(matcher: matcher)
    let topic = Topic<Int>(options: options)
    let own = Shared<Topic<Int>.Subscription>(nil)
    let subscription = try topic.subscribe(options: options) { _ in
      do throws(CallError) {
        try own.value?.blocking.end()
      } catch {
        if case .failed(let reason) = error { reasons.append("\(type(of: reason))") }
      }
    }
    own.put(subscription)
    for value in 1...2 {
      topic.publish(value)
      await expectQuiet(topic.control, subscription.control)
    }
    // The second value did not arrive, because the topic has removed the subscriber.
    #expect(reasons.all == ["Deadlock"])
    _ = own.take()
  }
}
