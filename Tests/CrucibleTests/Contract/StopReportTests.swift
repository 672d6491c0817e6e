import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Contract 1, the reports of control: each accepted molecule was consumed, or one report counts it, once.
@Suite(.watched, .serialized)
struct `The reports of control` {
  /// How the jobs of a soup wait, and how many names the soup has.
  enum Shape: CaseIterable { case alone, full, wide }

  /// A soup with jobs that react one at a time, and that wait meanwhile.
  private func jobs(
    _ setup: Setup, _ shape: Shape, _ done: Tally
  ) -> (job: Injector<Int>, next: Injector<Int>, control: Soup.Control) {
    Soup.define("jobs", with: .init(matcher: setup.matcher)) { soup in
      let worker = soup.state("worker", 0)
      let job = soup.slow("job", of: Int.self)
      let next = soup.slow("next", of: Int.self)
      soup.react(state: worker, job, on: setup.placement) { count, _ in
        count += 1
        done.add()
      }
      let never = soup.slow("never")
      soup.react(next, job, never) { _, _, _ in }
      // Narrow fields; or fields in several words.
      let others = (0..<(shape == .alone ? 0 : shape == .full ? 24 : 40)).map { soup.slow("other \($0)") }
      if !others.isEmpty { soup.react(job, others) { _, _ in } }
      return (job, next, soup.control)
    }
  }

  @Test(arguments: Run.setups, Shape.allCases)
  func `A stop that races with injections reports what no body got`(setup: Setup, shape: Shape) async throws {
    for round in 0..<scaled(40) {
      let (done, accepted) = (Tally(), Tally())
      let (job, next, control) = jobs(setup, shape, done)
      let reports = try await onThreads(3) { thread -> StopReport? in
        if thread == 0 {
          for _ in 0..<round % 8 * 40 { _ = control.snapshot().isStopped }
          return control.blocking.stop(within: patience)
        }
        for number in 0..<100_000 {
          let isTaken = thread == 1 ? job(number) : number % 3 > 0 ? next(number) : next.inject(contentsOf: [1, 2])
          if !isTaken { break }
          accepted.add(thread == 2 && number % 3 == 0 ? 2 : 1)
        }
        return nil
      }
      let report = reports[0]!
      #expect(report.isQuiet)
      #expect(accepted.count == done.count + report.dropped, "in round \(round), \(report)")
      let again = await control.stop(within: patience)
      #expect(again.dropped == 0, "told already")
    }
  }

  @Test(arguments: Run.setups)
  func `Stops, clears and restarts that race with injections tell each drop once`(setup: Setup) async throws {
    let (done, accepted, told) = (Tally(), Tally(), Tally())
    let isOver = Gate()
    let (job, next, control) = jobs(setup, .alone, done)
    try await onThreads(4) { thread in
      if thread >= 2 {
        for number in 0... {
          if isOver.isOpen { return }
          if thread == 2 ? job(number) : next(number) { accepted.add() }
        }
      }
      for turn in 0..<scaled(60) {
        switch (turn + thread) % 3 {
        case 0: told.add(control.clear())
        case 1: told.add(control.clear(job) + control.clear(next))
        default:
          told.add(control.blocking.stop(within: patience).dropped)
          try? control.blocking.restart(within: patience)
        }
      }
      if thread == 0 { isOver.open() }
    }
    let report = await control.stop(within: patience)
    #expect(report.isQuiet)
    #expect(accepted.count == done.count + told.count + report.dropped)
    #expect(control.snapshot().dropped == told.count + report.dropped)
  }

  @Test(arguments: matchers)
  func `A stop reports the timers that it ends, and a second stop does not`(matcher: Matcher) async {
    let clock = ManualClock()
    let (late, beat, control) = matcher.with(clock: clock).define(slow("late", of: Int.self), slow("beat")) {
      soup, late, beat in
      soup.react(late) { _ in }
      soup.react(beat) { _ in }
    }
    for number in 1...3 { late.after(.seconds(number), number) }
    beat.every(.seconds(1))
    late.after(.seconds(9), 0).cancel()
    let report = await control.stop(within: patience)
    #expect(report.timers.map(\.label) == ["late", "beat"])
    #expect(report.timers.map(\.count) == [3, 1])
    #expect(report.timers.map(\.next) == [.seconds(1), .seconds(1)])
    #expect(report.description == "0 dropped, timers ended: 3 × late, 1 × beat, quiet")
    #expect(await control.stop(within: patience).description == "0 dropped, quiet")
  }

  @Test(arguments: matchers)
  func `A stop and a drain count the values that a molecule holds, once`(matcher: Matcher) async throws {
    let (rows, control) = Soup.define("rows", with: .init(matcher: matcher)) { soup in
      let rows = soup.slow("rows", of: [Int].self, holding: { $0.count })
      let never = soup.slow("never")
      soup.react(rows, never) { _, _ in }
      return (rows, soup.control)
    }
    for isDrained in [false, true] {
      rows([1])
      #expect(control.clear() == 1)
      for count in 0...3 { rows(Array(repeating: 0, count: count)) }
      let dropped = control.snapshot().dropped
      if isDrained {
        #expect(await control.drain(within: patience).unfinished.map(\.molecules) == [7])
      } else {
        #expect(await control.stop(within: patience).dropped == 7)
      }
      #expect(control.snapshot().dropped == dropped + 4)
      #expect(await control.stop(within: patience).dropped == 0)
      try await control.restart(within: patience)
    }
  }

  @Test(arguments: Run.setups)
  func `A drain with armed timers says what became of each job, and no body runs after it`(setup: Setup) async {
    for _ in 0..<scaled(20) {
      let done = Tally()
      let (job, _, control) = setup.matcher.define(slow("job", of: Int.self), slow("again", of: Int.self)) {
        soup, job, again in
        soup.react(job) { number in again.after(.microseconds(number % 2000), number) }
        soup.react(again, on: setup.placement) { _ in done.add() }
      }
      let accepted = (0..<500).count { job($0 * 7) }
      let report = await control.drain(within: patience)
      let doneAtEnd = done.count
      #expect(report.isQuiet)
      #expect(report.unfinished.allSatisfy { $0.label == "again" })
      let left = report.unfinished.reduce(0) { $0 + $1.molecules } + report.timers.reduce(0) { $0 + $1.count }
      #expect(doneAtEnd + left == accepted, "\(report)")
      await control.settle()
      #expect(done.count == doneAtEnd, "a body ran after the drain")
    }
  }
}
