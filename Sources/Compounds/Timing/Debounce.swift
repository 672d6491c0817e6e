public import Crucible

/// Acts on a value once no other has come for some time.
///
/// ```swift
/// let search = Debounce<String>(for: .milliseconds(300)) { text in await show(results(of: text)) }
/// field.onChange { search.send($0) }
/// search.flush()                           // the last text, now
/// ```
///
/// The definition. Each value arms a timer, and only the last timer counts. While an action runs, the newest of the
/// values that are due waits:
///
/// ```
/// soup.react(state: last, send) { last, value in last.value = value; due.after(time, /* its number */) }  // or flush
/// soup.react(state: last, due) { last, number in if number == last.number { act(last.value) } }
/// soup.react(state: last, act, act) { _, older, newer in act(newer) }
/// soup.react(state: turn, act) { _, value in await action(value) }
/// ```
///
/// The actions run one after the other. A drain acts on the last value before it ends. A stop drops the value, and
/// counts it. When the compound is gone, a value whose time is not over is dropped.
///
/// - Complexity: O(1), and a timer for each value.
public struct Debounce<Value: Sendable>: Compound {
  /// Values, and flushes as nil: one name, because the values of one name keep their order.
  @usableFromInline let input: Injector<Value?>
  public let control: Soup.Control

  @usableFromInline
  struct Last {
    @usableFromInline var number = 0
    @usableFromInline var value: Value?
    @usableFromInline var timer: Soup.Timer?
    /// Whether values do not wait, because they came too late for the end of a drain.
    @usableFromInline var isDraining = false

    @inlinable init() {}
  }

  /// A value that is due, and its number.
  @usableFromInline typealias Due = (number: Int, value: Value)

  /// Makes a compound that acts on a value after that time, by the clock of the options.
  ///
  /// `action` runs on the placement of the options.
  @inlinable
  public init(
    for time: Duration, _ label: String = "debounce", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line, _ action: @escaping @Sendable (Value) async throws -> Void
  ) {
    (input, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let send = soup.slow("send", of: Value?.self)
      let draining = soup.slow("draining")
      let due = soup.slow("due", of: Int.self)
      let act = soup.slow("act", of: Due.self)
      let last = soup.state("last", holding: { $0.value == nil ? 0 : 1 }) { Last() }
      let turn = soup.state("turn", 0)

      // What a stop has refused stays in the state, where the stop counts it.
      @Sendable func actNow(_ last: inout Last) {
        last.timer?.cancel()
        if let value = last.value.take(), !act((last.number, value)) { last.value = value }
      }
      soup.react(state: last, send, on: .inline) { last, value in
        guard let value else {
          actNow(&last)
          return
        }
        last.number += 1
        last.value = value
        last.timer?.cancel()
        if last.isDraining { actNow(&last) } else { last.timer = due.after(time, last.number) }
      }
      soup.react(state: last, due, on: .inline) { last, number in
        if number == last.number { actNow(&last) }
      }
      soup.react(state: last, draining, on: .inline) { last, _ in
        last.isDraining = true
        actNow(&last)
      }
      soup.react(state: last, act, act, on: .inline) { last, a, b in
        let newest = a.number > b.number ? a : b
        if !act(newest) && last.value == nil { last.value = newest.value }
      }
      soup.react(state: turn, act) { _, due async throws in try await action(due.value) }
      soup.whenDraining(draining)

      return (send, soup.control)
    }
  }

  /// Sends a value. It replaces the one before if the time of that one is not over. Does not block. Returns false if
  /// the compound has been stopped, drains, or is gone.
  @inlinable
  @discardableResult
  public func send(_ value: Value) -> Bool { input(value) }

  /// Acts on the last value now, if its time is not over. Does not block. Returns a result as ``send(_:)`` does.
  @inlinable
  @discardableResult
  public func flush() -> Bool { input(nil) }
}
