import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Contract 1, the reports of control: each accepted molecule was consumed, or one report counts it, once. Schedules
/// and histories show it of stops, clears and restarts that race with injections.
@Suite(.watched, .serialized)
struct `The reports of control` {
  @Test(arguments: matchers)
  func `A stop reports the timers that it ends, and a second stop does not`(matcher: Matcher) async {
    let clock = ManualClock()
    let (late, beat, control) = matcher.with(clock: clock).define(slow("late", of: Int.self), slow("beat")) {
      soup, late, beat in
      soup.react(late) { _ in }
      soup.react(beat) { _ in }
    }
    for number in 1...3 { late.after(.seconds(number), number) }
    beat.every(.seconds(1))
    late.after(.seconds(9), 0).cancel()
    let report = await control.stop(within: patience)
    #expect(report.timers.map(\.label) == ["late", "beat"])
    #expect(report.timers.map(\.count) == [3, 1])
    #expect(report.timers.map(\.next) == [.seconds(1), .seconds(1)])
    #expect(report.description == "0 dropped, timers ended: 3 × late, 1 × beat, quiet")
    #expect(await control.stop(within: patience).description == "0 dropped, quiet")
  }

  @Test(arguments: matchers)
  func `A stop and a drain count the values that a molecule holds, once`(matcher: Matcher) async throws {
    let (rows, control) = Soup.define("rows", with: .init(matcher: matcher)) { soup in
      let rows = soup.slow("rows", of: [Int].self, holding: { $0.count })
      let never = soup.slow("never")
      soup.react(rows, never) { _, _ in }
      return (rows, soup.control)
    }
    for isDrained in [false, true] {
      rows([1])
      #expect(control.clear() == 1)
      for count in 0...3 { rows(Array(repeating: 0, count: count)) }
      let dropped = control.snapshot().dropped
      if isDrained {
        #expect(await control.drain(within: patience).unfinished.map(\.molecules) == [7])
      } else {
        #expect(await control.stop(within: patience).dropped == 7)
      }
      #expect(control.snapshot().dropped == dropped + 4)
      #expect(await control.stop(within: patience).dropped == 0)
      try await control.restart(within: patience)
    }
  }

  @Test(arguments: matchers, CallForm.allCases)
  func `A drain ends its timers before it stops, and what they cause reacts`(
    matcher: Matcher, form: CallForm
  ) async throws {
    let done = Tally()
    let options = matcher.with(clock: ManualClock())
    let (late, word, control) = options.define(slow("late", of: AtItsEnd.self), slow("word")) { soup, late, word in
      soup.react(late) { _ in }
      soup.react(word) { _ in done.add() }
    }
    late.after(.seconds(1), AtItsEnd { [word = word.weak] in word() })
    let report = try await form.perform {
      await control.drain(within: patience)
    } blocking: {
      control.blocking.drain(within: patience)
    }
    #expect(done.count == 1 && report.description == "quiet, timers ended: 1 × late")
  }
}
