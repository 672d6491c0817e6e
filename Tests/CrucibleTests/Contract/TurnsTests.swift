import Crucible
import CrucibleTestSupport
import Testing

/// Tasks whose calls are answered so soon that they need not suspend. They keep the threads of Swift's pool.
@Suite(.watched)
struct `Tasks that hardly ever suspend` {
  /// Runs tasks that repeat these calls until one more task has run.
  private func run(_ calls: (@Sendable () async throws -> Void)...) async throws {
    let isDone = Shared<Bool>(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for call in calls {
        group.addTask { while isDone.value == false { try await call() } }
      }
      group.addTask { isDone.put(true) }
      _ = try await group.next()
      group.cancelAll()  // a call may wait for a task that has ended
    }
  }

  @Test func `Two tasks that ask for one state again and again let a third task run`() async throws {
    let (add, _) = Soup.Options().define(fast("add", of: Int.self, returning: Int.self), named: "add") { soup, add in
      let total = soup.state("total", 0)
      soup.react(state: total, add, on: .inline) { total, call in
        total += call.input
        call.reply(total)
      }
    }
    try await run({ _ = try await add(1) }, { _ = try await add(1) })
  }

  @Test(arguments: matchers)
  func `Two tasks that answer each other again and again let a third task run`(matcher: Matcher) async throws {
    let (left, right, _) = matcher.react(
      fast("left", returning: Void.self), fast("right", returning: Void.self), on: .inline
    ) { left, right in
      left.reply()
      right.reply()
    }
    try await run({ try await left() }, { try await right() })
  }
}
