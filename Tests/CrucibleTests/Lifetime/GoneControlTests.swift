import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Contract 9 and 7: names and controls that do not own their soup.
@Suite(.watched, .serialized)
struct `Names and controls of a soup that is gone` {
  @Test(arguments: matchers)
  func `The control of a soup that is gone does nothing`(matcher: Matcher) async throws {
    let census = Census()
    let (a, _, control, owner) = unowned(
      matcher.react(slow("a", of: Live.self), slow("never"), named: "gone") { _, _ in })
    a(census.live())
    _ = owner.take()
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
        let (_, _, control, owner) = unowned(
          Matcher(matcher)!.define(slow("go"), slow("end")) { soup, go, end in
            let list = soup.state("list", initially: { [1, 2, 3] })
            soup.react(state: list, go, end) { list, _, _ in list.append(4) }
          })
        if isStopped { await control.stop(within: patience) }
        _ = owner.take()
        await #expect(throws: RestartError.notStopped) { try await control.restart() }
        await #expect(throws: RestartError.notStopped) { try await onThread { try control.blocking.restart() } }
      }
    }
  }

  @Test(arguments: Run.setups)
  func `A stop ends well if the soup goes meanwhile`(setup: Setup) async throws {
    try await explore(schedules: 50, seed: 1) { world in
      let census = Census()
      let (a, _, control, owner) = unowned(
        setup.define(slow("a", of: Live.self), slow("b")) { soup, a, b in
          soup.react(a, a, a) { _, _, _ in }
          soup.react(b) { _ in }
        })
      for number in 0..<4 { a(census.live(number)) }
      world.thread("stop") {
        let report = control.blocking.stop(within: patience)
        #expect(report.isQuiet && report.dropped <= 1)
      }
      world.thread("clear") { control.clear() }
      world.thread("pause") { control.pause() }
      world.thread("end") { _ = owner.take() }
      await world.quiet()
      #expect(census.alive == 0)
    }
  }

  @Test(arguments: matchers)
  func `Injections into a soup that is gone log one warning, with the name and its line`(matcher: Matcher) async {
    await #expect(processExitsWith: .success) { [matcher = "\(matcher)" as String] in
      let logged = Log<Soup.Warning>()
      Soup.Warning.log = { logged.append($0) }
      var escaped: Injector<Int>?
      Soup.define("left", with: .init(matcher: Matcher(matcher)!)) { soup in
        let a = soup.slow("a", of: Int.self)
        soup.react(a) { _ in }
        escaped = a
      }
      for number in 1...2 { escaped!(number) }
      let gone = logged.all.filter { $0.kind == .gone }
      #expect(gone.map(\.subject) == ["a"])
      #expect(gone[0].source.file == #fileID)
      #expect(gone[0].description.contains("soup 'left'") && gone[0].description.contains("owning()"))
    }
  }
}
