import CCrucible
import CrucibleTestSupport
import Testing

@testable import Crucible

/// Only molecules that callers wait for can be withdrawn. The bags of other molecules make no provision for it.
@Suite(.watched)
struct `A molecule that no caller waits for` {
  @Test(arguments: matchers)
  func `A ticket does not withdraw a molecule that no caller waits for`(matcher: Matcher) throws {
    let (item, take, control) = matcher.react(
      slow("item", of: Int.self), fast("take", returning: Int.self), on: .inline
    ) { value, call in call.reply(value) }
    var ticket = crucible_ticket()
    #expect(Payload<Int>.inject(7, into: item.name, times: 0, owns: true, ticket: &ticket))
    var back = 0
    #expect(!crucible_withdraw(item.name, &ticket, &back))
    #expect(back == 0)
    #expect(control.snapshot()[item] == 1)
    #expect(try take.blocking(within: patience) == 7)
    #expect(control.snapshot()[item] == 0)
  }
}
