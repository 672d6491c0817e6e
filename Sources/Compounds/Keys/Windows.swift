public import Crucible

/// Gathers the values of each key by time, and acts on each window once, when its time is over.
///
/// ```swift
/// let minutes = Windows<String, Reading>(.tumbling(.seconds(60)), by: \.sensor) { window in
///   await store(window.values, of: window.key, from: window.start)
/// }
/// minutes.add(reading)
/// ```
///
/// That is by the clock. Values that tell their own time may come late, and in any order. A window of theirs is over
/// when a value has come that is later than its end by the lateness.
///
/// The definition:
///
/// ```
/// soup.react(state: books, input) { books, input in /* a value: into its windows; act on those that are over */ }
/// soup.react(state: books, due) { books, _ in /* the clock's time has come: act on the windows that are over */ }
/// soup.react(act) { window in try await action(window); over(window.key) }
/// soup.react(state: turns, over) { turns, key in /* the next window of the key, if one waits: act */ }
/// ```
///
/// The *watermark* is the greatest time of a value of any key, less the lateness. So a key whose values have stopped
/// gets its window as well. One value whose time is far ahead makes all others late: check times that you do not trust.
/// If all values stop, ``advance(_:)`` moves the watermark.
///
/// A value that comes after all of its windows are over goes to `onLate`. The values of a window are in the order of
/// their times. The action runs for one window of a key after the other, and for several keys at the same time.
///
/// A drain acts on the open windows before it ends. A value that comes after that is late. A stop drops the values, and
/// counts them, once for each window. In the reports of both, `windows` has those of open windows, and `turns` those
/// that wait for the end of an action. A restart begins without values. A key takes memory only while it has a window.
///
/// - Complexity: O(log windows) for each window of a value, and O(values that it overtakes). One timer.
public struct Windows<Key: Hashable & Sendable, Value: Sendable>: Compound {
  /// The times that belong together.
  public enum Shape: Sendable, Hashable {
    /// Windows of this length, one after the other. Each begins at a multiple of its length.
    case tumbling(Duration)
    /// Windows of this length, of which one begins at each multiple of `every`. A value is in several.
    case sliding(Duration, every: Duration)
    /// Windows that end when the key has had no value for as long as `gap`.
    case session(gap: Duration)
  }

  /// The values of one key in one window.
  public struct Window: Sendable {
    /// The key of the values.
    public let key: Key
    /// The time at which the window begins. A session begins with its first value.
    public let start: Duration
    /// The first time that is no longer in the window. A session ends with the gap after its last value.
    public let end: Duration
    /// The values, in the order of their times.
    public let values: [Value]

    @inlinable
    init(_ key: Key, _ window: WindowBooks<Key, Value>.Open) {
      (self.key, start, end, values) = (key, window.start, window.end, window.values)
    }
  }

  /// One name, because the values of one name keep their order.
  @usableFromInline let input: Injector<Input>
  public let control: Soup.Control

  @usableFromInline
  enum Input: Sendable {
    case value(Value)
    case advance(Duration)
  }

  /// Makes a compound without values.
  ///
  /// ```swift
  /// let runs = Windows<String, Reading>(.session(gap: .seconds(9)), by: \.sensor, at: \.time, lateness: .seconds(5)) {
  ///   log.warning("too late: \($0)")
  /// } action: {
  ///   await store($0.values, of: $0.key, from: $0.start)
  /// }
  /// runs.advance(.seconds(3_600))           // as a value of this time does
  /// ```
  ///
  /// `key` reads the key from a value, and `timeOf` its time, since a moment that is the same for all values. Without
  /// it, the clock of the options tells when a value has come. A value may be as much as `lateness` earlier than one
  /// before it. The times of the shape are positive, and `every` is no longer than a window. `action` gets each window
  /// once. `onLate` gets each value that has come too late for all of its windows. Without it, reports count them. Both
  /// run on the placement of the options.
  @inlinable
  public init(
    _ shape: Shape, by key: @escaping @Sendable (Value) -> Key, at timeOf: (@Sendable (Value) -> Duration)? = nil,
    lateness: Duration = .zero, _ label: String = "windows", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line, onLate: (@Sendable (Value) -> Void)? = nil,
    action: @escaping @Sendable (Window) async throws -> Void
  ) {
    let madeAt = MadeAt("windows", label, file, line)
    let (length, step) = shape.times
    if length <= .zero || step <= .zero { madeAt.misuse("their times must be positive: \(shape)") }
    if step > length { madeAt.misuse("`every` must be at most as long as a window: \(shape)") }
    if lateness < .zero { madeAt.misuse("the lateness must not be negative: \(lateness)") }
    (input, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let input = soup.slow("add", of: Input.self)
      let due = soup.slow("due")
      let late = soup.slow("late", of: Value.self)
      let draining = soup.slow("draining")
      let books = soup.state("windows", holding: { $0.held }) { WindowBooks<Key, Value>() }
      let act = Turns<Key, Window>.declare(in: soup, by: \.key, counting: \.values.count, action)
      let (clock, control) = (soup.clock, soup.control)

      @Sendable func end(_ books: inout WindowBooks<Key, Value>, by time: Duration) {
        books.watermark = max(books.watermark, time)
        while let (key, window) = books.takeOver() {
          if act(Window(key, window)) { books.held -= window.values.count }
        }
        guard timeOf == nil, let next = books.ends.first?.time, books.alarm.map({ next < $0 }) ?? true else { return }
        books.timer?.cancel()
        books.timer = due.after(next - clock.now)
        books.alarm = next
      }
      // The last value that was added before a drain ends all windows.
      @Sendable func drain(_ books: inout WindowBooks<Key, Value>) {
        let waiting = control.snapshot()[input]
        books.untilEnd = waiting
        if waiting > 0 { return }
        end(&books, by: .seconds(Int64.max))
        books.timer?.cancel()
      }

      soup.react(state: books, input, on: .inline) { books, input in
        switch input {
        case .value(let value):
          let time = timeOf?(value) ?? clock.now
          if !books.add(value, at: time, of: key(value), shape), onLate == nil || !late(value) { books.held += 1 }
          end(&books, by: time - lateness)
        case .advance(let time):
          if timeOf != nil { end(&books, by: time - lateness) }
        }
        books.untilEnd? -= 1
        if let left = books.untilEnd, left <= 0 { drain(&books) }
      }
      soup.react(state: books, due, on: .inline) { books, _ in
        books.alarm = nil
        end(&books, by: clock.now)
      }
      soup.react(state: books, draining, on: .inline) { books, _ in drain(&books) }
      soup.react(late) { value in onLate?(value) }
      soup.whenDraining(draining)
      return (input, soup.control)
    }
  }

  /// Adds a value to its windows. Does not block. Returns false if the compound has been stopped, drains, or is gone.
  @inlinable
  @discardableResult
  public func add(_ value: Value) -> Bool { input(.value(value)) }

  /// Moves the watermark as a value of this time does, for a source that has no values. Has no effect by the clock.
  /// Does not block. Returns a result as ``add(_:)`` does.
  @inlinable
  @discardableResult
  public func advance(_ time: Duration) -> Bool { input(.advance(time)) }
}

extension Windows.Shape {
  /// The length of a window, and the time from one to the next.
  @inlinable var times: (length: Duration, step: Duration) {
    switch self {
    case .tumbling(let length): (length, length)
    case .sliding(let length, let step): (length, step)
    case .session(let gap): (gap, gap)
    }
  }
}
