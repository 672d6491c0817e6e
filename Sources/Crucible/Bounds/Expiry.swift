import CCrucible
import Synchronization

/// The expiry of one name's molecules: an alarm at the time when the oldest is due. A task of the pool ends those that
/// are due, because their values may go to other names, and their destruction runs any code.
///
/// While nothing waits, no alarm is set. The injection of a molecule that is the first to wait sets it (KEY-6), if it
/// is not set. The alarm has a reference to the object, which the thread that cancels it releases, or otherwise the
/// alarm's function. Like a timer, it does not keep the soup (TIMER-2).
///
/// A molecule with a shorter time of its own has an alarm of its own, which ends it by its ticket.
final class Expiry: @unchecked Sendable {
  /// Of a molecule, in nanoseconds.
  private let lifetime: UInt64
  private let clock: SoupClock
  /// The name that gets the values; nil: they are destroyed.
  private let into: OpaquePointer?
  /// The name whose molecules expire. Set before another thread knows it.
  var name: OpaquePointer!
  private let shell: SoupHandle
  private let alarm = UnsafeMutablePointer<crucible_alarm>.allocate(capacity: 1)
  private let isSet = Atomic<Bool>(false)
  /// The alarms of single molecules.
  private let single = Guarded<[ObjectIdentifier: SingleExpiry]>([:])

  init(after lifetime: Duration, into: OpaquePointer?, in core: OpaquePointer, by clock: SoupClock) {
    self.lifetime = min(lifetime.nanoseconds, 1 << 62)  // so that times do not overflow
    self.clock = clock
    self.into = into
    shell = SoupHandle(core, owns: false)
    alarm.initialize(to: crucible_alarm(UnsafeMutableRawPointer(alarm), act: Expiry.goOff))
  }

  deinit { alarm.deallocate() }

  /// The core's options, which own the object.
  func options() -> crucible_expiry_options {
    crucible_expiry_options(
      context: Unmanaged.passRetained(self).toOpaque(),
      release: {
        let expiry = Unmanaged<Expiry>.fromOpaque($0).takeRetainedValue()
        expiry.end()
      },
      lifetime: lifetime,
      now: { Unmanaged<Expiry>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.clock.now } },
      waits: { Unmanaged<Expiry>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.begin() } }, into: into)
  }

  /// Sets the alarm for a molecule that waits, if it is not set.
  func begin() {
    if isSet.load(ordering: .relaxed) || isSet.exchange(true, ordering: .acquiringAndReleasing) { return }
    let now = clock.now
    set(now: now, at: now + lifetime)
  }

  private func set(now: UInt64, at time: UInt64) {
    alarm.pointee = crucible_alarm(Unmanaged.passRetained(self).toOpaque(), act: Expiry.goOff)
    clock.set(alarm, now: now, at: time)
  }

  /// Sets the alarm of one molecule. Requires: the caller holds the soup.
  fileprivate func begin(_ one: SingleExpiry, after time: UInt64) {
    single.withLock { $0[ObjectIdentifier(one)] = one }
    one.alarm.initialize(to: crucible_alarm(Unmanaged.passRetained(one).toOpaque(), act: SingleExpiry.goOff))
    let now = clock.now
    clock.set(one.alarm, now: now, at: now + time)
  }

  func begin(_ ticket: crucible_ticket, after lifetime: Duration) {
    let time = lifetime.nanoseconds
    if time < self.lifetime { begin(SingleExpiry(self, ticket, after: time), after: time) }
  }

  /// Ends the alarms. Requires: the soup is gone.
  private func end() {
    if isSet.load(ordering: .acquiring), clock.cancel(alarm) { Unmanaged.passUnretained(self).release() }
    let all = single.withLock { single in
      defer { single = [:] }
      return single.values
    }
    for one in all where clock.cancel(one.alarm) { Unmanaged.passUnretained(one).release() }
  }

  private static let goOff: @convention(c) (UnsafeMutablePointer<crucible_alarm>) -> Void = { alarm in
    let expiry = Unmanaged<Expiry>.fromOpaque(alarm.pointee.context!).takeRetainedValue()
    expiry.onPool { expiry.expire() }
  }

  /// Runs the body on the pool while the soup lives.
  private func onPool(_ body: @escaping @Sendable () -> Void) {
    let core = shell.core
    guard crucible_soup_hold(core) else { return }
    crucible_soup_begin_pending(core)
    crucible_soup_release(core)
    Task.detached(executorPreference: PoolExecutor.shared) {
      body()
      crucible_soup_end_pending(core)
      withExtendedLifetime(self) {}
    }
  }

  fileprivate func expire(_ one: SingleExpiry) {
    single.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(one)) }
    onPool {
      let isOver = withUnsafePointer(to: one.ticket) { crucible_name_expire_one(self.name, $0) }
      // While its soup is being defined, the molecule is not in it.
      if !isOver { self.begin(one, after: max(one.time, 1_000_000)) }
    }
  }

  private func expire() {
    var dropped: UInt64 = 0
    let now = clock.now
    var next = crucible_name_expire(name, now, &dropped)
    if next == 0 {
      isSet.store(false, ordering: .sequentiallyConsistent)
      // A molecule that came before this look has found the alarm set, and one that comes later finds that it is not.
      next = crucible_name_expire(name, 0, &dropped)
      if next != 0 && isSet.exchange(true, ordering: .acquiringAndReleasing) { next = 0 }
    }
    if next != 0 { set(now: now, at: next) }
  }
}

/// The alarm of one molecule.
private final class SingleExpiry: @unchecked Sendable {
  private let expiry: Expiry
  let ticket: crucible_ticket
  /// The molecule's own time, in nanoseconds.
  let time: UInt64
  let alarm = UnsafeMutablePointer<crucible_alarm>.allocate(capacity: 1)

  init(_ expiry: Expiry, _ ticket: crucible_ticket, after time: UInt64) {
    (self.expiry, self.ticket, self.time) = (expiry, ticket, time)
  }

  deinit { alarm.deallocate() }

  static let goOff: @convention(c) (UnsafeMutablePointer<crucible_alarm>) -> Void = { alarm in
    let one = Unmanaged<SingleExpiry>.fromOpaque(alarm.pointee.context!).takeRetainedValue()
    one.expiry.expire(one)
  }
}
