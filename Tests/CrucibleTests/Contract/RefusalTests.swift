import Crucible
import CrucibleTestSupport
import Testing

/// Contract 4, `.stopped` and `.gone`: a refused call gets the reason, whatever the deinitializer of its input does.
@Suite(.watched)
struct `Refused calls` {
  @Test(arguments: Run.setups)
  func `A refused call throws its own reason, whatever its input injects at its end`(setup: Setup) async throws {
    let gone = Soup.define("gone") { soup in
      let gone = soup.slow("gone")
      soup.react(gone) { _ in }
      return Unowned(name: gone)
    }
    let (call, control) = setup.react(fast("call", of: InjectsAtItsEnd.self, returning: Int.self)) {
      $0.reply(1)
    }
    _ = await control.stop(within: patience)
    let refused = Tally()
    let make = { @Sendable in InjectsAtItsEnd { if !gone.name() { refused.add() } } }
    let answers = try await onThread {
      [
        Result { () throws(CallError) in try call.blocking(make()) },
        Result { () throws(CallError) in try call.blocking(make(), within: patience) },
      ]
    }
    #expect(answers == [.failure(.stopped), .failure(.stopped)])
    do throws(CallError) {
      _ = try await call(make())
      Issue.record("a call of a stopped soup is answered")
    } catch {
      #expect(error == .stopped)
    }
    #expect(refused.count == 3)
  }
}

/// A name that leaves its definition without owning its soup.
private struct Unowned: Leaving {
  let name: Injector<Void>
  func owning() -> Unowned { self }
}

private final class InjectsAtItsEnd: Sendable {
  private let atEnd: @Sendable () -> Void
  init(_ atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }
  deinit { atEnd() }
}
