import Crucible
import Glibc

/// The schedule of a run as the text that replays it, where the handler of a signal can read it.
///
/// If the process crashes in a run, it prints the text first.
final class CrashText: @unchecked Sendable {
  private static let capacity = 4096
  private let text = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  private var count = 0

  init() { Self.handle }

  deinit { text.deallocate() }

  func begin(seed: UInt64) {
    count = 0
    add("Crucible: the process crashes in explore(.replay(\"\(String(seed, radix: 36))")
  }

  func add(step: Int, _ index: Int) { add("/\(step)=\(index)") }

  private func add(_ more: String) {
    for byte in more.utf8 where count < Self.capacity - 4 {
      text[count] = byte
      count += 1
    }
  }

  func write() {
    for byte in "\"))\n".utf8 {
      text[count] = byte
      count += 1
    }
    _ = Glibc.write(2, text, count)
  }

  // ---- The handler ----

  private typealias Action = sigaction
  private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV]
  private nonisolated(unsafe) static var before = [Action](repeating: Action(), count: 65)

  /// Handles crashes, once. The signal then happens again, as if there was no handler.
  private static let handle: Void = {
    for signal in signals {
      var action = Action()
      action.__sigaction_handler.sa_handler = { signal in
        (ControlledThread.currentRun as? Engine)?.crashText.write()
        sigaction(signal, &CrashText.before[Int(signal)], nil)
        if signal == SIGABRT { raise(signal) }
      }
      action.sa_flags = Int32(bitPattern: UInt32(SA_NODEFER)) | SA_ONSTACK
      sigaction(signal, &action, &before[Int(signal)])
    }
  }()
}
