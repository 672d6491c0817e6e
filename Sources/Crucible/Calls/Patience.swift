import CCrucible
import CTask
import Glibc
import Synchronization

/// The time that a task spins for a reply before it suspends. The spin is short in soups where most such waits end at
/// once. Elsewhere tasks hardly ever spin.
///
/// Two tasks that exchange values answer each other in a fraction of the time that it takes to suspend and resume. Once
/// one of them suspends, the other one waits for longer, and suspends as well. A spin of a fixed length prevents that,
/// but wastes a processor wherever answers take longer. So the waits for the replies of a soup control the length:
///
///   PATIENCE-1  A soup begins cold. A cold wait does not spin. After a number of cold waits one wait probes: it spins
///       for as long as a sleeping thread needs to wake up and answer. After a probe that fails, twice as many waits
///       pass before the next probe.
///   PATIENCE-2  A probe that ends with the answer makes the soup hot: it has credit. A hot wait spins. The spin is
///       short if the credit is at its maximum, else as long as a probe.
///   PATIENCE-3  A wait that ends soon adds 1 to the credit. One that ends late takes 1, and one that fails takes
///       `price`. Without credit the soup is cold again. If the credit reached its maximum meanwhile, the next probe is
///       soon.
///   PATIENCE-4  A hot wait that begins in the first 4 of every 1,049 microseconds does not spin. Tasks rely on a
///       waiting await to free its thread for other tasks. Otherwise two tasks that answer each other would keep two
///       threads of Swift's pool, and a third task would not run. A shared counter of waits is no alternative, because
///       each wait would write to its cache line. The core has the same rule for calls that take turns at a state
///       (`matcher/word/word_at_once.c`).
///
/// In a hot soup most waits end before the runtime could suspend and resume a task. Every spin has a limit. So nothing
/// hangs if the answer needs the very thread that spins. Several tasks may change the patience of a soup at the same
/// time, and overwrite each other's result. That makes a decision worse, but never wrong.
struct Patience: RawRepresentable, Equatable {
  /// From the lowest bit on: the waits until the next probe, the gap between probes, the credit. Small, because each
  /// handle of a soup has one.
  var rawValue: UInt32

  private static let bits: UInt32 = 12
  private static let mask: UInt32 = 1 << bits - 1
  static let leastGap: UInt32 = 16
  static let mostGap: UInt32 = 1024
  static let firstCredit: UInt32 = 4
  static let mostCredit: UInt32 = 16
  static let price: UInt32 = 4
  /// The nanoseconds that it takes to suspend and resume a task, approximately.
  static let short: UInt64 = 4000
  /// The nanoseconds in which a sleeping thread usually wakes up.
  static let long: UInt64 = 30_000

  init(rawValue: UInt32) { self.rawValue = rawValue }

  init(left: UInt32 = leastGap, gap: UInt32 = leastGap, credit: UInt32 = 0) {
    rawValue = left | gap << Self.bits | credit << (2 * Self.bits)
  }

  var left: UInt32 { rawValue & Self.mask }
  var gap: UInt32 { rawValue >> Self.bits & Self.mask }
  var credit: UInt32 { rawValue >> (2 * Self.bits) }

  /// Whether the wait that begins now suspends without a spin.
  var isNone: Bool { rawValue >> (2 * Self.bits) == 0 && rawValue & Self.mask != 0 }

  /// The patience after a wait that did not spin.
  var afterNone: Patience { Patience(rawValue: rawValue &- 1) }

  /// The number of nanoseconds that the wait which begins now spins before it suspends.
  var limit: UInt64 { isNone ? 0 : credit == Self.mostCredit ? Self.short : Self.long }

  /// Whether a wait that begins at this time, in nanoseconds, suspends without a spin (PATIENCE-4).
  func givesWay(at time: UInt64) -> Bool { credit > 0 && time & (1 << 20 - 1) < 1 << 12 }

  /// Returns the patience after a wait that the answer ended after so many nanoseconds.
  func after(_ time: UInt64) -> Patience {
    if credit == 0 { return Patience(left: gap, gap: gap, credit: Self.firstCredit) }
    if time > Self.short { return less(by: 1) }
    let credit = min(credit + 1, Self.mostCredit)
    return Patience(left: left, gap: credit == Self.mostCredit ? Self.leastGap : gap, credit: credit)
  }

  /// The patience after a wait that spun without an answer.
  var afterMiss: Patience { less(by: Self.price) }

  private func less(by price: UInt32) -> Patience {
    if credit > price { return Patience(left: left, gap: gap, credit: credit - price) }
    let gap = min(2 * gap, Self.mostGap)
    return Patience(left: gap, gap: gap)
  }
}

extension SoupHandle {
  private static let hasProcessors = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1

  /// Spins for the answer as long as the patience of this soup permits. Returns whether there is an answer.
  @inline(__always)
  func spin(until waiter: UnsafePointer<crucible_waiter>) -> Bool {
    let patience = Patience(rawValue: self.patience.load(ordering: .relaxed))
    if patience.isNone {
      self.patience.store(patience.afterNone.rawValue, ordering: .relaxed)
      return false
    }
    return spin(until: waiter, with: patience)
  }

  @inline(never)
  private func spin(until waiter: UnsafePointer<crucible_waiter>, with patience: Patience) -> Bool {
    let begin = crucible_now()
    if patience.givesWay(at: begin) { return false }
    let time = Self.hasProcessors ? spin(until: waiter, from: begin, for: patience.limit) : nil
    let next = time.map(patience.after) ?? patience.afterMiss
    if next != patience { self.patience.store(next.rawValue, ordering: .relaxed) }
    return time != nil
  }

  /// Returns the number of nanoseconds that the answer took, or nil if there is none.
  private func spin(until waiter: UnsafePointer<crucible_waiter>, from begin: UInt64, for limit: UInt64) -> UInt64? {
    while true {
      for _ in 0..<8 {  // reading the clock takes longer
        if crucible_waiter_is_signalled(waiter) { return crucible_now() &- begin }
        crucible_task_pause()
      }
      if crucible_now() &- begin > limit { return nil }
    }
  }
}
