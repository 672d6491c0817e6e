import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Limits of names with keys: of the molecules of one key, of the keys, and of all molecules together.
@Suite(.watched)
struct `Bounds of keys` {
  @Test func `A call that gives up withdraws no molecule of another name of its key`() async throws {
    let served = Log<Call<Int, Int>>()
    let (call, partner, other, dropping, control) = Soup.define("places") { soup in
      let call = soup.fast("call", of: Int.self, key: \.self, returning: Int.self)
      let partner = soup.slow("partner", of: Int.self, key: \.self)
      let other = soup.slow("other", of: Int.self, key: \.self)
      let dropping = soup.slow("dropping", of: Int.self, key: \.self, capacityOfAll: 10, whenFull: .dropOldest)
      soup.react(call, partner, on: .inline) { call, _ in served.append(call) }
      soup.react(call, other, dropping, partner, on: .inline) { call, _, _, _ in served.append(call) }
      return (call, partner, other, dropping, soup.control)
    }
    let caller = Task { try await call(1, within: .milliseconds(200)) }
    await eventually("the call waits") { control.snapshot()[call] == 1 }
    // The molecules wait where the call has waited, in its order of arrival.
    other(1)
    partner(1)
    dropping(1)
    await #expect(throws: CallError.self) { try await caller.value }
    #expect(control.snapshot(of: 1)[dropping] == 1 && control.snapshot()[call] == 0)
    withExtendedLifetime((call, partner, other, dropping)) {}
  }

  /// A soup whose bodies need a permit of their key.
  private struct Line {
    let put: Injector<Int>
    let permit: Injector<Int>
    let control: Soup.Control
    let done = Log<Int>()
    let other = Log<Int>()

    /// The key of a number is its tens.
    init(
      _ placement: Placement, capacity: Int? = nil, capacityOfAll: Int? = nil, keys: Int? = nil,
      expires: Duration? = nil, clock: any Clock<Duration> = ContinuousClock(),
      whenFull: (Injector<Int>) -> Soup.WhenFull<Int>
    ) {
      let (done, other) = (done, other)
      (put, permit, control) = Soup.define("line", with: .init(placement: placement, clock: clock)) { soup in
        let old = soup.slow("old", of: Int.self)
        let line = soup.slow(
          "line", of: Int.self, key: { $0 / 10 }, expires: expires, capacity: capacity, capacityOfAll: capacityOfAll,
          keys: keys, whenFull: whenFull(old))
        let permit = soup.slow("permit", of: Int.self, key: { $0 })
        soup.react(line, permit) { number, _ in done.append(number) }
        soup.react(old) { number in other.append(number) }
        return (line, permit, soup.control)
      }
    }

    func waiting(_ key: Int) -> Int { control.snapshot(of: key)[put] }

    func fire(_ keys: Int...) async {
      for key in keys {
        permit(key)
        await control.settle()
      }
    }
  }

  private static let placements = [Placement.inline, .pool, .automatic]

  @Test(arguments: placements)
  func `Of each key only so many wait, and a molecule that reacts at once needs no room`(placement: Placement) async {
    let line = Line(placement, capacity: 2) { _ in .refuse }
    #expect([10, 11, 12, 20, 21, 22].map { line.put($0) } == [true, true, false, true, true, false])
    #expect(!line.put.inject(contentsOf: [30, 31, 32]) && line.waiting(3) == 0)
    #expect(line.put.inject(contentsOf: [30, 31]))
    await line.fire(1, 4)
    #expect(line.put(13) && !line.put(14) && line.put(40))
    await line.control.settle()
    #expect(line.done.all == [10, 40] && line.waiting(1) == 2)
    #expect(await line.control.stop().dropped == 6)
    try! await line.control.restart()
    #expect([10, 11, 12].map { line.put($0) } == [true, true, false])
  }

  @Test(arguments: placements)
  func `A full key drops its oldest molecule or the new one, into another name or counted`(placement: Placement) async {
    for (policy, left) in [(Soup.WhenFull<Int>.dropNewest, [10, 11, 20]), (.dropOldest, [12, 13, 20])] {
      let line = Line(placement, capacity: 2) { _ in policy }
      #expect([10, 11, 12, 20, 13].allSatisfy { line.put($0) })
      await line.fire(1, 1, 2)
      #expect(line.done.all == left && line.control.snapshot().dropped == 2)
    }
    for drops in [false, true] {
      let line = Line(placement, capacity: 1) { drops ? .dropOldest(into: $0) : .dropNewest(into: $0) }
      for number in [10, 20, 11, 21, 12] { line.put(number) }
      await line.control.settle()
      #expect(line.other.all.sorted() == (drops ? [10, 11, 20] : [11, 12, 21]))
      #expect(line.control.snapshot().dropped == 0 && line.control.warnings.isEmpty)
    }
  }

  @Test(arguments: placements)
  func `Molecules of only so many keys wait, any number of each`(placement: Placement) async {
    let line = Line(placement, keys: 2) { _ in .refuse }
    #expect([10, 20, 30, 11, 12, 21, 40].map { line.put($0) } == [true, true, false, true, true, true, false])
    await line.fire(2, 2)
    #expect(line.put(30) && !line.put(20), "key 2 has left")
    #expect(line.control.clear(line.put) == 4)
    #expect([50, 60, 70].map { line.put($0) } == [true, true, false])
    let dropping = Line(placement, keys: 1) { .dropOldest(into: $0) }
    #expect([10, 20, 11].allSatisfy { dropping.put($0) })
    await dropping.control.settle()
    #expect(dropping.other.all == [20] && dropping.waiting(1) == 2, "no molecule of key 2 waits that could make room")
  }

  @Test(arguments: placements)
  func `Of all keys together only so many wait, and the oldest of them leaves first`(placement: Placement) async {
    let line = Line(placement, capacity: 2, capacityOfAll: 3) { _ in .refuse }
    #expect([10, 11, 12, 20, 30].map { line.put($0) } == [true, true, false, true, false])
    await line.fire(1)
    #expect(line.put(30) && !line.put(40))
    let keeping = Line(placement, capacityOfAll: 5) { .dropOldest(into: $0) }
    for number in stride(from: 10, to: 200, by: 10) { keeping.put(number) }
    await keeping.control.settle()
    #expect(keeping.other.all.sorted() == Array(stride(from: 10, to: 150, by: 10)))
    #expect(keeping.control.keys(of: keeping.put, as: Int.self).sorted() == [15, 16, 17, 18, 19])
  }

  @Test func `Molecules that expire make room, for their key, for another key and for all`() async {
    let clock = ManualClock()
    let line = Line(.inline, capacity: 1, capacityOfAll: 2, keys: 2, expires: .seconds(5), clock: clock) { _ in .refuse
    }
    #expect([10, 11, 20, 30].map { line.put($0) } == [true, false, true, false])
    await line.control.settle(clock, advancedBy: .seconds(6))
    #expect([30, 31, 40, 10].map { line.put($0) } == [true, false, true, false])
    #expect(line.control.snapshot().dropped == 2)
  }

  @Test func `Molecules that react at once in a soup with contexts count until their body begins`() async {
    let done = Tally()
    let options = Soup.Options(placement: .inline, carriesContext: true)
    let (put, permit, control) = Soup.define("line", with: options) { soup in
      let put = soup.slow("put", of: Int.self, key: { $0 }, capacityOfAll: 2, whenFull: .refuse)
      let permit = soup.slow("permit", of: Int.self, key: { $0 })
      soup.react(put, permit) { _, _ in done.add() }
      return (put, permit, soup.control)
    }
    for key in 0..<5 {
      permit(key)
      #expect(put(key))
    }
    #expect(done.count == 5 && [1, 2, 3].map { put($0) } == [true, true, false])
    #expect(control.clear() == 2)
  }

  @Test func `Each limit acts by itself, and what the limit of a key drops counts no more among all`() async {
    let line = Line(.inline, capacity: 1, capacityOfAll: 3) { .dropNewest(into: $0) }
    #expect([10, 11, 12, 13, 20, 30, 40].allSatisfy { line.put($0) })
    await line.control.settle()
    #expect(line.other.all == [11, 12, 13, 40] && line.control.snapshot()[line.put] == 3)
  }

  @Test func `What a failed body puts back comes on top of the limits`() async {
    let runs = Tally()
    let (put, control) = Soup.define("retry", with: .init(placement: .inline)) { soup in
      let put = soup.slow("put", of: Int.self, key: { _ in 0 }, capacity: 2, keys: 1, whenFull: .refuse)
      soup.react(put, put, recovery: .retry(limit: 3)) { _, _ in
        if runs.add() == 1 {
          put(3)  // takes room that the two of this body had
          throw CancellationError()
        }
      }
      return (put, soup.control)
    }
    #expect(!put.inject(contentsOf: [1, 2, 3]) && put(1) && put(2))
    await control.settle()
    #expect(runs.count == 2 && control.snapshot()[put] == 1 && control.snapshot().dropped == 0)
  }

  @Test func `Injections wait for room of all keys in order, and a drain serves them`() async throws {
    let done = Log<Int>()
    let (put, permit, control) = Soup.define("line") { soup in
      let line = soup.slow("line", of: Int.self, key: { $0 % 2 }, capacityOfAll: 2, whenFull: .wait)
      let permit = soup.slow("permit", of: Int.self, key: { $0 })
      soup.react(line, permit) { number, _ in done.append(number) }
      return (line, permit, soup.control)
    }
    try await put(0)
    try await put(1)
    await #expect(throws: CallError.timedOut) { try await put(2, within: .milliseconds(1)) }
    let third = Task { try await put(3) }
    await eventually("the injection waits") { control.snapshot()["line.put"] == 1 }
    permit(0)
    try await third.value
    await control.settle()
    #expect(control.snapshot()[put] == 2)
    let fourth = Task { try await put(4) }
    await eventually("the injection waits") { control.snapshot()["line.put"] == 1 }
    for key in [1, 1, 0] { permit(key) }
    try await fourth.value
    await control.settle()
    #expect(done.all.sorted() == [0, 1, 3, 4])
  }
}
