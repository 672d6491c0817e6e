import Crucible
import CrucibleTestSupport
import Testing

/// Bodies that take long, and bodies that stop their own soup.
@Suite(.watched, .serialized)
struct `Stopping a soup while bodies run` {
  @Test(arguments: Run.setups)
  func `A stop ends at its deadline, and reports which bodies still run, with their lines`(setup: Setup) async throws {
    let door = Door()
    let line = #line + 3
    let (go, state, control) = setup.define(slow("go"), slow("with", of: Int.self)) { soup, go, with in
      let state = soup.state("state", 0)
      soup.react(state: state, go, with) { _, _, _ in door.pass() }
    }
    go()
    let body = aside { state(1) }
    await door.waitForVisitors(1)
    go()
    let running = "1 × state & go & with (\(#fileID):\(line))"
    let first = await control.stop(within: .microseconds(1))
    #expect(first.running.map(\.description) == [running])
    #expect(first.description == "1 dropped, not quiet, still running: \(running)")
    let second = try await onThread { control.blocking.stop(within: .microseconds(1)) }
    #expect(!second.isQuiet)
    #expect(second.dropped == 0)
    #expect(second.running == first.running)
    #expect(!go(), "the soup is stopped although a body runs")
    door.open()
    let last = await control.stop(within: patience)
    #expect(last.isQuiet && last.running.isEmpty)
    #expect(control.snapshot()["state"] == 1)
    try await body.value
  }

  @Test(arguments: Run.setups)
  func `A stop from inside a body returns at once, and reports that body`(setup: Setup) async {
    let reports = Log<StopReport>()
    let line = #line + 3
    let (go, wait, control) = setup.define(slow("go"), slow("wait", of: Int.self)) { soup, go, wait in
      let control = soup.control
      soup.react(go) { _ in reports.append(control.blocking.stop(within: patience)) }
      soup.react(wait, wait, wait) { _, _, _ in }
    }
    wait(1)
    wait(2)
    go()
    await control.settle()
    #expect(reports.all.map(\.isQuiet) == [false])
    #expect(reports.all.map(\.dropped) == [2])
    #expect(reports.all.first?.running.map(\.description) == ["1 × go (\(#fileID):\(line))"])
    #expect(!wait(3))
    let second = await control.stop(within: patience)
    #expect(second.isQuiet)
  }

  @Test(arguments: Run.setups)
  func `A stop from another soup's body that is nested in a body of this soup returns at once`(setup: Setup) async {
    let reports = Log<StopReport>()
    let (inner, innerControl) = setup.react(slow("inner", of: Soup.Control.self), on: .inline, named: "inner") {
      outer in reports.append(outer.blocking.stop(within: patience))
    }
    let (outer, control) = setup.define(slow("outer"), named: "outer") { soup, outer in
      let control = soup.control
      soup.react(outer) { _ in inner(control) }
    }
    outer()
    await control.settle()
    await innerControl.settle()
    #expect(reports.all.map(\.isQuiet) == [false], "the stop does not wait for its own body")
    #expect(!outer())
  }

  @Test(arguments: Run.setups)
  func `A stop from a task that a body waits for ends at its deadline, and reports that body`(setup: Setup) async throws
  {
    let reports = Log<StopReport>()
    let line = #line + 3
    let (go, control) = setup.define(slow("go")) { soup, go in
      let control = soup.control
      soup.react(go) { _ in
        let door = Door()
        Task {
          reports.append(await control.stop(within: .microseconds(1)))
          door.open()
        }
        door.pass()
      }
    }
    let body = aside { go() }
    while reports.count == 0 { await Task.yield() }
    try await body.value
    await control.settle()
    #expect(reports.all.map(\.isQuiet) == [false])
    #expect(reports.all.first?.running.map(\.description) == ["1 × go (\(#fileID):\(line))"])
  }

  @Test(arguments: matcherNames)
  func `A stop lets the firings that are reserved run to their end`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("reserved when stopped")
      let soup = await Reserved(10, matcher: matcher)
      let early = await soup.control.stop(within: .microseconds(1))
      #expect(early.dropped == 0, "these molecules are consumed already")
      #expect(!early.isQuiet)
      soup.gate.open()
      let late = await soup.control.stop(within: patience)
      #expect(late.isQuiet)
      #expect(soup.reacted.count == 10)
    }
  }

  @Test(arguments: matcherNames)
  func `A stop by a body of another soup leaves a pool of one worker enough threads`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("stopped by another's body")
      Soup.Pool.workers = 1
      let reports = Log<StopReport>()
      let (work, control) = Matcher(matcher)!.react(slow("work", of: Int.self), named: "work") { _ in }
      let (stop, stopper) = Matcher(matcher)!.react(slow("stop", of: Soup.Control.self)) { control in
        for number in 0..<10 { work(number) }
        reports.append(control.blocking.stop(within: patience))
      }
      stop(control)
      await stopper.settle()
      #expect(reports.all.map(\.isQuiet) == [true])
    }
  }
}
