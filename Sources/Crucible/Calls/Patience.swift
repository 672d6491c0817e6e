import CCrucible
import CTask
import Glibc

/// How long a task that awaits a call spins before it suspends: briefly, where such waits mostly end at once, and else
/// hardly ever.
///
/// Two tasks that pass something to and fro answer each other within a fraction of what suspending and resuming costs.
/// Once one of them suspends, the other one waits for longer, and suspends as well. A spin of a fixed length ends that,
/// but wastes a processor wherever answers take longer. So the waits for the replies of a soup decide it themselves:
///
///   PATIENCE-1  A soup begins cold. A cold wait does not spin, but one after so many does, for long: a probe, in which
///       a thread that sleeps can wake up and answer. After a probe in vain twice as many waits go by until the next.
///   PATIENCE-2  A probe that ends with the answer makes the soup hot: it has credit. A hot wait spins, briefly with
///       the most credit, else as long as a probe.
///   PATIENCE-3  A wait that ends soon adds 1 to the credit. One that ends late takes 1, and one in vain takes `price`.
///       Without credit the soup is cold again. If it had the most meanwhile, its next probe comes soon.
///   PATIENCE-4  A hot wait that begins in the first 4 of every 1,049 microseconds does not spin. Tasks count on an
///       await that waits to give its thread to other tasks. Else two tasks that answer each other would keep two
///       threads of Swift's pool, and a third task would not run. A count of waits would be written by each of them, to
///       one cache line. The core has the same rule for calls that take turns at a state (`matcher/word/word_short.c`).
///
/// In a hot soup most waits end before the runtime could suspend and resume a task. Every spin has a limit. So nothing
/// hangs if the answer needs the very thread that spins. Several tasks change the patience of a soup at a time, and
/// may overwrite what another one has noted. Then a decision is worse, and nothing is wrong.
struct Patience: RawRepresentable, Equatable {
  /// Waits until the next probe, gap between probes, credit: from the lowest bit on. Small, for each handle of a soup
  /// has one.
  var rawValue: UInt32

  private static let bits: UInt32 = 12
  private static let mask: UInt32 = 1 << bits - 1
  static let leastGap: UInt32 = 16
  static let mostGap: UInt32 = 1024
  static let firstCredit: UInt32 = 4
  static let mostCredit: UInt32 = 16
  static let price: UInt32 = 4
  /// Nanoseconds: about what it takes to suspend and resume a task.
  static let short: UInt64 = 4000
  /// Nanoseconds in which a thread that sleeps mostly wakes up.
  static let long: UInt64 = 30_000

  init(rawValue: UInt32) { self.rawValue = rawValue }

  init(left: UInt32 = leastGap, gap: UInt32 = leastGap, credit: UInt32 = 0) {
    rawValue = left | gap << Self.bits | credit << (2 * Self.bits)
  }

  var left: UInt32 { rawValue & Self.mask }
  var gap: UInt32 { rawValue >> Self.bits & Self.mask }
  var credit: UInt32 { rawValue >> (2 * Self.bits) }

  /// Whether the wait that begins now does not spin.
  var isNone: Bool { rawValue >> (2 * Self.bits) == 0 && rawValue & Self.mask != 0 }

  /// After a wait that did not spin.
  var afterNone: Patience { Patience(rawValue: rawValue &- 1) }

  /// How many nanoseconds the wait that begins now spins before it suspends.
  var limit: UInt64 { isNone ? 0 : credit == Self.mostCredit ? Self.short : Self.long }

  /// Whether a wait that begins at this time, in nanoseconds, suspends although others spin.
  func givesWay(at time: UInt64) -> Bool { credit > 0 && time & (1 << 20 - 1) < 1 << 12 }

  /// After a wait that ended with the answer after so many nanoseconds.
  func after(_ time: UInt64) -> Patience {
    if credit == 0 { return Patience(left: gap, gap: gap, credit: Self.firstCredit) }
    if time > Self.short { return less(by: 1) }
    let credit = min(credit + 1, Self.mostCredit)
    return Patience(left: left, gap: credit == Self.mostCredit ? Self.leastGap : gap, credit: credit)
  }

  /// After a wait that spun in vain.
  var afterMiss: Patience { less(by: Self.price) }

  private func less(by price: UInt32) -> Patience {
    if credit > price { return Patience(left: left, gap: gap, credit: credit - price) }
    let gap = min(2 * gap, Self.mostGap)
    return Patience(left: gap, gap: gap)
  }
}

extension SoupHandle {
  private static let hasProcessors = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1

  /// Spins for the answer, if the waits for this soup are worth it. True: it has come.
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

  /// How many nanoseconds the answer took; nil: it has not come.
  private func spin(until waiter: UnsafePointer<crucible_waiter>, from begin: UInt64, for limit: UInt64) -> UInt64? {
    while true {
      for _ in 0..<8 {  // a look at the clock takes longer
        if crucible_waiter_is_signalled(waiter) { return crucible_now() &- begin }
        crucible_task_pause()
      }
      if crucible_now() &- begin > limit { return nil }
    }
  }
}
