import Crucible
import CrucibleTestSupport
import Testing

/// Contract 9 and 7: control that does not own its soup.
@Suite(.watched, .serialized)
struct `Control of a soup that is gone` {
  @Test(arguments: matchers)
  func `The control of a soup that is gone does nothing`(matcher: Matcher) async throws {
    var smuggled: Soup.Control?
    let census = Census()
    do {
      let _: Injector<Live> = Soup.define("gone", with: .init(matcher: matcher)) { soup in
        let a = soup.slow("a", of: Live.self)
        let never = soup.slow("never")
        soup.react(a, never) { _, _ in }
        a(census.live())
        smuggled = soup.control
        return a
      }
    }
    let control = smuggled!
    #expect(census.alive == 0)
    control.pause()
    control.resume()
    #expect(control.clear() == 0)
    for report in [await control.stop(), try await onThread { control.blocking.stop() }] {
      #expect(report.description == "0 dropped, quiet")
    }
    await #expect(throws: RestartError.notStopped) { try await control.restart() }
    await #expect(throws: RestartError.notStopped) { try await onThread { try control.blocking.restart() } }
    #expect(control.snapshot()["a"] == 0 && control.snapshot().dropped == 0 && control.snapshot().pending == 0)
    #expect(control.description.contains("'gone'"))
    #expect(await control.quiet(within: patience))
    #expect(control.owning().snapshot()["a"] == 0)
  }

  @Test(arguments: matcherNames)
  func `The control of a soup that is gone restarts nothing, whatever its states were`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("restart of a soup that is gone")
      for isStopped in [false, true] {
        var smuggled: Soup.Control?
        do {
          let (_, owner): (Injector<Void>, Soup.Control) = Soup.define("gone", with: .init(matcher: Matcher(matcher)!))
          { soup in
            let list = soup.state("list", initially: { [1, 2, 3] })
            let go = soup.slow("go")
            soup.react(state: list, go) { list, _ in list.append(4) }
            smuggled = soup.control
            return (go, soup.control)
          }
          if isStopped { await owner.stop(within: patience) }
        }
        let control = smuggled!
        await #expect(throws: RestartError.notStopped) { try await control.restart() }
        await #expect(throws: RestartError.notStopped) { try await onThread { try control.blocking.restart() } }
      }
    }
  }

  @Test(arguments: Run.setups)
  func `A stop ends well if the soup goes meanwhile`(setup: Setup) async throws {
    let census = Census()
    for round in 0..<scaled(40) {
      let (owner, smuggled) = (Shared<Injector<Live>>(nil), Shared<Soup.Control>(nil))
      owner.put(
        Soup.define("going", with: .init(matcher: setup.matcher)) { soup in
          let a = soup.slow("a", of: Live.self)
          soup.react(a, a, a, on: setup.placement) { _, _, _ in }
          smuggled.put(soup.control)
          return a
        })
      let control = smuggled.value!
      let meeting = Rendezvous(3)
      let reports = try await onThreads(3) { thread -> StopReport? in
        for number in 0..<4 where thread == 2 { owner.value?(census.live(number)) }
        meeting.meet()
        if thread == 0 { return control.blocking.stop(within: patience) }
        if thread == 1 {
          if round % 2 == 0 { control.clear() } else { control.pause() }
        } else {
          _ = owner.take()
        }
        return nil
      }
      let report = try #require(reports[0])
      #expect(report.isQuiet)
      #expect(report.dropped <= 1)
    }
    await census.expectExtinction()
  }
}
