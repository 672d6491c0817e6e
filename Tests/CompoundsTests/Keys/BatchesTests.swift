import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

extension Int {
  fileprivate var digit: Int { self % 10 }
}

@Suite(.watched)
struct `Batches by key` {
  @Test(arguments: matchers)
  func `A key's batch is full by number or late by its first item, and no other key matters`(matcher: Matcher) async {
    let (clock, log) = (ManualClock(), Log<[Int]>())
    let options = Soup.Options(matcher: matcher, clock: clock)
    let batches = Batches<Int, Int>(size: 3, within: .seconds(10), by: \.digit, options: options) { log.append($1) }
    for number in [11, 12, 21] { batches.add(number) }
    await batches.control.settle(clock, advancedBy: .seconds(9))
    for number in [31, 22, 41, 13] { batches.add(number) }
    for _ in 0..<2 { batches.flush(3) }
    await batches.control.settle()
    #expect(log.takeAll().sorted { $0[0] < $1[0] } == [[11, 21, 31], [13]])
    await batches.control.settle(clock, advancedBy: .seconds(1))
    #expect(log.all == [[12, 22]])
    await batches.control.settle(clock, advancedBy: .milliseconds(8_999))
    #expect(log.all == [[12, 22]])
    await batches.control.settle(clock, advancedBy: .milliseconds(1))
    #expect(log.all == [[12, 22], [41]])
    await batches.control.expectRest(["open 1", "turns 1"])
    #expect(batches.control.snapshot().timers == [] && batches.control.warnings == [])
  }

  @Test(arguments: matchers)
  func `A slow action holds up the later batches of its key, and those of no other`(matcher: Matcher) async {
    let (mayEnd, log, options) = (Gate(), Log<Int>(), Soup.Options(matcher: matcher))
    let batches = Batches<Int, Int>(size: 1, within: .seconds(1), by: \.digit, options: options) { _, items in
      if items == [1] { await mayEnd.wait() }
      log.append(items[0])
    }
    for number in [1, 11, 2, 21] { batches.add(number) }
    await eventually("the other key has had its turn") { log.all == [2] }
    mayEnd.open()
    await batches.control.settle()
    #expect(log.all == [2, 1, 11, 21])
  }
}
