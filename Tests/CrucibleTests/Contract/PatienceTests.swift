import CrucibleTestSupport
import Testing

@testable import Crucible

/// The decisions about how long a task that awaits a call spins before it suspends. They need no threads.
@Suite(.watched)
struct `The patience of a soup` {
  /// Returns the patience after that many waits, each of which was answered after `time` nanoseconds.
  private func patience(after waits: Int, answered time: UInt64) -> Patience {
    (0..<waits).reduce(Patience()) { patience, _ in
      patience.limit == 0 ? patience.afterNone : time <= patience.limit ? patience.after(time) : patience.afterMiss
    }
  }

  @Test func `A soup's patience begins cold, and probes once in a while whether spinning is worth it`() {
    let first = Patience()
    #expect(first.limit == 0)
    #expect(patience(after: Int(Patience.leastGap) - 1, answered: 100).limit == 0)
    #expect(patience(after: Int(Patience.leastGap), answered: 100).limit == Patience.long)
  }

  @Test func `A soup's patience spins briefly where replies come soon`() {
    let hot = patience(after: 100, answered: 100)
    #expect(hot.limit == Patience.short)
    #expect(hot.credit == Patience.mostCredit && hot.gap == Patience.leastGap)
    #expect(hot.after(100) == hot)
  }

  @Test func `A soup's patience gives its thread to other tasks within a millisecond or two`() {
    let hot = patience(after: 100, answered: 100)
    let begins = stride(from: UInt64(1 << 30), to: 1 << 30 + 10 << 20, by: 3000)
    let suspended = begins.filter { hot.givesWay(at: $0) }
    #expect(suspended.count >= 10 && suspended.count <= 20)
    #expect(!begins.contains { Patience(left: 0).givesWay(at: $0) }, "a probe does not give way")
  }

  @Test func `A soup's patience lets a third task run while two ask for one state again and again`() async throws {
    let (add, _) = Soup.Options().define(fast("add", of: Int.self, returning: Int.self), named: "add") { soup, add in
      let total = soup.state("total", 0)
      soup.react(state: total, add, on: .inline) { total, call in
        total += call.input
        call.reply(total)
      }
    }
    let isDone = Shared<Bool>(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask { while isDone.value == false { _ = try await add(1) } }
      }
      group.addTask { isDone.put(true) }
      try await group.waitForAll()
    }
  }
}
