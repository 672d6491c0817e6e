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
    let race = ControlRace(setup, .singles, [.a, .b, .b, .b], each: 100_000)
    try await race.run { race in
      race.era.add(1, ordering: .sequentiallyConsistent)
      for round in 0..<rounds {
        // Lets the other threads inject, a little more each time.
        let target = race.ledger.issued + round % 50
        while race.ledger.issued < target && !race.done.isOpen {}
        race.era.add(1, ordering: .sequentiallyConsistent)
        _ = race.control.blocking.stop(within: patience)
        try race.control.blocking.restart(within: patience)
        race.era.add(1, ordering: .sequentiallyConsistent)
      }
      // No further stop follows, so the next `a` counts as sure.
      while race.sure.count == 0 && !race.done.isOpen { sched_yield() }
    }
    await race.expectBalance(allowing: [])
    #expect(race.present == 0)
    // Consuming the sure molecules once more gives a duplicate for each that had been consumed.
    for number in race.sure.all { race.ledger.consume(number) }
    #expect(race.sure.count > 0)
    if setup.placement == .inline { #expect(race.ledger.duplicates == race.sure.count) }
    await race.census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `Restarts that race with calls give each its reply or .stopped, and nothing else`(setup: Setup) async throws {
    let rounds = scaled(300)
    let race = ControlRace(setup, .singles, [.call, .call, .call, .call], each: 100_000)
    try await race.run { race in
      for _ in 0..<rounds {
        _ = race.control.blocking.stop(within: patience)
        try race.control.blocking.restart(within: patience)
      }
      while race.replied.count == 0 && !race.done.isOpen { sched_yield() }
    }
    await race.expectBalance(allowing: [.stopped])
    #expect(race.replied.count > 0)
  }
}
