import Crucible
import CrucibleTestSupport
import Testing

/// Contract 9 for all soups of the process. Each test runs in a process of its own, with no other soups.
@Suite(.watched)
struct `All soups of a process` {
  private typealias Counter = (
    add: Injector<Int>, value: FastInjector<Void, Int>, never: Injector<Void>, control: Soup.Control
  )

  private static let line = #line + 2
  private static func counter(_ label: String, _ matcher: Matcher, _ placement: Placement = .pool) -> Counter {
    matcher.on(placement).define(
      slow("add", of: Int.self), fast("value", returning: Int.self), slow("never"), named: label
    ) { soup, add, value, never in
      let counter = soup.state("counter", 0)
      soup.react(state: counter, add) { n, number in n += number }
      soup.react(state: counter, value) { n, call in call.reply(n) }
      soup.react(value, never) { call, _ in call.reply(-1) }
    }
  }

  @Test func `Soup.all lists the living soups, the newest first, with the lines that defined them`() async {
    await #expect(processExitsWith: .success) {
      #expect(Soup.all.definitions == [])
      let first = Self.counter("first", matchers[0])
      var second: Counter? = Self.counter("second", matchers[1])
      let third = Self.counter("third", matchers[2])
      #expect(Soup.all.definitions.map(\.label) == ["third", "second", "first"])
      #expect(Soup.all.definitions.map(\.source) == Array(repeating: Soup.Source(line: Self.line), count: 3))
      #expect(Soup.all.definitions.first?.description == "soup 'third' (\(#fileID):\(Self.line))")
      #expect(Soup.all.count == 3)
      withExtendedLifetime(second) {}
      second = nil
      #expect(Soup.all.definitions.map(\.label) == ["third", "first"], "a soup that is gone is not listed")
      let (inner, _) = matchers[3].define(slow("a"), named: "in the making") { soup, a in
        soup.react(a) { _ in }
        #expect(Soup.all.definitions.map(\.label) == ["in the making", "third", "first"])
        // A control of the soup in the making would end the program if it were used.
        #expect(Soup.all.controls == [third.control, first.control])
      }
      let many = (0..<100).map { Self.counter("\($0)", matchers[$0 % matchers.count]) }
      let newest = Soup.all.definitions.prefix(100).map(\.label)
      #expect(newest == (0..<100).map { "\(99 - $0)" })
      #expect(Soup.all.definitions.count == 103)
      withExtendedLifetime((first, third, inner, many)) {}
    }
  }

  @Test func `Soup.all pauses, inspects, resumes and clears all soups together`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("pause all")
      let soups = (0..<5).map { Self.counter("\($0)", matchers[$0 % matchers.count], $0 % 2 == 0 ? .pool : .inline) }
      Soup.all.pause()
      for (number, soup) in soups.enumerated() { for _ in 0...number { soup.add(1) } }
      #expect(await Soup.all.quiet(within: patience))
      let snapshots = Soup.all.snapshot()
      #expect(snapshots.map(\.soup) == ["4", "3", "2", "1", "0"])
      #expect(snapshots.map { $0["add"] } == [5, 4, 3, 2, 1])
      #expect(snapshots.allSatisfy { $0.isPaused })
      Soup.all.resume()
      #expect(try await onThread { Soup.all.blocking.quiet(within: patience) })
      for (number, soup) in soups.enumerated() {
        let value = try await soup.value()
        #expect(value == number + 1)
      }
      for soup in soups { soup.never() }
      #expect(await Soup.all.quiet(within: patience))
      #expect(Soup.all.clear() == 5)
      #expect(Soup.all.snapshot().allSatisfy { $0["never"] == 0 && $0["counter"] == 1 && !$0.isPaused })
      withExtendedLifetime(soups) {}
    }
  }

  @Test func `Soup.all stops and restarts all soups together`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("stop all")
      let soups = (0..<5).map { Self.counter("\($0)", matchers[$0 % matchers.count], $0 % 2 == 0 ? .pool : .inline) }
      for (number, soup) in soups.enumerated() {
        soup.add(1)
        for _ in 0..<number { soup.never() }
      }
      #expect(await Soup.all.quiet(within: patience))
      let reports = await Soup.all.stop(within: patience)
      #expect(reports.map(\.dropped) == [4, 3, 2, 1, 0])
      #expect(reports.allSatisfy { $0.isQuiet })
      for soup in soups {
        #expect(!soup.add(1))
        for way in WayToCall.allCases {
          let outcome = await way.call(soup.value, ())
          #expect(outcome == .failure(.stopped))
        }
      }
      let again = try await onThread { Soup.all.blocking.stop(within: patience) }
      #expect(again.map(\.description) == Array(repeating: "0 dropped, quiet", count: 5))
      try await Soup.all.restart(within: patience)
      for soup in soups {
        let value = try await soup.value()
        #expect(value == 0, "a restart brings back the first value")
      }
      // A restart does not change soups that run.
      soups[2].add(1)
      await soups[2].control.settle()
      await soups[3].control.stop(within: patience)
      try await onThread { try Soup.all.blocking.restart(within: patience) }
      let value = try await soups[2].value()
      #expect(value == 1)
      #expect(soups[3].add(1))
    }
  }

  @Test func `Soup.all stops every soup before it waits for any, and has one limit for all`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("stop all while bodies run", workers: 8)
      let (begun, gate) = (Latch(3), Gate())
      let soups = (0..<3).map { number in
        matchers[number % matchers.count].react(slow("go"), named: "blocked \(number)") { _ in
          begun.countDown()
          gate.waitBlocking()
        }
      }
      for soup in soups { soup.0() }
      await begun.wait()
      for soup in soups { soup.0() }
      let reports = await Soup.all.stop(within: .microseconds(1))
      #expect(reports.map(\.isQuiet) == [false, false, false])
      #expect(reports.allSatisfy { $0.running.map(\.reaction.pattern) == ["go"] })
      for soup in soups { #expect(!soup.0()) }
      let tooEarly = await Task { try await Soup.all.restart(within: .microseconds(1)) }.result
      #expect("\(tooEarly)".contains("× go"))
      gate.open()
      let again = try await onThread { Soup.all.blocking.stop(within: patience) }
      #expect(again.allSatisfy { $0.isQuiet })
      try await Soup.all.restart(within: patience)
      for soup in soups { #expect(soup.0()) }
      #expect(await Soup.all.quiet(within: patience))
    }
  }

  @Test(arguments: matcherNames)
  func `A body may stop all soups, its own included`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("stop all from inside")
      let reports = Log<[StopReport]>()
      let bystander = Self.counter("bystander", Matcher(matcher)!)
      for placement in [Placement.inline, .pool] {
        let (go, control) = Matcher(matcher)!.react(slow("go"), on: placement) { _ in
          reports.append(Soup.all.blocking.stop(within: patience))
        }
        bystander.never()
        go()
        await control.settle()
        #expect(!go())
        #expect(!bystander.add(1))
        try await Soup.all.restart(within: patience)
      }
      #expect(reports.all.map { $0.map(\.isQuiet) } == [[false, true], [false, true]])
      #expect(reports.all.map { $0.map(\.dropped) } == [[0, 1], [0, 1]])
    }
  }

  @Test func `Soup.all leaves alone a soup whose definition has not ended`() async {
    await #expect(processExitsWith: .success) {
      let reacted = Tally()
      let (a, _) = Matcher.automatic.define(slow("a"), named: "in the making") { soup, a in
        soup.react(a, on: .inline) { _ in reacted.add() }
        a()
        Soup.all.pause()
        #expect(Soup.all.clear() == 0)
        #expect(Soup.all.snapshot().isEmpty)
      }
      #expect(reacted.count == 1)
      #expect(a())
      #expect(reacted.count == 2)
    }
  }
}
