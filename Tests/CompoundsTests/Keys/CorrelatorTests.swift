import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Dispatch
import Foundation
import Testing

@Suite(.watched)
struct `Correlators` {
  @Test func `Each caller gets the reply to its own request, whichever is first, and what nobody takes is told`()
    async throws
  {
    let clock = ManualClock()
    let unclaimed = Log<String>()
    let replies = Correlator<Int, String>(keepingReplies: .seconds(5), options: .init(clock: clock)) { id, text in
      unclaimed.append("\(id) \(text)")
    }
    let waiting = (0..<50).map { id in Task { try await replies.reply(id) } }
    for id in (0..<100).reversed() { #expect(replies.deliver("for \(id)", for: id)) }
    for id in 0..<50 {
      let text = try await waiting[id].value
      #expect(text == "for \(id)")
    }
    for id in 50..<90 {
      let text = try await replies.reply(id)
      #expect(text == "for \(id)")
    }
    replies.deliver("again", for: 3)
    await replies.control.expectRest(["arrived 11"])
    clock.advance(by: .seconds(5))
    await eventually("11 replies are unclaimed") { unclaimed.count == 11 }
    #expect(unclaimed.all.sorted() == ["3 again"] + (90..<100).map { "\($0) for \($0)" })
    await replies.control.expectRest([])
  }

  @Test func `A caller that gives up leaves its reply to the next one`() async throws {
    let replies = Correlator<String, Int> { id, _ in Issue.record("\(id) is unclaimed") }
    let impatient = Task { try await replies.reply("a") }
    await replies.control.expectWaiting(1)
    impatient.cancel()
    await #expect(throws: CallError.self) { try await impatient.value }
    replies.deliver(1, for: "a")
    let value = try await replies.reply("a")
    #expect(value == 1)
    await replies.control.stop()
    #expect(!replies.deliver(2, for: "a"))
  }

  @Test func `A reply is told if its caller gives up in the moment in which the correlator is stopped`() async throws {
    let unclaimed = Log<Int>()
    let replies = Correlator<Int, Int> { _, reply in unclaimed.append(reply) }
    let control = replies.control
    let caller = Task { await replies.reply.outcome(1) }
    await control.callers(1)
    let dropped = try await control.countDropped(stoppingIn: "reply", atStop: caller.cancel) {
      #expect(replies.deliver(7, for: 1))
      #expect(await caller.value == .failure(.cancelled))
    }
    #expect(dropped == 0)
    #expect(unclaimed.all == [7])
  }
}
