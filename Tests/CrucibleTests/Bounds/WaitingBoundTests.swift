import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Names for whose room injections wait.
@Suite(.watched)
struct `Bounds that injections wait for` {
  private struct Line {
    let put: BoundedInjector<Int>
    let permit: Injector<Void>
    let control: Soup.Control
    let done = Log<Int>()

    init(_ setup: Setup, capacity: Int, clock: any Clock<Duration> = ContinuousClock()) {
      let done = done
      let options = Soup.Options(matcher: setup.matcher, placement: setup.placement, clock: clock)
      (put, permit, control) = Soup.define("line", with: options) { soup in
        let line = soup.slow("line", of: Int.self, capacity: capacity, whenFull: .wait)
        let permit = soup.slow("permit")
        soup.react(line, permit) { number, _ in done.append(number) }
        return (line, permit, soup.control)
      }
    }

    /// Begins an injection, and returns when it waits.
    func begin(_ number: Int) async -> Task<CallError?, Never> {
      let before = waiting
      let put = put
      let task = Task { () -> CallError? in
        do throws(CallError) { try await put(number) } catch { return error }
        return nil
      }
      await eventually("the injection waits") { waiting == before + 1 }
      return task
    }

    var waiting: Int { control.snapshot()["line.put"]! }
  }

  @Test(arguments: Run.setups)
  func `Injections go on in order as molecules react, and never exceed the capacity`(setup: Setup) async throws {
    let line = Line(setup, capacity: 2)
    try await line.put(1)
    try await onThread { try line.put.blocking(2) }
    var waiting: [Task<CallError?, Never>] = []
    for number in 3...5 { waiting.append(await line.begin(number)) }
    #expect(line.control.snapshot()[line.put] == 2)
    for (index, task) in waiting.enumerated() {
      line.permit()
      #expect(await task.value == nil && line.waiting == 2 - index)
      #expect(line.control.snapshot()[line.put] <= 2)
    }
    line.permit.inject(count: 2)
    await line.control.settle()
    #expect(line.done.all.sorted() == [1, 2, 3, 4, 5])
  }

  @Test(arguments: Run.setups)
  func `An injection that gives up injects nothing, and its place is free again`(setup: Setup) async throws {
    let clock = ManualClock()
    let line = Line(setup, capacity: 1, clock: clock)
    try await line.put(1)
    let cancelled = await line.begin(2)
    cancelled.cancel()
    #expect(await cancelled.value == .cancelled)
    await #expect(throws: CallError.timedOut) { try await line.put(3, within: .zero) }
    let last = await line.begin(4)
    line.permit()
    #expect(await last.value == nil)
    line.permit.inject(count: 2)
    await line.control.settle()
    #expect(line.done.all == [1, 4])
  }

  @Test(arguments: Run.setups)
  func `A stop ends those that wait, and a restart has all of the room`(setup: Setup) async throws {
    let line = Line(setup, capacity: 2)
    for number in 1...2 { try await line.put(number) }
    let waiting = await line.begin(3)
    let stop = await line.control.stop()
    #expect(stop.dropped == 3 && stop.isQuiet)
    #expect(await waiting.value == .stopped)
    try await line.control.restart()
    for number in 4...5 { try await line.put(number) }
    #expect(line.control.snapshot()["line.room"] == 0)
    await #expect(throws: CallError.timedOut) { try await line.put(6, within: .zero) }
    await line.control.settle()  // another thread may inject the last molecule after its caller has returned
    #expect(line.control.clear(line.put) == 2)
    for number in 7...8 { try await line.put(number) }
  }

  @Test(arguments: matchers)
  func `A drain lets those that wait put their molecules in`(matcher: Soup.Matcher) async throws {
    let (gate, done) = (Gate(), Log<Int>())
    let (line, other, control) = Soup.define("line", with: .init(matcher: matcher)) { soup in
      let busy = soup.state("busy", false)
      let line = soup.slow("line", of: Int.self, capacity: 1, whenFull: .wait)
      let other = soup.slow("other")
      soup.react(state: busy, line, on: .pool) { _, number in
        gate.waitBlocking()
        done.append(number)
      }
      soup.react(other) { _ in }
      return (line, other, soup.control)
    }
    try await line(1)
    async let second: Void = line(2)
    async let third: Void = line(3)
    await eventually("one waits") { control.snapshot()["line.put"] == 1 }
    async let report = control.drain(within: patience)
    await eventually("the soup is drained") { !other() }
    gate.open()
    #expect(await report.isQuiet)
    _ = try await (second, third)
    #expect(done.all.sorted() == [1, 2, 3])
  }
}
