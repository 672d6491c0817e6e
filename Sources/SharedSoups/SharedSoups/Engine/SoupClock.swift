import Synchronization

/// The clock of an engine, in nanoseconds. It goes on while the machine sleeps, and is never set back.
///
/// It is the clock of the machine since its start, and an offset that the engine stores with the id of that start. So
/// no change of the time of day reaches leases, delays or expiries. After a restart of the machine, a new offset lets
/// the clock go on from the time of day, or from the last stored time if that is later.
final class SoupClock: Sendable {
  /// The clocks of the machine at one moment.
  struct Machine: Sendable {
    var boot: String
    var sinceBoot: Int64
    var timeOfDay: Int64

    static func now() throws -> Machine {
      Machine(
        boot: try OpenFile.text(of: "/proc/sys/kernel/random/boot_id", limit: 36),
        sinceBoot: MachineClock.sinceBoot.now, timeOfDay: MachineClock.timeOfDay.now)
    }
  }

  private let offset = Atomic<Int64>(0)
  /// The time by which a test has advanced the clock.
  private let advance = Atomic<Int64>(0)
  var advanced: Int64 { advance.load(ordering: .acquiring) }

  /// Returns the offset for this start of the machine, which the engine stores. `last` is the last stored time.
  func begin(_ machine: Machine, stored: (boot: String, offset: Int64, last: Int64)?) -> Int64 {
    let offset: Int64
    if let stored, stored.boot == machine.boot {
      offset = stored.offset
    } else {
      offset = max(machine.timeOfDay, stored?.last ?? 0) - machine.sinceBoot
    }
    self.offset.store(offset, ordering: .releasing)
    return offset
  }

  var now: Int64 {
    MachineClock.sinceBoot.now + offset.load(ordering: .acquiring) + advanced
  }

  /// The clock of leases: it stands still while the machine sleeps, so no worker loses its lease by that.
  var awake: Int64 { MachineClock.monotonic.now + advanced }

  func advance(by time: Int64) { advance.add(time, ordering: .acquiringAndReleasing) }
}
