import Crucible
import CrucibleTestSupport
import Glibc
import Synchronization
import Testing

/// Stopping and restarting again and again, while threads inject.
@Suite(.watched, .serialized)
struct `Restarts that race with injections` {
  @Test(arguments: Run.setups)
  func `Restarts that race with injections lose nothing that reacts before the next stop`(setup: Setup) async throws {
    let rounds = scaled(100)
    let ledger = Ledger(capacity: 400_000)
    let census = Census()
    let reacted = Tally()
    let surely = Tally()
    let (a, b, control) = Soup.define("rounds", with: .init(matcher: setup.matcher)) { soup in
      let count = soup.state("count", 0)
      let a = soup.slow("a", of: Live.self)
      let b = soup.slow("b", of: Live.self)
      soup.react(a, on: setup.placement) { value in
        ledger.consume(value.number)
        reacted.add()
      }
      soup.react(state: count, b, on: setup.placement) { count, value in
        count += 1
        ledger.consume(value.number)
      }
      return (a, b, soup.control)
    }
    Watchdog.watch(control)
    // Odd from the return of a restart until the next stop begins.
    let era = Atomic<Int>(1)
    let isOver = Gate()
    let injected = try await onThreads(5) { thread -> (sure: [Int], accepted: Int, refused: [Int]) in
      var result = (sure: [Int](), accepted: 0, refused: [Int]())
      if thread == 4 {
        for round in 0..<rounds {
          // Lets the others in, each time a little longer.
          let target = min(ledger.issued + round % 50, 300_000)
          while ledger.issued < target {}
          era.add(1, ordering: .sequentiallyConsistent)
          _ = control.blocking.stop(within: patience)
          try control.blocking.restart(within: patience)
          era.add(1, ordering: .sequentiallyConsistent)
        }
        // No stop comes any more: the next `a` is a sure one.
        while surely.count == 0 && ledger.issued < 400_000 { sched_yield() }
        isOver.open()
        return result
      }
      while !isOver.isOpen, let number = ledger.issue() {
        let before = era.load(ordering: .sequentiallyConsistent)
        let accepted = (thread == 0 ? a : b)(census.live(number))
        let after = era.load(ordering: .sequentiallyConsistent)
        // An `a` is consumed at once; a `b` may have to wait for the state, and be dropped by the next stop.
        if before == after && before % 2 == 1 && thread == 0 {
          result.sure.append(number)
          surely.add()
        }
        if accepted { result.accepted += 1 } else { result.refused.append(number) }
        if !accepted { sched_yield() }
      }
      return result
    }
    await control.settle()
    let snapshot = control.snapshot()
    #expect(ledger.duplicates == 0)
    #expect(snapshot.counts.reduce(0) { $0 + $1.molecules } == 1, "the state alone is there")
    #expect(injected.reduce(0) { $0 + $1.accepted } == ledger.consumed + snapshot.dropped)
    // Consumed once more, what had been consumed is a duplicate, and nothing else is.
    let sure = injected.flatMap(\.sure)
    for number in sure { ledger.consume(number) }
    #expect(!sure.isEmpty)
    #expect(reacted.count >= sure.count, "each of them has reserved a reaction")
    if setup.placement == .inline { #expect(ledger.duplicates == sure.count, "of \(sure.count)") }
    let consumed = ledger.consumed
    let refused = injected.flatMap(\.refused)
    for number in refused { ledger.consume(number) }
    #expect(ledger.consumed == consumed + refused.count, "what was refused has not reacted")
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `Restarts that race with calls give each call its reply or .stopped, and nothing else`(setup: Setup) async throws
  {
    let rounds = scaled(300)
    let others = Log<CallError>()
    let replied = Tally()
    let wrong = Tally()
    let (call, control) = Soup.define("calls", with: .init(matcher: setup.matcher)) { soup in
      let call = soup.fast("call", of: Int.self, returning: Int.self)
      soup.react(call, on: setup.placement) { call in call.reply(-call.input) }
      return (call, soup.control)
    }
    Watchdog.watch(control)
    let isOver = Gate()
    try await onThreads(5) { thread in
      if thread == 4 {
        for _ in 0..<rounds {
          _ = control.blocking.stop(within: patience)
          try control.blocking.restart(within: patience)
        }
        while replied.count == 0 {}
        isOver.open()
        return
      }
      var number = 0
      while !isOver.isOpen {
        number += 1
        do throws(CallError) {
          let reply = thread % 2 == 0 ? try call.blocking(number) : try call.blocking(number, within: patience)
          if reply == -number { replied.add() } else { wrong.add() }
        } catch {
          if error != .stopped { others.append(error) }
        }
      }
    }
    #expect(wrong.count == 0)
    #expect(others.all.map(\.description) == [])
  }
}
