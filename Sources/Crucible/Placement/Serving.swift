import CCrucible
import Dispatch
import Synchronization

/// A bell that wakes a thread which waits for more than one event.
final class Bell: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let hasEnded = Atomic<Bool>(false)

  var isOver: Bool { hasEnded.load(ordering: .acquiring) }

  func ring() { semaphore.signal() }

  func end() {
    hasEnded.store(true, ordering: .releasing)
    semaphore.signal()
  }

  /// Blocks until the bell is rung.
  func wait() { semaphore.wait() }
}

/// Waiting on a thread that is itself the place of reactions: it runs their synchronous bodies meanwhile.
extension Station {
  /// Returns the stations of the soup, and the main actor, that the calling thread belongs to. The main actor is
  /// included even if the soup has no reaction there: the awaited event may depend on another soup that has one.
  static func current(of core: OpaquePointer) -> [Station] {
    var stations: [Station] = MainStation.isUsed && MainStation.shared.isCurrent ? [MainStation.shared] : []
    guard crucible_soup_hold(core) else { return stations }
    defer { crucible_soup_release(core) }
    if !crucible_soup_is_frozen(core) { return stations }  // the reactions may be changing
    for station in SoupContext.known(of: core)?.stations ?? [] where station.canServe && station !== MainStation.shared
    {
      if station.isCurrent { stations.append(station) }
    }
    return stations
  }

  /// Serves the main actor while a blocking call that knows no placement waits. In a controlled run, waits for it.
  static let waitSpecially: @convention(c) (UnsafeMutablePointer<crucible_waiter>) -> Void = { waiter in
    if let run = ControlledThread.currentRun { return run.wait(for: waiter) }
    if MainStation.isUsed && MainStation.shared.isCurrent {
      serve([MainStation.shared], until: waiter)
    }
  }

  /// Blocks until the waiter is signalled, and serves meanwhile.
  static func serve(_ stations: [Station], until waiter: UnsafeMutablePointer<crucible_waiter>) {
    let bell = Bell()
    waiter.pointee.context = Unmanaged.passRetained(bell).toOpaque()
    waiter.pointee.resume = { Unmanaged<Bell>.fromOpaque($0.pointee.context!).takeRetainedValue().end() }
    guard crucible_waiter_suspend(waiter) else {
      Unmanaged.passUnretained(bell).release()
      return
    }
    for station in stations { station.attend(bell) }
    defer { for station in stations { station.leave(bell) } }
    while !bell.isOver {
      if stations.contains(where: { $0.serveOne() }) { continue }
      crucible_pool_begin_blocking()
      bell.wait()
      crucible_pool_end_blocking()
    }
  }
}
