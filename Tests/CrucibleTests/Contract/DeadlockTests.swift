import Crucible
import CrucibleTestSupport
import Testing

/// A call that only the state of the calling body could serve fails, instead of waiting for ever.
@Suite(.watched, .serialized)
struct `A body that calls a molecule which needs its own state` {
  @Test(arguments: Run.setups)
  func `A call for the body's own state throws an error naming soup, molecule and state, and injects nothing`(
    setup: Setup
  ) async throws {
    let errors = Log<CallError>()
    let (go, read, _, control) = setup.define(
      slow("go"), fast("read", of: Int.self, returning: Int.self), fast("write", of: Int.self, returning: Int.self),
      named: "account"
    ) { soup, go, read, write in
      let balance = soup.state("balance", 5)
      soup.react(state: balance, go) { balance, _ in
        do throws(CallError) { balance += try read.blocking(1) } catch { errors.append(error) }
        do throws(CallError) { balance += try read.blocking(1, within: patience) } catch { errors.append(error) }
        balance += 1
      }
      soup.react(state: balance, read) { balance, call in call.reply(balance) }
      soup.react(state: balance, read, write) { balance, read, write in
        read.reply(balance)
        write.reply(balance)
      }
    }
    go()
    await control.settle()
    #expect(errors.count == 2)
    for error in errors.all {
      let deadlock = try #require(error.deadlock)
      #expect(deadlock.soup == "account")
      #expect(deadlock.molecule == "read")
      #expect(deadlock.cause == .state("balance"))
      #expect(
        deadlock.description
          == "Every reaction of soup 'account' that consumes 'read' needs its state 'balance', "
          + "which this very body has."
      )
      #expect(error == .failed(deadlock))
    }
    #expect(control.snapshot()[read] == 0)
    #expect(control.snapshot().withdrawn == 0, "the call was never injected")
    #expect(try await read(1) == 6, "the body went on, and other callers get replies")
  }

  @Test(arguments: Run.setups)
  func `A deadlock error names whichever of the body's two states the call needs`(setup: Setup) async throws {
    let states = Log<String>()
    let (go, control) = setup.define(slow("go")) { soup, go in
      let first = soup.state("first", 0)
      let second = soup.state("second", 0)
      let third = soup.state("third", 0)
      let calls = ["a", "b", "c"].map { soup.fast($0, returning: Int.self) }
      soup.react(state: first, state: second, go) { _, _, _ in
        for call in calls {
          do throws(CallError) { states.append("\(try call.blocking())") } catch {
            if case .state(let state) = error.deadlock?.cause { states.append(state) }
          }
        }
      }
      soup.react(state: first, calls[0]) { _, call in call.reply(1) }
      soup.react(state: second, calls[1]) { _, call in call.reply(2) }
      soup.react(state: third, state: second, calls[1]) { _, _, call in call.reply(2) }
      soup.react(state: third, calls[2]) { _, call in call.reply(3) }
    }
    go()
    await control.settle()
    #expect(states.all == ["first", "second", "3"], "the body does not have the third state")
  }

  @Test(arguments: Run.setups)
  func `A call waits as usual if a reaction without the body's state may serve it`(setup: Setup) async throws {
    let (replies, began) = (Log<Int>(), Gate())
    let (go, help, ask, control) = setup.define(
      slow("go"), slow("help", of: Int.self), fast("ask", returning: Int.self)
    ) { soup, go, help, ask in
      let state = soup.state("state", 1)
      soup.react(state: state, go) { state, _ in
        began.open()
        replies.append((try? ask.blocking()) ?? -1)
        replies.append((try? ask.blocking(within: patience)) ?? -1)
      }
      soup.react(state: state, ask) { state, call in call.reply(state) }
      soup.react(help, ask) { number, call in call.reply(number) }
    }
    let body = aside { go() }
    await began.wait()
    for number in [10, 20] {
      while control.snapshot()[ask] == 0 { await Task.yield() }
      help(number)
      if number == 10 { while replies.count == 0 { await Task.yield() } }
    }
    try await body.value
    await control.settle()
    #expect(replies.all == [10, 20])
  }

  @Test(arguments: Run.setups)
  func `A body with a state may call a molecule of another soup, or of another component`(setup: Setup) async {
    let replies = Log<Int>()
    let (read, _) = setup.define(fast("read", returning: Int.self)) { soup, read in
      let state = soup.state("state", 1)
      soup.react(state: state, read) { state, call in call.reply(state) }
    }
    let (go, _, control) = setup.define(slow("go"), fast("near", returning: Int.self)) { soup, go, near in
      let state = soup.state("state", 0)
      let far = soup.state("far", 2)
      soup.react(state: far, near) { far, call in call.reply(far) }
      soup.react(state: state, go) { _, _ in
        replies.append((try? read.blocking()) ?? -1)
        replies.append((try? near.blocking()) ?? -1)
      }
    }
    go()
    await control.settle()
    #expect(replies.all == [1, 2])
  }
}

/// No reaction fires before the definition has ended.
@Suite(.watched, .serialized)
struct `A blocking call inside its own definition` {
  @Test(arguments: Run.setups)
  func `A blocking call in its own definition throws an error naming soup, molecule and line, and injects nothing`(
    setup: Setup
  ) async throws {
    let errors = Log<CallError>()
    let (read, control) = setup.define(fast("read", of: Int.self, returning: Int.self), named: "early") { soup, read in
      do throws(CallError) { _ = try read.blocking(1) } catch { errors.append(error) }
      soup.react(read) { call in call.reply(call.input + 1) }
      do throws(CallError) { _ = try read.blocking(1, within: patience) } catch { errors.append(error) }
    }
    #expect(errors.count == 2)
    for error in errors.all {
      let deadlock = try #require(error.deadlock)
      guard case .definition(let call) = deadlock.cause else {
        Issue.record("another cause: \(deadlock)")
        continue
      }
      #expect(call.contains("DeadlockTests.swift:"))
      #expect(
        deadlock.description
          == "'read' was called, blocking, inside the definition of its soup 'early' (\(call)): "
          + "no reaction replies before the definition has ended. Call it after that.")
    }
    #expect(control.snapshot()[read] == 0)
    #expect(control.snapshot().withdrawn == 0, "the call was never injected")
    for way in WayToCall.allCases { #expect(await way.call(read, 1) == .success(2)) }
  }

  @Test(arguments: Run.setups)
  func `A blocking call in a definition may wait on another thread, or for another soup`(setup: Setup) async throws {
    let (other, _) = setup.react(fast("ask", returning: Int.self)) { call in call.reply(2) }
    let (replies, calls) = (Log<Int>(), Log<Task<Void, any Error>>())
    let (read, _) = setup.define(fast("read", returning: Int.self)) { soup, read in
      soup.react(read) { call in call.reply(1) }
      calls.append(aside { replies.append((try? read.blocking()) ?? -1) })
      calls.append(Task { replies.append(try await read()) })
      replies.append((try? other.blocking()) ?? -1)
    }
    for call in calls.all { try await call.value }
    #expect(replies.all.sorted() == [1, 1, 2])
    #expect(try await read() == 1)
  }
}

extension CallError {
  var deadlock: Deadlock? { if case .failed(let deadlock as Deadlock) = self { deadlock } else { nil } }
}
