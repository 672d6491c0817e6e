import Crucible

/// The schedule of a run as the text that replays it, where the handler of a signal can read it.
///
/// If the process crashes in a run, it prints the text first.
final class CrashText: @unchecked Sendable {
  private static let capacity = 16384
  private let text = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  private var count = 0
  private var choices = 0
  private var sum = 0

  init() { Self.handle }

  deinit { text.deallocate() }

  func begin() {
    (count, choices, sum) = (0, 0, 0)
    add("Crucible: the process crashes in explore(.replay(\"")
  }

  func add(step: Int, _ index: Int) {
    choices += 1
    sum += step + index
    add("\(step)=\(index)/")
  }

  private func add(_ more: String) {
    for byte in more.utf8 where count < Self.capacity - 64 {
      text[count] = byte
      count += 1
    }
  }

  /// Adds a number without allocating, for the handler.
  private func add(_ number: Int) {
    var power = 1
    while number / power >= 10 { power *= 10 }
    while power > 0 {
      text[count] = UInt8(48 + number / power % 10)
      count += 1
      power /= 10
    }
  }

  func write() {
    add(choices)
    text[count] = UInt8(ascii: "-")
    count += 1
    add(sum)
    for byte in "\"))\n".utf8 {
      text[count] = byte
      count += 1
    }
    writeToStandardError(text, count)
  }

  /// Writes the text of this thread's run when the process crashes.
  private static let handle: Void = handleCrashes { (ControlledThread.currentRun as? Engine)?.crashText.write() }
}
