import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// Contract 4: every fast call has exactly one outcome, and it is its own.
@Suite(.watched, .serialized)
struct `Replies` {
  @Test(arguments: Run.setups)
  func `One of several replies that race for a call wins, and the caller gets its value`(setup: Setup) async throws {
    let rounds = scaled(100)
    let (winners, calls) = (Log<Int>(), Log<Call<Void, Int>>())
    let (race, _) = setup.react(fast("race", returning: Int.self), named: "race") { call in calls.append(call) }
    let meeting = Rendezvous(4)
    let wrong = Tally()
    try await onThreads(5) { thread in
      for round in 0..<rounds {
        if thread == 4 {
          let winner = try race.blocking()
          while winners.count <= round { sched_yield() }
          if winners.all[round] != winner { wrong.add() }
        } else {
          while calls.count <= round { sched_yield() }
          meeting.meet()
          if calls.all[round].reply(thread) { winners.append(thread) }
        }
      }
    }
    #expect(wrong.count == 0)
    #expect(winners.count == rounds)
  }

  @Test(arguments: Run.setups)
  func `A reply that carries nothing, nil or much arrives as it was sent`(setup: Setup) async throws {
    let options = Soup.Options(matcher: setup.matcher, placement: setup.placement)
    let (ping, find, fetch, _) = options.define(
      fast("ping", returning: Void.self), fast("find", of: String.self, returning: Int?.self),
      fast("fetch", of: Int.self, returning: Page.self)
    ) { soup, ping, find, fetch in
      soup.react(ping) { $0.reply() }
      soup.react(find) { $0.reply($0.input == "here" ? 1 : nil) }
      soup.react(fetch) { $0.reply(Page(filledWith: UInt64($0.input))) }
    }
    try await ping()
    #expect(try await find("here") == 1)
    #expect(try await find("there") == nil)
    #expect(try await fetch(7) == Page(filledWith: 7))
    try await onThread {
      try ping.blocking()
      #expect(try find.blocking("there") == nil)
      #expect(try fetch.blocking(8) == Page(filledWith: 8))
    }
  }
}
