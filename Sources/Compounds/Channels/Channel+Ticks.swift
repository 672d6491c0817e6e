public import Crucible

extension Channel where Element == Int {
  /// Makes a channel that gets a number after each period, by the clock of the options: 1, then 2, and so on. It cannot
  /// be restarted once it has been stopped.
  ///
  /// ```swift
  /// let ticks = Channel.ticks(every: .seconds(1))
  /// for try await number in ticks { print(number) }
  /// ```
  ///
  /// At most one value waits. A slow receiver misses the ticks that come while one waits; the numbers show the gap.
  /// ``close()`` ends the ticks, and so does the end of the channel.
  ///
  /// The definition. A timer injects `tick`:
  ///
  /// ```
  /// for phase in [empty, some, full, closed] { soup.react(state: content, phase, tick) { … } }
  /// ```
  ///
  /// A period below a microsecond ends the program.
  ///
  /// - Complexity: O(1) for each tick, and a timer.
  public static func ticks(
    every period: Duration, _ label: String = "ticks", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line
  ) -> Channel {
    Channel(.buffered(1), label, options, file, line) { soup, declare in
      let tick = soup.slow("tick")
      soup.refuseRestarts()
      let timer = tick.every(period, file: file, line: line)
      declare(tick) { content in
        content.ticks += 1
        if content.isClosed {
          timer.cancel()
        } else if content.values.isEmpty {
          content.values.append(content.ticks)
        }
      }
    }
  }
}
