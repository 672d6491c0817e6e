import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Dispatch
import Testing

/// A serial place begins the molecules that one injector made of one name in their order. It does not matter which
/// thread reserved them.
@Suite(.watched, .serialized)
struct `A serial place` {
  @Test(arguments: matchers, SerialPlace.all)
  func `A serial place begins waiting molecules in their order, though another thread lets them react`(
    matcher: Matcher, place: SerialPlace
  ) async throws {
    let begun = Log<Int>()
    let (a, control) = matcher.define(slow("a", of: Int.self)) { soup, a in
      place.body.react(in: soup, a) { begun.append($0) }
      for number in 0..<5 { a(number) }
    }
    await control.settle()
    control.pause()
    for number in 5..<20 { a(number) }
    await place.perform { control.resume() }
    for number in 20..<25 { a(number) }
    await control.settle()
    #expect(begun.all == Array(0..<25))
  }

  @Test(arguments: matchers, SerialPlace.all)
  func `A call that waits for a serial place gets its reply, or is withdrawn at its deadline`(
    matcher: Matcher, place: SerialPlace
  ) async throws {
    let (busy, leave) = (Gate(), Gate())
    let (begun, clock) = (Log<Int>(), ManualClock())
    let (block, ask, control) = matcher.with(clock: clock).define(
      slow("block", of: Int.self), fast("ask", of: Int.self, returning: Int.self), named: "busy"
    ) { soup, block, ask in
      place.body.react(in: soup, block) { _ in
        busy.open()
        leave.waitBlocking()
      }
      place.body.react(in: soup, ask) { call in
        if call.isAwaited { begun.append(call.input) }
        call.reply(call.input + 1)
      }
    }
    block(0)
    await busy.wait()
    #expect(await clock.expire { await ask.outcome(1, within: $0) } == .failure(.timedOut))
    let answer = Task { try await ask(2) }
    // The firing of the call that timed out waits for the place. On `claim` the second call takes that call out of the
    // soup, and the firing takes the second one. So one firing waits for each call that is still there.
    while control.explain().reactions.reduce(0, { $0 + $1.placed }) + Int(control.snapshot().withdrawn) < 2 {
      await Task.yield()
    }
    leave.open()
    #expect(try await answer.value == 3)
    await control.settle()
    #expect(begun.all == [2])
    #expect(control.snapshot()[ask] == 0)
  }
}

/// A place that runs one body at a time, and a way to run something else there.
struct SerialPlace: Sendable, CustomTestStringConvertible {
  let body: TaskBody
  let perform: @Sendable (@escaping @Sendable () -> Void) async -> Void
  var testDescription: String { body.testDescription }

  static let all = [
    SerialPlace(body: .placed(.queue(queue))) { work in
      await withUnsafeContinuation { done in
        queue.async {
          work()
          done.resume()
        }
      }
    },
    SerialPlace(body: .placed(.loop(loop)), perform: performOnLoop),
    SerialPlace(body: .async(.loop(loop)), perform: performOnLoop), SerialPlace(body: .async(.queue(queue))) { $0() },
    isolated(DefaultTeller()), isolated(CustomTeller()),
    SerialPlace(body: .main) { work in await MainActor.run { work() } },
    SerialPlace(body: .asyncMain) { work in await MainActor.run { work() } },
  ]

  private static let queue = DispatchQueue(label: "serial")
  private static let loop = ThreadLoop()

  private static let performOnLoop: @Sendable (@escaping @Sendable () -> Void) async -> Void = { work in
    await withUnsafeContinuation { done in
      loop.run {
        work()
        done.resume()
      }
    }
  }

  private static func isolated(_ teller: some Teller) -> SerialPlace {
    SerialPlace(body: .actor(teller)) { work in await teller.run(work) }
  }
}
