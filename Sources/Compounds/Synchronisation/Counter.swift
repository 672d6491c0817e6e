public import Crucible

/// Counts, for any number of tasks and threads.
///
/// ```swift
/// let visits = Counter()
/// try await visits.add(1)
/// let count = try await visits.value()
/// ```
///
/// The definition. The number is a state:
///
/// ```
/// soup.react(state: number, add) { number, call in number += call.input; call.reply(number) }
/// soup.react(state: number, value) { number, call in call.reply(number) }
/// ```
///
/// Adding is a call, so it has happened when its caller goes on.
///
/// - Complexity: O(1).
public struct Counter: Compound {
  /// Adds to the number, and returns the sum. An overflow ends the program.
  ///
  /// Waits for bodies of this compound on other threads only: `add.blocking(1)` is fine wherever a lock is.
  public let add: FastInjector<Int, Int>
  /// Returns the number. Blocks as ``add`` does.
  public let value: FastInjector<Void, Int>
  public let control: Soup.Control

  /// Makes a counter.
  public init(
    from start: Int = 0, _ label: String = "counter", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line
  ) {
    let madeAt = MadeAt("counter", label, file, line)
    (add, value, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let add = soup.fast("add", of: Int.self, returning: Int.self)
      let value = soup.fast("value", returning: Int.self)
      let number = soup.state("number", start)
      soup.react(state: number, add, on: .inline) { number, call in
        let (sum, overflows) = number.addingReportingOverflow(call.input)
        if overflows { madeAt.misuse("the sum of \(number) and \(call.input) overflows") }
        number = sum
        call.reply(sum)
      }
      soup.react(state: number, value, on: .inline) { number, call in call.reply(number) }
      return (add, value, soup.control)
    }
  }
}
