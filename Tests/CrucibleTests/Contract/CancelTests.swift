import Crucible
import CrucibleTestSupport
import Testing

/// Bodies whose tasks are cancelled by a stop, or by the release of the last owner of their soup.
@Suite(.watched, .serialized)
struct `Cancelling bodies` {
  @Test(arguments: matchers)
  func `A stop that cancels ends sleeping bodies, and those that begin meanwhile`(matcher: Matcher) async throws {
    let (ended, begun, errors) = (Log<String>(), Latch(3), Log<String>())
    let (go, other, control) = matcher.with(onError: { errors.append("\($0.error)") }).define(
      slow("go", of: Int.self), slow("other", of: Int.self)
    ) {
      soup, go, other in
      let state = soup.state("state", 0)
      soup.react(go) { number async throws in
        begun.countDown()
        do { try await Task.sleep(for: .seconds(3600)) } catch { ended.append("\(number) \(type(of: error))") }
        try Task.checkCancellation()
      }
      // These run one after the other, because they share a state.
      soup.react(state: state, other) { state, number async throws in
        begun.countDown()
        state += 1
        do { try await Task.sleep(for: .seconds(3600)) } catch { ended.append("\(number) \(type(of: error))") }
        if number == 3 { throw CallError.cleared }
      }
    }
    for isBlocking in [false, true] {
      for number in 0..<2 { go(number) }
      other(2)
      other(3)
      if !isBlocking { await begun.wait() }
      let report =
        isBlocking
        ? try await onThread { control.blocking.stop(cancelling: true, within: patience) }
        : await control.stop(cancelling: true, within: patience)
      #expect(report.isQuiet)
      if !isBlocking {
        #expect(ended.all.sorted() == ["0 CancellationError", "1 CancellationError", "2 CancellationError"])
      }
      try await control.restart(within: patience)
    }
    #expect(errors.all.allSatisfy { $0 != "CancellationError()" }, "a cancelled body reports no error")
  }

  @Test(arguments: matchers)
  func `The option whenUnowned .cancel ends a loop once the last owner goes`(matcher: Matcher) async throws {
    let census = Census()
    for isSleeping in [true, false] {
      let turns = Tally()
      do {
        let stop = Soup.define("ticker", with: .init(matcher: matcher, whenUnowned: .cancel)) { soup in
          let owned = soup.state("owned", initially: { census.live() })
          let tick = soup.slow("tick")
          let stop = soup.slow("stop")
          soup.react(tick) { _ async throws in
            turns.add()
            if isSleeping {
              try await Task.sleep(for: turns.count < 20 ? .zero : .seconds(3600))
            } else {
              try Task.checkCancellation()
              await Task.yield()
            }
            tick()
          }
          soup.react(state: owned, stop) { _, _ in }
          tick()
          return stop
        }
        while turns.count < 20 { await Task.yield() }
        #expect(census.alive == 1)
        withExtendedLifetime(stop) {}
      }
      await census.expectExtinction()
    }
  }

  @Test(arguments: matchers, [false, true])
  func `A body is not cancelled by a stop, or because its soup has no owner, unless the program says so`(
    matcher: Matcher, isStopped: Bool
  ) async {
    let (census, gate, begun, isCancelled) = (Census(), Gate(), Gate(), Log<Bool>())
    do {
      let (go, control) = matcher.define(slow("go")) { soup, go in
        let owned = soup.state("owned", initially: { census.live() })
        soup.react(state: owned, go) { _, _ async in
          begun.open()
          await gate.wait()
          isCancelled.append(Task.isCancelled)
        }
      }
      go()
      await begun.wait()
      if isStopped { #expect(await !control.stop(within: .microseconds(1)).isQuiet) }
    }
    gate.open()
    await census.expectExtinction()
    #expect(isCancelled.all == [false])
  }
}
