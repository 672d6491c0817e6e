import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

private typealias Readings = Windows<Int, Int>

extension Int {
  fileprivate var digit: Int { abs(self % 10) }
  fileprivate var tenths: Duration { .milliseconds(self * 100) }
}

extension Readings.Window {
  fileprivate var text: String { "\(key): \(start.components.seconds)-\(end.components.seconds) \(values)" }
}

@Suite(.watched)
struct `Windows of values` {
  @Test(arguments: matchers)
  func `A window is given once the time of some key has passed its end by the lateness`(matcher: Matcher) async {
    let (log, options) = (Log<String>(), Soup.Options(matcher: matcher))
    let windows = Readings(
      .tumbling(.seconds(10)), by: \.digit, at: \.tenths, lateness: .seconds(5), options: options
    ) {
      log.append("late \($0)")
    } action: {
      log.append($0.text)
    }
    for number in [-11, 31, 21, 52, 141] { windows.add(number) }
    await windows.control.settle()
    #expect(log.takeAll() == ["1: -10-0 [-11]"])
    for number in [61, 152] { windows.add(number) }
    await windows.control.settle()
    #expect(log.takeAll().sorted() == ["1: 0-10 [21, 31, 61]", "2: 0-10 [52]"])
    windows.add(91)
    windows.advance(.seconds(24))
    await windows.control.settle()
    #expect(log.takeAll() == ["late 91"])
    windows.advance(.seconds(25))
    await windows.control.settle()
    #expect(log.all.sorted() == ["1: 10-20 [141]", "2: 10-20 [152]"])
    await windows.control.expectRest(["windows 1", "turns 1"])
  }

  @Test(arguments: [
    (Windows<Int, Int>.Shape.tumbling(.seconds(10)), ["1: 0-10 [1, 11]", "2: 0-10 [2]", "1: 10-20 [21]"]),
    (
      .sliding(.seconds(10), every: .seconds(5)),
      ["1: -5-5 [1]", "1: 0-10 [1, 11]", "2: 0-10 [2]", "1: 5-15 [11, 21]", "2: 5-15 [2]", "1: 10-20 [21]"]
    ),
    (.session(gap: .seconds(6)), ["2: 6-12 [2]", "1: 0-16 [1, 11, 21]"]),
  ])
  func `A window by the clock ends at its time, without another value`(
    shape: Windows<Int, Int>.Shape, texts: [String]
  ) async {
    let (clock, log) = (ManualClock(), Log<String>())
    let windows = Readings(shape, by: \.digit, options: .init(clock: clock)) { window in
      #expect(window.end == clock.now.offset)
      log.append(window.text)
    }
    for step in 0..<40 {
      if let number = [0: 1, 10: 11, 12: 2, 20: 21][step] { windows.add(number) }
      await windows.control.settle()
      await windows.control.settle(clock, advancedBy: .milliseconds(500))
    }
    #expect(log.all.sorted() == texts.sorted())
    await windows.control.expectRest(["windows 1", "turns 1"])
    #expect(windows.control.snapshot().timers == [] && windows.control.warnings == [])
  }
}
