public import Crucible

/// The open windows of all keys.
@usableFromInline
struct WindowBooks<Key: Hashable & Sendable, Value: Sendable> {
  @usableFromInline
  struct Open {
    @usableFromInline var start: Duration, end: Duration
    @usableFromInline var times: [Duration] = []
    @usableFromInline var values: [Value] = []
    /// The end under which the heap has it. A session may have a later one by now.
    @usableFromInline var listed: Duration

    @inlinable init(_ start: Duration, _ end: Duration) { (self.start, self.end, listed) = (start, end, end) }

    @inlinable
    mutating func insert(_ value: Value, at time: Duration) {
      let index = (times.lastIndex { $0 <= time } ?? -1) + 1
      times.insert(time, at: index)
      values.insert(value, at: index)
    }
  }

  /// The windows of each key, in the order of their starts.
  @usableFromInline var open: [Key: [Open]] = [:]
  /// The keys of the windows, by their ends. A session that became part of another one is still there.
  @usableFromInline var ends = Heap<Key>()
  /// The number of values in all windows, and of those that a stop must count.
  @usableFromInline var held = 0
  /// Windows that end by then are over.
  @usableFromInline var watermark = Duration.seconds(Int64.min)
  @usableFromInline var timer: Soup.Timer?
  /// The time for which the timer is set.
  @usableFromInline var alarm: Duration?
  /// During a drain, the number of values that must come before all windows end.
  @usableFromInline var untilEnd: Int?

  @usableFromInline init() {}

  /// Puts a value into its windows. Returns false if all of them are over.
  @inlinable
  mutating func add(_ value: Value, at time: Duration, of key: Key, _ shape: Windows<Key, Value>.Shape) -> Bool {
    // Out of the dictionary, so that the arrays change in place.
    var windows = open.removeValue(forKey: key) ?? []
    defer { if !windows.isEmpty { open[key] = windows } }
    let before = held
    let (length, step) = shape.times
    if case .session = shape {
      extend(by: value, at: time, of: key, length, &windows)
    } else {
      var start = time.rounded(downTo: step)
      while start > time - length {
        put(value, at: time, of: key, from: start, length, &windows)
        start -= step
      }
    }
    return held > before
  }

  @inlinable
  mutating func put(
    _ value: Value, at time: Duration, of key: Key, from start: Duration, _ length: Duration, _ windows: inout [Open]
  ) {
    if start + length <= watermark { return }
    var index = (windows.lastIndex { $0.start <= start } ?? -1) + 1
    if index > 0 && windows[index - 1].start == start {
      index -= 1
    } else {
      windows.insert(Open(start, start + length), at: index)
      ends.insert(key, at: start + length)
    }
    windows[index].insert(value, at: time)
    held += 1
  }

  /// Puts a value into the session within whose gap it is, or makes a session of it. It may make one session of two.
  @inlinable
  mutating func extend(
    by value: Value, at time: Duration, of key: Key, _ gap: Duration, _ windows: inout [Open]
  ) {
    let index = windows.firstIndex { time < $0.end } ?? windows.count
    let next = windows[index...].firstIndex { time + gap <= $0.start } ?? windows.count
    if index == next {
      if time + gap <= watermark { return }
      windows.insert(Open(time, time + gap), at: index)
      ends.insert(key, at: time + gap)
    } else {
      for later in windows[index + 1..<next] {
        windows[index].times += later.times
        windows[index].values += later.values
        windows[index].end = later.end
      }
      windows.removeSubrange(index + 1..<next)
    }
    windows[index].start = min(windows[index].start, time)
    windows[index].end = max(windows[index].end, time + gap)
    windows[index].insert(value, at: time)
    held += 1
  }

  /// Removes the window that has ended first, if one is over.
  @inlinable
  mutating func takeOver() -> (key: Key, window: Open)? {
    while let (end, key) = ends.first, end <= watermark {
      ends.removeFirst()
      guard let index = open[key]?.firstIndex(where: { $0.listed == end }) else { continue }
      let window = open[key]![index]
      if window.end > end {
        open[key]![index].listed = window.end
        ends.insert(key, at: window.end)
        continue
      }
      open[key]!.remove(at: index)
      if open[key]!.isEmpty { open[key] = nil }
      return (key, window)
    }
    return nil
  }
}

extension Duration {
  /// The last multiple of the step that is not later.
  @inlinable
  func rounded(downTo step: Duration) -> Duration {
    let rest = attoseconds % step.attoseconds
    return Duration(attoseconds: attoseconds - (rest < 0 ? rest + step.attoseconds : rest))
  }
}
