import CKernel

/// Wakes threads of all processes that use an engine, without polling: futex words in a small mapped file.
///
/// A thread reads a word, looks into the engine, and waits while the word is as it was. A process rings after its
/// transaction is committed. So a thread that found nothing does not sleep through what came meanwhile.
///
/// Two rings may be lost: that of a process that is killed between its commit and the ring, and the one that woke a
/// worker which is killed before it takes. Therefore waits are bounded (`Worker`), and a recovery rings again.
///
/// A class of workers (those that offer the same reactions) has a word, and a molecule wakes one of them. Such a wait
/// has two bits: bit 0 for molecules, and a bit of its own for what happens in its process. A busy worker waits without
/// bit 0, so it takes no ring from an idle one. The callers of a process share a word. A collision of clients or of
/// bits wakes a thread too many, which then looks and sleeps again. Beyond 1,023 classes in a file two may share a
/// word, and a ring may wake a worker of the other class: that is a lost ring, as above.
final class Bell: @unchecked Sendable {
  static let count = 4096
  // One word a line of the cache.
  private static let stride = 16
  private let memory: SharedMemory

  /// The bit of all molecules.
  static let molecules: UInt32 = 1
  static let everybody = UInt32.max

  /// Maps the file beside the database, or memory of this process.
  init(of database: String?) throws {
    memory = try SharedMemory(
      size: Bell.count * Bell.stride * 4, of: database.map { $0 + "-bell" }, beside: database)
  }

  /// The word of a class of workers. Word 0 is that of waits for control.
  static func ofClass(_ id: Int64) -> Int { 1 + Int(id % 1023) }
  /// The word of a client's callers.
  static func ofClient(_ client: Int64) -> Int { 1024 + Int(UInt64(bitPattern: client) % 3072) }
  static let ofControl = 0

  func read(_ bell: Int) -> UInt32 { shared_word_read(memory.words + bell * Bell.stride) }

  /// Wakes one thread that waits with one of the bits, or all.
  func ring(_ bell: Int, _ bits: UInt32, all: Bool = false) {
    shared_word_ring(memory.words + bell * Bell.stride, bits, all ? Int32.max : 1)
  }

  /// Waits until the word differs from `seen`, at most this long.
  func wait(_ bell: Int, seen: UInt32, _ bits: UInt32, atMost nanoseconds: Int64) {
    if nanoseconds <= 0 { return }
    let (deadline, isFar) = MachineClock.monotonic.now.addingReportingOverflow(nanoseconds)
    shared_word_wait(memory.words + bell * Bell.stride, seen, bits, isFar ? Int64.max : deadline)
  }
}

extension Duration {
  /// The time in nanoseconds, as near as they can say it.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if isTooLong { return seconds < 0 ? Int64.min : Int64.max }
    let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflows ? Int64.max : sum
  }
}
