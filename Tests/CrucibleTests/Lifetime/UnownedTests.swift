import Crucible
import CrucibleTestSupport
import Testing

/// A soup without owners ends when its bodies only wait for one another.
@Suite(.watched, .serialized)
struct `A soup that nobody owns` {
  @Test(arguments: matchers)
  func `A soup that nobody owns ends a generator's calls with gone, and refuses more`(matcher: Matcher) async throws {
    let census = Census()
    for hasState in [false, true] {
      let (ended, errors, wrong) = (Latch(1), Tally(), Tally())
      func run() async throws -> Int {
        let next = Soup.define("generator", with: matcher.with(onError: { _ in errors.add() })) { soup in
          let kept = soup.state("kept", initially: { census.live() })
          let start = soup.slow("start")
          let after = soup.slow("after", of: Live.self)
          let yield = soup.fast("yield", of: Int.self, returning: Void.self)
          let next = soup.fast("next", returning: Int.self)
          @Sendable func generate() async throws {
            for number in 1... {
              do throws(CallError) {
                try await yield(number)
              } catch {
                let isAccepted = after(census.live())
                let again = await yield.outcome(0).map { 0 }
                if error != .gone || isAccepted || again != .failure(.gone) { wrong.add() }
                ended.countDown()
                throw error
              }
            }
          }
          if hasState {
            soup.react(state: kept, start) { _, _ async throws in try await generate() }
          } else {
            soup.react(start) { _ async throws in try await generate() }
          }
          soup.react(yield, next) { value, call in
            call.reply(value.input)
            value.reply()
          }
          soup.react(state: kept, after) { _, _ in wrong.add() }
          start()
          return next
        }
        return try await next() + next() + next()
      }
      #expect(try await run() == 6)
      await ended.wait()
      await census.expectExtinction()
      #expect(wrong.count == 0)
      #expect(errors.count == 0, "the end of the soup is no error of the body")
    }
  }

  @Test(arguments: matchers)
  func `A soup that nobody owns ends calls with limits, of many bodies at once`(matcher: Matcher) async throws {
    let (census, ended) = (Census(), Log<CallError>())
    let count = 50
    do {
      let (go, _, _, _) = matcher.with(onError: { _ in }).define(
        slow("go", of: Live.self), fast("ask", of: Live.self, returning: Int.self), slow("never"), named: "many"
      ) { soup, go, ask, never in
        soup.react(go) { value async in
          do throws(CallError) {
            _ = value.number.isMultiple(of: 2) ? try await ask(value) : try await ask(value, within: .seconds(3600))
          } catch {
            ended.append(error)
          }
        }
        soup.react(ask, never) { call, _ in call.reply(1) }
      }
      for number in 0..<count { go(census.live(number)) }
    }
    await census.expectExtinction()
    #expect(ended.all == Array(repeating: .gone, count: count))
  }

  @Test(arguments: matchers)
  func `A soup that nobody owns goes on while a body of it does anything but wait`(matcher: Matcher) async {
    let (census, gate, results) = (Census(), Gate(), Log<String>())
    do {
      let (go, _, _, _, _) = matcher.define(
        slow("go"), slow("waits"), fast("ask", returning: Int.self), slow("answer", of: Int.self)
      ) { soup, go, waits, ask, answer in
        let owned = soup.state("owned", initially: { census.live() })
        soup.react(waits) { _ async in
          results.append(await ask.outcome() == .success(7) ? "answered" : "ended")
        }
        soup.react(go) { _ async in
          waits()
          await gate.wait()  // a wait elsewhere: the body is in progress
          answer(7)
        }
        soup.react(state: owned, ask, answer) { _, call, number in call.reply(number) }
      }
      go()
    }
    // The owner has gone, and the one body waits for the other, which waits for a gate.
    for _ in 0..<1000 { await Task.yield() }
    #expect(census.alive == 1)
    #expect(results.all.isEmpty)
    gate.open()
    await census.expectExtinction()
    #expect(results.all == ["answered"])
  }

  @Test(arguments: matchers)
  func `A soup that nobody owns goes on while a body may still get its reply`(matcher: Matcher) async throws {
    let (census, kept) = (Census(), Shared<Call<Int, Int>>(nil))
    let (results, isTaken) = (Log<Result<Int, CallError>>(), Gate())
    do {
      let (go, _, _) = matcher.define(slow("go"), fast("ask", of: Int.self, returning: Int.self)) { soup, go, ask in
        let owned = soup.state("owned", initially: { census.live() })
        soup.react(go) { _ async in results.append(await ask.outcome(20)) }
        soup.react(state: owned, ask) { _, call in
          kept.put(call)
          isTaken.open()
        }
      }
      go()
      await isTaken.wait()
    }
    for _ in 0..<1000 { await Task.yield() }
    #expect(census.alive == 1, "the soup lives until the call is answered")
    #expect(results.all.isEmpty)
    let call = try #require(kept.take())
    #expect(call.reply(call.input + 1))
    await census.expectExtinction()
    #expect(results.all == [.success(21)])
  }
}
