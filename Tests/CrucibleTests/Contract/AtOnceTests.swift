import Crucible
import CrucibleTestSupport
import Testing

/// A caller gets a record to suspend with only once it must suspend. The call ends like any other, whatever the body
/// did with it before.
@Suite(.watched, .serialized)
struct `A call that an inline reaction consumes at once` {
  private static let ways: [Duration?] = [nil, patience]

  @Test(arguments: matchers, ways)
  func `Each call consumed inline ends by a reply, an error or silence`(matcher: Matcher, limit: Duration?) async {
    struct Refused: Error {}
    let (ask, _) = matcher.react(fast("ask", of: Int.self, returning: [Int].self), on: .inline) { call throws in
      switch call.input % 4 {
      case 0: call.reply([call.input])
      case 1: break
      case 2: throw Refused()
      default: call.fail(Refused())
      }
    }
    for round in 0..<40 {
      var end = "reply"
      do throws(CallError) {
        if let limit { _ = try await ask(round, within: limit) } else { _ = try await ask(round) }
      } catch {
        switch error {
        case .failed(is Refused): end = "refused"
        case .neverReplied: end = "silence"
        default: end = "\(error)"
        }
      }
      let expected = ["reply", "silence", "refused", "refused"]
      #expect(end == expected[round % 4])
    }
  }

  @Test(arguments: matchers, ways)
  func `A call consumed inline leaves nothing to the thread's next call, whatever its body does`(
    matcher: Matcher, limit: Duration?
  ) async {
    struct Again: Error {}
    let (kept, abandoned) = (Shared<Call<Int, Int>>(nil), Shared<Int>(nil))
    let failed = Shared<Int>(nil)
    let (ask, _, control) = matcher.on(.inline).define(
      fast("ask", of: Int.self, returning: Int.self), slow("miss", of: Call<Int, Int>.self)
    ) { soup, ask, miss in
      soup.react(miss) { call in call.reply(-call.input) }
      soup.react(ask, recovery: .retry(limit: 1)) { call throws in
        switch call.input % 6 {
        case 0: kept.put(call)
        case 1: call.onAbandoned { abandoned.put(call.input) }
        case 2:
          miss(call)
          return
        case 3 where failed.value != call.input:
          failed.put(call.input)
          throw Again()
        case 4: return kept.put(call)
        default: break
        }
        call.reply(-call.input)
      }
    }
    for round in 0..<36 {
      // The call runs on the thread of the previous round, and takes the pair of that round.
      let reply = Task {
        if round % 6 != 4 { return true }
        await control.callers(1)
        return kept.value!.reply(-round)
      }
      #expect(await ask.outcome(round, within: limit) == .success(-round))
      #expect(await reply.value)
      #expect(!kept.value!.isAwaited)
      #expect(!kept.value!.reply(1))
    }
    #expect(abandoned.value == nil)
  }
}
