import CCrucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@testable import Crucible

/// A caller gets a record to suspend with only once it must suspend. The call ends like any other, whatever the body
/// did with it before.
@Suite(.watched, .serialized)
struct `A call that an inline reaction consumes at once` {
  private static let ways: [Duration?] = [nil, patience]

  @Test(arguments: matchers, ways)
  func `Each call consumed inline ends as its body ends it: by a reply, an error or silence`(
    matcher: Matcher, limit: Duration?
  ) async {
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
    let (ask, control) = Soup.define("beside", with: .init(matcher: matcher, placement: .inline)) { soup in
      let ask = soup.fast("ask", of: Int.self, returning: Int.self)
      let miss = soup.slow("miss", of: Call<Int, Int>.self)
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
      return (ask, soup.control)
    }
    for round in 0..<36 {
      // The call runs on the thread of the previous round, and takes the pair of that round.
      let reply = Task {
        if round % 6 != 4 { return true }
        _ = await control.callers(1)
        return kept.value!.reply(-round)
      }
      #expect(await ask.outcome(round, within: limit) == .success(-round))
      #expect(await reply.value)
      #expect(!kept.value!.isAwaited)
      #expect(!kept.value!.reply(1))
    }
    #expect(abandoned.value == nil)
  }

  /// Inspects what the thread keeps for such calls. Nothing else shows whether a call reuses the record of an earlier
  /// one.
  ///
  /// Under AddressSanitizer the task often continues on another thread, which has a record of its own.
  @Test(.enabled(if: !AddressSanitizer.isOn))
  func `A call consumed inline reuses the last call's record unless that call's body did more than reply`() async {
    // In a process with few threads, because only the first threads of a process make such calls.
    await #expect(processExitsWith: .success) { await Self.lookAtWhatIsSaved() }
  }

  private static func lookAtWhatIsSaved() async {
    struct Refused: Error, Equatable {}
    enum Way: Sendable { case replies, keeps, handsOn, watches, throwsError }
    let kept = Shared<Call<Way, Int>>(nil)
    let ask = Soup.define("again", with: .init(matcher: .word, placement: .inline, onError: { _ in })) { soup in
      let ask = soup.fast("ask", of: Way.self, returning: Int.self)
      let miss = soup.slow("miss", of: Call<Way, Int>.self)
      soup.react(miss) { call in call.reply(0) }
      soup.react(ask) { call throws in
        switch call.input {
        case .replies: break
        case .keeps: kept.put(call)
        case .handsOn:
          miss(call)
          return
        case .watches: call.onAbandoned {}
        case .throwsError: throw Refused()
        }
        call.reply(0)
      }
      return ask
    }
    func saved(after way: Way) async -> UnsafeMutableRawPointer? {
      #expect(await ask.outcome(way) == (way == .throwsError ? .failure(.failed(Refused())) : .success(0)))
      guard let saved = crucible_thread_take_saved_at_once() else { return nil }
      #expect(crucible_thread_save_at_once(saved, ReplyToken.release))
      return saved
    }
    // The first call of a thread makes its record, and saves no pair. A saved call would hide the last one's.
    _ = await saved(after: .replies)
    if let call = crucible_thread_take_saved_call() { ReplyToken.release(call) }
    var first: UnsafeMutableRawPointer?
    for way in [Way.keeps, .handsOn, .watches, .throwsError] {
      first = await saved(after: .replies)
      #expect(first != nil)
      #expect(await saved(after: .replies) == first)
      #expect(await saved(after: way) == nil)
    }
    #expect(await saved(after: .replies) == first, "nothing else refers to the record")
  }
}
