import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@Suite(.watched)
struct `Joined sequences` {
  private typealias Numbers = Match<Int, Int>

  private static func join(
    _ left: Channel<Int>, _ right: Channel<Int>, _ unmatched: Unmatched, limit: Int = 1_000, _ clock: ManualClock
  ) -> JoinedSequence<Int, Int> {
    // The keys of numbers are their last digits.
    joined(
      left, right, by: { $0 % 10 }, { $0 % 10 }, within: .seconds(5), keeping: unmatched, limit: limit,
      options: .init(clock: clock))
  }

  @Test(arguments: [Unmatched.none, .left, .both])
  func `Each element comes out once, in a pair or alone, and the loop ends after both sides`(
    unmatched: Unmatched
  ) async throws {
    let (left, right) = (Channel<Int>(.unbounded), Channel<Int>(.unbounded))
    for number in 0..<8 { left.trySend(number) }
    for number in 4..<10 { right.trySend(10 + number) }
    for number in [24, 34] { right.trySend(number) }
    left.close()
    right.close()
    var found: [Numbers] = []
    for try await match in Self.join(left, right, unmatched, ManualClock()) { found.append(match) }
    var pairs = 0
    var (lefts, rights): ([Int], [Int]) = ([], [])
    for match in found {
      switch match {
      case .both(let left, let right):
        #expect(right == left + 10)
        pairs += 1
      case .left(let number): lefts.append(number)
      case .right(let number): rights.append(number)
      }
    }
    #expect(pairs == 4)
    #expect(lefts.sorted() == (unmatched == .none ? [] : [0, 1, 2, 3]))
    #expect(rights.sorted() == (unmatched == .both ? [18, 19, 24, 34] : []))
  }

  @Test func `A loop over a join that was stopped ends with .stopped, also after a restart of all soups`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("stop a join")
      let (left, right) = (Channel<Int>(.unbounded), Channel<Int>(.unbounded))
      var matches = Self.join(left, right, .both, ManualClock()).makeAsyncIterator()
      for channel in [left, right] { channel.trySend(1) }
      #expect(try await matches.next() == .both(1, 1))
      await Soup.all.stop(within: patience)
      try await Soup.all.restart(within: patience)
      #expect(Soup.all.snapshot().first { $0.soup == "joined" }?.isStopped == true)
      do {
        _ = try await matches.next()
        Issue.record("no error")
      } catch {
        #expect(error as? CallError == .stopped)
      }
    }
  }

  /// Beside what is handed on, a stop counts the loop's call and the room of a side, if they wait.
  @Test(
    arguments: [("left & right", 2), ("books & emit", 2), ("next & out", 1), ("books & enter left", 3)],
    [Matcher.automatic, .locked])
  func `A stop counts what a body of a join could not hand on`(body: (String, Int), matcher: Matcher) async throws {
    let (left, right, label) = (Channel<Int>(.unbounded), Channel<Int>(.unbounded), "join \(body), \(matcher)")
    let options = Soup.Options(matcher: matcher, clock: ManualClock())
    let matches = joined(left, right, by: \.self, \.self, within: .seconds(5), limit: 1, label, options: options)
    let loop = Task { for try await _ in matches {} }
    func find() -> Soup.Control? { Soup.all.controls.first { "\($0)".contains(label) && $0.contents.count == 4 } }
    await eventually("the loop waits, and both sides have room") { find() != nil }
    let control = try #require(find()).owning()
    let dropped = try await control.countDropped(stoppingIn: body.0, atStop: loop.cancel) {
      left.trySend(1)
      if body.1 < 3 { right.trySend(1) }
      await #expect(throws: CallError.self) { try await loop.value }
    }
    #expect(dropped == body.1)
  }

  @Test func `An element without a partner comes out when its time is over`() async throws {
    let (left, right, clock) = (Channel<Int>(.unbounded), Channel<Int>(.unbounded), ManualClock())
    var matches = Self.join(left, right, .both, clock).makeAsyncIterator()
    left.trySend(1)
    right.trySend(12)
    right.trySend(11)
    #expect(try await matches.next() == .both(1, 11))
    left.trySend(3)
    right.trySend(13)
    #expect(try await matches.next() == .both(3, 13), "the twelve waits")
    clock.advance(by: .seconds(5))
    #expect(try await matches.next() == .right(12))
    left.close()
    right.trySend(14)
    #expect(try await matches.next() == .right(14), "its side is the only one left")
    right.close()
    #expect(try await matches.next() == nil)
    #expect(try await matches.next() == nil)
  }

  @Test func `A side that is full is not read further, and the error of a side ends the loop`() async throws {
    let (left, right, clock) = (Channel<Int>(.unbuffered), Channel<Int>(.unbounded), ManualClock())
    let sent = Tally()
    let sender = Task {
      for number in 0..<10 {
        try await left.send(number)
        sent.add()
      }
    }
    var matches = Self.join(left, right, .both, limit: 3, clock).makeAsyncIterator()
    right.trySend(10)
    #expect(try await matches.next() == .both(0, 10))
    // Three are in the join, and its task has one in hand.
    await eventually("five are sent") { sent.count == 5 }
    await left.control.settle()
    #expect(sent.count == 5)
    sender.cancel()
    await #expect(throws: CallError.cancelled) { try await sender.value }
    await right.control.stop()
    await #expect(throws: CallError.stopped) { try await matches.next() }
    #expect(try await matches.next() == nil)
  }

  @Test func `A loop that is left stops reading`() async throws {
    let (left, right) = (Channel<Int>(.unbuffered), Channel<Int>(.unbounded))
    let sender = Task { while true { try await left.send(1) } }
    right.trySend(1)
    for try await match in Self.join(left, right, .none, ManualClock()) {
      #expect(match == .both(1, 1))
      break
    }
    await eventually("nobody receives") {
      left.control.snapshot().waitingCallers == 1 && left.control.snapshot()["send"] == 1
    }
    sender.cancel()
    await #expect(throws: CallError.cancelled) { try await sender.value }
  }
}
