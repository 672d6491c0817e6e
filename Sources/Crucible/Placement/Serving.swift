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

  /// True: it was rung. False: the deadline has come.
  func wait(until deadline: Deadline?) -> Bool {
    guard let deadline else {
      semaphore.wait()
      return true
    }
    let rest = min(deadline.remainingNanoseconds, UInt64(Int.max))
    return semaphore.wait(timeout: .now() + .nanoseconds(Int(rest))) == .success
  }
}

/// Waiting on a thread that is itself the place of reactions: it runs their synchronous bodies meanwhile, and so does
/// not wait for itself.
extension Station {
  /// Those of the soup, and the main actor, on which the calling thread is. The main actor even if the soup has no
  /// reaction there: what it waits for may be another soup's that has.
  static func current(of core: OpaquePointer) -> [Station] {
    var stations: [Station] = MainStation.isUsed && MainStation.shared.isCurrent ? [MainStation.shared] : []
    guard crucible_soup_hold(core) else { return stations }
    defer { crucible_soup_release(core) }
    if !crucible_soup_is_frozen(core) { return stations }  // they may be changing
    for station in SoupContext.known(of: core)?.stations ?? [] where station.canServe && station !== MainStation.shared
    {
      if station.isCurrent { stations.append(station) }
    }
    return stations
  }

  /// For blocking calls that know of no placement.
  static let serveMain: @convention(c) (UnsafeMutablePointer<crucible_waiter>) -> Void = { waiter in
    if MainStation.shared.isCurrent { serve([MainStation.shared], until: waiter, deadline: nil) {} }
  }

  /// Blocks until the waiter is signalled, and serves meanwhile; at the deadline it calls `giveUp`, which has to end
  /// the wait.
  static func serve(
    _ stations: [Station], until waiter: UnsafeMutablePointer<crucible_waiter>, deadline: Deadline?, giveUp: () -> Void
  ) {
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
      if let limit = deadline, limit.remainingNanoseconds == 0 {
        deadline = nil
        giveUp()
      } else if !stations.contains(where: { $0.serveOne() }) {
        crucible_thread_begin_waiting()
        _ = bell.wait(until: deadline)
        crucible_thread_end_waiting()
      }
    }
  }

  /// Blocks until the soup is quiet, for some time at most, and serves meanwhile.
  static func serve(_ stations: [Station], untilQuiet core: OpaquePointer, within limit: Duration) -> Bool {
    let deadline = Deadline(after: limit)
    let slice: UInt64 = 1_000_000
    while !SoupContext.isQuiet(core) {
      let rest = deadline.remainingNanoseconds
      if rest == 0 { return false }
      if stations.contains(where: { $0.serveOne() }) { continue }
      crucible_soup_wait_quiet(core, min(rest, slice))
    }
    return true
  }
}
