import Synchronization

/// A worker of one process: a thread that takes firings, and has tasks run their bodies.
///
/// The thread waits on the bell of its class, and the same word wakes it when a body ends (`Bell` has the bits). So one
/// wait serves both, and one transaction settles what has ended and takes what comes next.
///
/// Its wait ends after a third of its lease, to extend it. That also bounds what a lost ring can cost (invariant 4).
/// The lease shows that the thread runs, not that the bodies do: `within` of a reaction limits those.
///
/// A worker whose lease is over has lost its firings. It begins again under another id, and the engine refuses what the
/// bodies of the lost firings report (invariant 2).
final class Worker: Sendable {
  private let link: Link
  private let limit: Int
  private let lease: Int64
  private struct State {
    var running = 0
    var ended: [Settlement] = []
    var isEnding = false
    var hasLostPeer = false
    /// The bell and the bit on which the thread waits.
    var place: (bell: Int, bit: UInt32)?
  }
  private let state = Mutex(State())

  init(_ link: Link, atOnce limit: Int, lease: Duration) {
    self.link = link
    self.limit = limit
    self.lease = lease.nanoseconds
  }

  /// Lets the running bodies end, and takes no more.
  func end() { change { $0.isEnding = true } }

  private func change(_ body: (inout State) -> Void) {
    let place = state.withLock { state in
      body(&state)
      return state.place
    }
    if let place { link.store.bell.ring(place.bell, place.bit, all: true) }
  }

  /// Works until ``end()``, on this thread. If the engine fails, the running bodies end first, without effect.
  func run() throws {
    let watch = try Watch.ofProcess()
    while true {
      do {
        if try live(watch) { return }
      } catch {
        // They are those of an earlier life.
        awaitBodies(of: nil)
        if (error as? EngineError)?.kind == .destroyed { return }
        throw error
      }
    }
  }

  /// Works under one id. Returns false if the lease was lost.
  private func live(_ watch: Watch) throws -> Bool {
    let (store, soup) = (link.store, link.soup)
    let worker = Int64.random(in: 1...Int64.max)
    let registration = try store.register(worker, of: soup, offering: Array(link.bodies.keys), lease: lease)
    let (bell, bit) = (registration.bell, UInt32(1) << UInt32(1 + registration.life.number % 31))
    state.withLock { $0.place = (bell, bit) }
    // The life ends after the release, or with this process.
    defer { withExtendedLifetime(registration.life) { state.withLock { $0.place = nil } } }
    defer { watch.end(for: worker) }
    func look(at peers: [Peer]) {
      watch.set(peers, for: worker) { [weak self] in self?.change { $0.hasLostPeer = true } }
    }
    look(at: registration.peers)
    var version: Int64?
    let ids = Numbers(worker)
    var nextBeat = MachineClock.monotonic.now + lease / 3
    var (mustWait, hasLeft) = (false, false)
    do {
      while true {
        let seen = store.bell.read(bell)
        let (settlements, free, isEnding, mustRecover) = state.withLock { state in
          defer { (state.ended, state.hasLostPeer) = ([], false) }
          mustWait = mustWait && state.ended.isEmpty
          let free = state.isEnding || mustWait ? 0 : limit - state.running
          return (state.ended, free, state.isEnding, state.hasLostPeer)
        }
        var taken: Taken?
        // A worker that ends makes a step without taking. Redis then wakes others for what comes.
        let mustLeave = isEnding && !hasLeft && state.withLock { $0.running > 0 }
        if !settlements.isEmpty || free > 0 || mustLeave {
          hasLeft = isEnding
          taken = try store.commit(settlements, of: worker, in: soup, taking: free, ids).1
        }
        for run in taken?.runs ?? [] { start(run) }
        mustWait = taken?.isFull ?? mustWait
        // The version is a new one when a worker has come or gone.
        let isChanged = taken.map { $0.version != version } ?? false
        version = taken?.version ?? version
        if mustRecover || isChanged || MachineClock.monotonic.now >= nextBeat {
          look(at: try store.extend(worker, of: soup, lease: lease))
          nextBeat = MachineClock.monotonic.now + lease / 3
          // Another worker may have taken the firing meanwhile that must be alone.
          mustWait = false
        }
        let (isIdle, isFull) = state.withLock { ($0.ended.isEmpty, $0.running >= limit) }
        if isEnding && isIdle && state.withLock({ $0.running == 0 && $0.ended.isEmpty }) { break }
        let untilDue = taken?.nextDue.map { $0 - store.clock.now } ?? Int64.max
        let bits = isFull || mustWait || isEnding ? bit : bit | Bell.molecules
        store.bell.wait(bell, seen: seen, bits, atMost: min(nextBeat - MachineClock.monotonic.now, max(untilDue, 1)))
      }
      try store.release(worker, of: soup)
      return true
    } catch is LeaseIsOver {
      return state.withLock { $0.isEnding && $0.running == 0 }
    } catch {
      // They end before the lock is released, so a repetition elsewhere does not run at the same time.
      awaitBodies(of: worker)
      // If this fails as well, the lock that is released says the same, but counts as a loss of the firings. The caller
      // gets the first error.
      try? store.release(worker, of: soup)
      throw error
    }
  }

  private func start(_ run: Run) {
    state.withLock { $0.running += 1 }
    Task { [link] in
      let settlement = await run.execute(link)
      change {
        $0.running -= 1
        $0.ended.append(settlement)
      }
    }
  }

  /// Waits until no body runs, and extends the lease meanwhile. What the bodies report is dropped.
  private func awaitBodies(of worker: Int64?) {
    let (bell, bit) = (Bell.ofControl, Bell.everybody)
    state.withLock { $0.place = (bell, bit) }
    var nextBeat = MachineClock.monotonic.now + lease / 3
    while true {
      let seen = link.store.bell.read(bell)
      if state.withLock({ $0.running == 0 }) { break }
      let left = worker == nil ? longestWait : nextBeat - MachineClock.monotonic.now
      link.store.bell.wait(bell, seen: seen, bit, atMost: left)
      if let worker, MachineClock.monotonic.now >= nextBeat {
        // It fails as long as the engine does. Then the others take the firings over when the lease is over.
        _ = try? link.store.extend(worker, of: link.soup, lease: lease)
        nextBeat = MachineClock.monotonic.now + lease / 3
      }
    }
    state.withLock { $0.ended = [] }
  }
}
