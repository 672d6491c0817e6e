import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// Contract 4: every fast call has exactly one outcome, and it is its own.
@Suite(.watched, .serialized)
struct `Replies` {
  @Test(arguments: Run.setups)
  func `A reply reaches the task that called`(setup: Setup) async throws {
    let rounds = scaled(1000)
    let square = Soup.define("square", with: .init(matcher: setup.matcher)) { soup in
      let square = soup.fast("square", of: Int.self, returning: Int.self)
      soup.react(square, on: setup.placement) { call in call.reply(call.input * call.input) }
      return square
    }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for caller in 0..<8 {
        group.addTask {
          var wrong = 0
          for round in 0..<rounds {
            let n = round * 8 + caller
            if try await square(n) != n * n { wrong += 1 }
          }
          return wrong
        }
      }
      for try await wrong in group { #expect(wrong == 0) }
    }
  }

  @Test(arguments: Run.setups)
  func `A firing that joins a call with a molecule replies to exactly one caller`(setup: Setup) async throws {
    let calls = scaled(1000)
    let (take, item) = Soup.define("take", with: .init(matcher: setup.matcher)) { soup in
      let take = soup.fast("take", of: Int.self, returning: [Int].self)
      let item = soup.slow("item", of: Int.self)
      soup.react(take, item, on: setup.placement) { call, value in call.reply([call.input, value]) }
      return (take, item)
    }
    let ledger = Ledger(capacity: 4 * calls)
    let wrong = Tally()
    try await onThreads(8) { thread in
      for _ in 0..<calls {
        if thread < 4 {
          item(ledger.issue()!)
        } else {
          let reply = try take.blocking(thread)
          if reply[0] != thread { wrong.add() }
          ledger.consume(reply[1])
        }
      }
    }
    #expect(wrong.count == 0)
    #expect(ledger.duplicates == 0)
    #expect(ledger.outstanding == 0)
  }

  @Test(arguments: Run.setups)
  func `A later reaction may reply to a call that a state kept`(setup: Setup) async throws {
    let (ask, answer) = Soup.define("later", with: .init(matcher: setup.matcher)) { soup in
      let waiting = soup.state("waiting", [Call<Int, String>]())
      let ask = soup.fast("ask", of: Int.self, returning: String.self)
      let answer = soup.slow("answer", of: String.self)
      soup.react(state: waiting, ask, on: setup.placement) { waiting, call in waiting.append(call) }
      soup.react(state: waiting, answer, on: setup.placement) { waiting, text in
        for call in waiting { call.reply("\(text) \(call.input)") }
        waiting = []
      }
      return (ask, answer)
    }
    async let first = ask(1)
    async let second = ask(2)
    async let third = onThread { try ask.blocking(3) }
    // Before all three calls have arrived, the answers reach only some of them. Then one more reaches the rest.
    let done = Gate()
    async let answers: Void = {
      while !done.isOpen {
        answer("yes")
        await Task.yield()
      }
    }()
    let replies = try await [first, second, third]
    done.open()
    await answers
    #expect(replies == ["yes 1", "yes 2", "yes 3"])
  }

  @Test(arguments: Run.setups)
  func `A task to which the body hands the call may reply`(setup: Setup) async throws {
    let slowly = Soup.define("task", with: .init(matcher: setup.matcher)) { soup in
      let slowly = soup.fast("slowly", of: Int.self, returning: Int.self)
      soup.react(slowly, on: setup.placement) { call in
        Task {
          await Task.yield()
          call.reply(-call.input)
        }
      }
      return slowly
    }
    for n in 1...100 {
      #expect(try await slowly(n) == -n)
      #expect(try await onThread { try slowly.blocking(n) } == -n)
    }
  }

  @Test(arguments: Run.setups)
  func `One of several replies that race for a call wins, and the caller gets its value`(setup: Setup) async throws {
    let rounds = scaled(100)
    let (winners, calls) = (Log<Int>(), Log<Call<Void, Int>>())
    let race = Soup.define("race", with: .init(matcher: setup.matcher)) { soup in
      let race = soup.fast("race", returning: Int.self)
      soup.react(race, on: setup.placement) { call in calls.append(call) }
      return race
    }
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
    let (ping, find, fetch) = Soup.define("replies", with: options) { soup in
      let ping = soup.fast("ping", returning: Void.self)
      let find = soup.fast("find", of: String.self, returning: Int?.self)
      let fetch = soup.fast("fetch", of: Int.self, returning: Page.self)
      soup.react(ping) { $0.reply() }
      soup.react(find) { $0.reply($0.input == "here" ? 1 : nil) }
      soup.react(fetch) { $0.reply(Page(filledWith: UInt64($0.input))) }
      return (ping, find, fetch)
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
