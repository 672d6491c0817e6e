import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Names with a capacity: never more molecules than that, and nothing is lost that is not told.
@Suite(.watched)
struct `Bounds` {
  /// A soup whose bodies need a permit, which the tests give out.
  private struct Line {
    let put: Injector<Int>
    let permit: Injector<Void>
    let control: Soup.Control
    let done = Log<Int>()
    let other = Log<Int>()

    init(
      _ setup: Setup, capacity: Int, options: Soup.Options = .init(),
      whenFull: (Injector<Int>) -> Soup.WhenFull<Int>
    ) {
      var options = options
      (options.matcher, options.placement) = (setup.matcher, setup.placement)
      let (done, other) = (done, other)
      (put, permit, control) = Soup.define("line", with: options) { soup in
        let old = soup.slow("old", of: Int.self)
        let line = soup.slow("line", of: Int.self, capacity: capacity, whenFull: whenFull(old))
        let permit = soup.slow("permit")
        soup.react(line, permit) { number, _ in done.append(number) }
        soup.react(old) { number in other.append(number) }
        return (line, permit, soup.control)
      }
    }
  }

  @Test(arguments: Run.setups)
  func `A full name refuses a molecule, and takes one again when another has reacted`(setup: Setup) async {
    let line = Line(setup, capacity: 3) { _ in .refuse }
    #expect((1...5).map { line.put($0) } == [true, true, true, false, false])
    #expect(!line.put.inject(contentsOf: [8, 9]) && line.control.snapshot()[line.put] == 3)
    line.permit.inject(count: 2)
    await line.control.settle()
    #expect(line.put.inject(contentsOf: [6, 7]) && !line.put(8))
    #expect(line.control.clear(line.put) == 3)
    #expect((1...4).map { line.put($0) } == [true, true, true, false])
    #expect(await line.control.stop().dropped == 3)
    try! await line.control.restart()
    #expect((1...4).map { line.put($0) } == [true, true, true, false])
    #expect(line.done.all.sorted() == [1, 2])
  }

  @Test(arguments: Run.setups)
  func `A full name drops its oldest molecule or the new one, into another name or counted`(setup: Setup) async {
    for (policy, left) in [(Soup.WhenFull<Int>.dropNewest, [1, 2, 3]), (.dropOldest, [3, 4, 5])] {
      let line = Line(setup, capacity: 3) { _ in policy }
      #expect((1...5).allSatisfy { line.put($0) } && line.control.snapshot()[line.put] == 3)
      for _ in 1...3 {
        line.permit()
        await line.control.settle()
      }
      #expect(line.done.all == left && line.control.snapshot().dropped == 2)
    }
    for drops in [false, true] {
      let line = Line(setup, capacity: 3) { drops ? .dropOldest(into: $0) : .dropNewest(into: $0) }
      for number in 1...5 { line.put(number) }
      await line.control.settle()
      #expect(line.other.all.sorted() == (drops ? [1, 2] : [4, 5]) && line.control.snapshot().dropped == 0)
      #expect(line.control.warnings.isEmpty, "'old' counts as injected")
    }
  }

  @Test func `What waits for a thread of the pool counts until its body begins`() async {
    let (gate, begun) = (Gate(), Latch(1))
    let (job, control) = Soup.define("jobs") { soup in
      let idle = soup.state("idle", 0)
      let job = soup.slow("job", of: Int.self, capacity: 2, whenFull: .refuse)
      soup.react(state: idle, job, on: .pool) { _, _ in
        begun.countDown()
        gate.waitBlocking()
      }
      return (job, soup.control)
    }
    #expect(job(1))
    await begun.wait()
    #expect(job(2) && job(3) && !job(4))
    gate.open()
    await control.settle()
    #expect(job(5))
    await control.settle()
  }

  @Test(arguments: Run.setups)
  func `A molecule that a failed body puts back is not lost, and takes no room for good`(setup: Setup) async {
    let line = Tally()
    let (put, control) = Soup.define("retry", with: .init(matcher: setup.matcher, placement: setup.placement)) { soup in
      let put = soup.slow("put", of: Int.self, capacity: 1, whenFull: .refuse)
      let go = soup.slow("go", of: Void.self, capacity: 1, whenFull: .refuse)
      let second = soup.slow("second", of: Int.self)
      soup.react(put, go, recovery: .retry(limit: 3)) { number, _ in
        if line.add() == 1 {
          // What follows takes the places of what this body puts back.
          put(number + 1)
          go()
          throw CancellationError()
        }
        second(number)
      }
      soup.react(second) { _ in }
      return ((put, go), soup.control)
    }
    #expect(put.0(1) && put.1())
    await control.settle()
    #expect(line.count == 3, "the first body twice, and the second")
    #expect(put.0(7) && !put.0(8))
  }

  @Test(arguments: matchers)
  func `Molecules of a soup with contexts count as well, with and without values`(matcher: Soup.Matcher) async {
    let done = Tally()
    let (tick, line, early, go, control) = Soup.define("ticks", with: .init(matcher: matcher)) { soup in
      let tick = soup.slow("tick", of: Void.self, capacity: 1, whenFull: .dropNewest)
      let line = soup.slow("line", of: String.self, capacity: 1, whenFull: .dropOldest)
      let go = soup.slow("go")
      let early = soup.slow("early", of: String.self, capacity: 1, whenFull: .refuse)
      soup.react(tick, line, go) { _, _, _ async in done.add() }
      soup.react(early, soup.slow("never")) { _, _ async in }
      for text in ["a", "b", "c"] { early(text) }
      return (tick, line, early, go, soup.control)
    }
    for _ in 0..<3 {
      tick()
      line("a")
    }
    let snapshot = control.snapshot()
    #expect(snapshot[tick] == 1 && snapshot[line] == 1 && snapshot[early] == 1 && snapshot.dropped == 6)
    go()
    await control.settle()
    #expect(done.count == 1 && tick() && line("b") && control.snapshot()[line] == 1)
  }

  @Test(arguments: Run.setups)
  func `What a select puts back because another branch was taken counts once`(setup: Setup) async throws {
    let options = Soup.Options(matcher: setup.matcher, placement: setup.placement)
    try await explore(schedules: 50, seed: 1) { world in
      let lines = (1...2).map { _ in
        Soup.define("line", with: options) { soup in
          let line = soup.slow("line", of: Int.self, capacity: 1, whenFull: .refuse)
          let take = soup.fast("take", returning: Int.self)
          soup.react(line, take) { number, call in call.reply(number) }
          return (line, take, soup.control)
        }
      }
      for (put, _, _) in lines { world.thread("put") { put(1) } }
      _ = try await Soup.first(of: lines[0].1.call(), lines[1].1.call())
      await world.quiet()
      for (put, _, control) in lines {
        let waits = control.snapshot()[put]
        #expect(waits <= 1 && put(2) == (waits == 0) && !put(3))
        #expect(control.clear() == 1)
      }
    }
  }

  @Test(arguments: matchers)
  func `Of molecules of several components none is injected if one finds no room`(matcher: Soup.Matcher) {
    let (free, line, control) = Soup.define("line", with: .init(matcher: matcher)) { soup in
      let free = soup.slow("free", of: Int.self)
      let line = soup.slow("line", of: Int.self, capacity: 1, whenFull: .refuse)
      for name in [free, line] { soup.react(name, soup.slow("never \(name)")) { _, _ in } }
      return (free, line, soup.control)
    }
    #expect(Soup.inject((free, 1), (line, 2)) && control.clear() == 2)
    #expect(line(1) && !Soup.inject((free, 1), (line, 2)))
    #expect(control.snapshot()[free] == 0 && control.clear() == 1 && line(3))
  }

  @Test func `What a timer, an expiry or another full name finds no room for is counted as dropped`() async {
    let clock = ManualClock()
    let (line, keyed, news, control) = Soup.define("line", with: .init(clock: clock)) { soup in
      let line = soup.slow("line", of: Int.self, capacity: 1, whenFull: .refuse)
      let keyed = soup.slow("keyed", of: Int.self, key: \.self, expires: .seconds(1), into: line)
      let news = soup.slow("news", of: Int.self, capacity: 1, whenFull: .dropOldest(into: line))
      soup.react(line, soup.slow("never")) { _, _ in }
      soup.react(keyed, keyed) { _, _ in }
      soup.react(news, soup.slow("no news")) { _, _ in }
      return (line, keyed, news, soup.control)
    }
    #expect(line(0) && keyed(1) && news(2) && news(3))
    line.after(.seconds(1), 4)
    await control.settle(clock, advancedBy: .seconds(2))
    #expect(control.snapshot()[line] == 1 && control.snapshot().dropped == 3)
    #expect(await control.stop().dropped == 2)
  }
}
