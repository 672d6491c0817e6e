import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

// The sample of the article "Timers", with the matcher and the control beside it.

private struct Batch: Sendable {
  var number = 0
  var items: [Int] = []
  var timer: Soup.Timer?

  mutating func close() -> [Int] {
    defer { (number, items) = (number + 1, []) }
    timer?.cancel()
    return items
  }
}

private func makeBatcher(
  _ matcher: Soup.Matcher, size: Int, time: Duration, clock: any Clock<Duration>,
  send: @escaping @Sendable ([Int]) -> Void
) -> (Injector<Int>, Soup.Control) {
  Soup.define("batcher", with: .init(matcher: matcher, clock: clock)) { soup in
    let batch = soup.state("batch", Batch())
    let item = soup.slow("item", of: Int.self)
    let late = soup.slow("late", of: Int.self)
    soup.react(state: batch, item) { batch, item in
      batch.items.append(item)
      if batch.items.count == 1 { batch.timer = late.after(time, batch.number) }
      if batch.items.count == size { send(batch.close()) }
    }
    soup.react(state: batch, late) { batch, number in
      if number == batch.number { send(batch.close()) }
    }
    return (item, soup.control)
  }
}

@Suite(.watched)
struct `A batcher by size or time` {
  @Test(arguments: matchers)
  func `sends full batches at once, and others when their time is over`(matcher: Soup.Matcher) async {
    let (clock, sent) = (ManualClock(), Log<[Int]>())
    let (item, control) = makeBatcher(matcher, size: 3, time: .seconds(1), clock: clock) { sent.append($0.sorted()) }
    func inject(_ items: ClosedRange<Int>) async {
      for number in items { item(number) }
      await control.settle()
    }
    await inject(1...3)
    #expect(sent.all == [[1, 2, 3]])
    clock.advance(by: .milliseconds(999))
    await inject(4...5)
    clock.advance(by: .milliseconds(999))
    await control.settle()
    #expect(sent.count == 1, "the timer of the first batch was cancelled")
    clock.advance(by: .milliseconds(1))
    await control.settle()
    #expect(sent.all.last == [4, 5] && sent.count == 2)
    #expect(control.snapshot().timers.isEmpty)
  }
}
