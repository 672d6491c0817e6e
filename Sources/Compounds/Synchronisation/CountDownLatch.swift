public import Crucible

/// Lets callers wait until a number of events have happened.
///
/// ```swift
/// let ready = CountDownLatch(3)
/// for service in services { service.start { ready.countDown() } }
/// try await ready.wait(within: .seconds(10))
/// ```
///
/// The definition. `open` is a fact:
///
/// ```
/// soup.react(state: missing, countDown) { missing, _ in missing -= 1; if missing == 0 { open() } }
/// soup.react(wait, open) { call, _ in call.reply() }
/// ```
///
/// - Complexity: O(1).
public struct CountDownLatch: Compound {
  /// Counts one event. Does not block. One event too many ends the program.
  public let countDown: Injector<Void>
  /// Waits until all events have happened. From then on, it returns at once. If the caller gives up, its call is
  /// withdrawn.
  public let wait: FastInjector<Void, Void>
  public let control: Soup.Control

  /// Makes a latch for `count` events. A count below 0 ends the program.
  public init(
    _ count: Int, _ label: String = "latch", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    let madeAt = MadeAt("latch", label, file, line)
    madeAt.require("the count", count, in: 0...Int.max)
    (countDown, wait, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let countDown = soup.slow("count down")
      let wait = soup.fast("wait", returning: Void.self)
      let open = soup.fact("open")
      let missing = soup.state("missing", count)

      soup.react(state: missing, countDown, on: .inline) { missing, _ in
        if missing == 0 { madeAt.misuse("counted down more often than \(count) times") }
        missing -= 1
        if missing == 0 { open() }
      }
      soup.react(wait, open, on: .inline) { call, _ in call.reply() }

      if count == 0 { open() }
      return (countDown, wait, soup.control)
    }
  }
}
