import CCrucible
import Dispatch
import Synchronization

/// Rung for a thread that waits for more than one thing.
final class Bell: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let hasEnded = Atomic<Bool>(false)

  /// Whether what is waited for has come.
  var isOver: Bool { hasEnded.load(ordering: .acquiring) }

  func ring() { semaphore.signal() }

  func end() {
    hasEnded.store(true, ordering: .releasing)
    semaphore.signal()
  }

  /// False: the deadline has come.
  func wait(until deadline: Deadline?) -> Bool {
    guard let deadline else {
      semaphore.wait()
      return true
    }
    let rest = min(deadline.remainingNanoseconds, UInt64(Int.max))
    return semaphore.wait(timeout: .now() + .nanoseconds(Int(rest))) == .success
  }
}

/// Waiting on a thread that is itself the place of reactions: it runs their synchronous bodies meanwhile, and so does not wait for
/// itself.
extension Station {
  /// Those of the soup, and the main actor, on which the calling thread is.
  static func current(of core: OpaquePointer) -> [Station] {
    guard crucible_soup_hold(core) else { return [] }
    defer { crucible_soup_release(core) }
    var stations = SoupContext.of(core).stations
    if !stations.contains(where: { $0 === MainStation.shared }) { stations.append(MainStation.shared) }
    return stations.filter { $0.isCurrent && !($0 is InlineStation) }
  }

  /// Blocks until the waiter is signalled, and serves meanwhile; at the deadline it calls `giveUp`, which has to end the wait.
  static func serve(
    _ stations: [Station], until waiter: UnsafeMutablePointer<crucible_waiter>, deadline: Deadline?, giveUp: () -> Void
  ) {
    crucible_thread_give_away()
    let bell = Bell()
    waiter.pointee.context = Unmanaged.passRetained(bell).toOpaque()
    waiter.pointee.resume = { Unmanaged<Bell>.fromOpaque($0.pointee.context!).takeRetainedValue().end() }
    guard crucible_waiter_suspend(waiter) else {
      Unmanaged.passUnretained(bell).release()
      return
    }
    for station in stations { station.attend(bell) }
    defer { for station in stations { station.leave(bell) } }
    var deadline = deadline
    while !bell.isOver {
      if stations.contains(where: { $0.serveOne() }) { continue }
      if bell.wait(until: deadline) { continue }
      deadline = nil
      giveUp()
    }
  }

  /// Blocks until the soup is quiet, for some time at most, and serves meanwhile.
  static func serve(_ stations: [Station], untilQuiet core: OpaquePointer, within limit: Duration) -> Bool {
    let deadline = Deadline(after: limit)
    let slice: UInt64 = 1_000_000
    while !crucible_soup_is_quiet(core) {
      if stations.contains(where: { $0.serveOne() }) { continue }
      let rest = deadline.remainingNanoseconds
      if rest == 0 { return false }
      crucible_soup_wait_quiet(core, min(rest, slice))
    }
    return true
  }
}
