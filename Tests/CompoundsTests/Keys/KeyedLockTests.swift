import Compounds
import Crucible
import CrucibleTestSupport
import Testing

@Suite(.watched)
struct `Locks by key` {
  @Test func `One caller of a key is inside at a time, in the order in which they came, and two keys are independent`()
    async throws
  {
    let locks = KeyedLock<String>()
    let (order, inside) = (Log<Int>(), Tally())
    try await locks.acquire("a")
    var callers: [Task<Void, any Error>] = []
    for number in 0..<4 {
      callers.append(
        Task {
          try await locks.withLock("a") {
            if inside.add() != 1 { Issue.record("two are inside") }
            order.append(number)
            inside.add(-1)
          }
        })
      await locks.control.expectWaiting(number + 1)
    }
    try await locks.withLock("b", within: .zero) {}
    locks.release("a")
    for caller in callers { try await caller.value }
    #expect(order.all == [0, 1, 2, 3])
    await locks.control.expectRest([])
  }

  @Test func `A blocking caller has the lock, a body that throws gives it back, and a stop ends the callers`()
    async throws
  {
    let locks = KeyedLock<Int>()
    try await onThread {
      let result = try locks.blocking.withLock(1) { 7 }
      #expect(result == 7)
      #expect(throws: Fault.self) { try locks.blocking.withLock(1) { throw Fault() } }
    }
    await #expect(throws: Fault.self) { try await locks.withLock(1) { throw Fault() } }
    try await locks.acquire(1)
    let late: CallError = .timedOut
    await #expect(throws: late) { try await locks.acquire(1, within: .milliseconds(1)) }
    locks.control.pause()
    await #expect(throws: late) { try await locks.acquire(2, within: .zero) }
    locks.control.resume()
    let waiting = Task { try await locks.acquire(1) }
    await locks.control.expectWaiting(1)
    await locks.control.stop()
    let stopped: CallError = .stopped
    await #expect(throws: stopped) { try await waiting.value }
    await #expect(throws: RestartError.self) { try await locks.control.restart(within: patience) }
  }
}
