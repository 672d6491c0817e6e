import CKernel
import Dispatch
import Glibc
import Synchronization

/// Sees at once when the process of another worker ends: a thread waits for the descriptors of these processes.
///
/// It only calls for a recovery, which then looks whether the worker's lock is free. So a number that another process
/// has got meanwhile does no harm; nor does a process in another container, which this one cannot watch, and whose end
/// is seen when leases are extended.
final class Watch: Sendable {
  private let event: Int32
  private struct State {
    var peers: Set<Peer> = []
    var isOver = false
  }
  private let state = Mutex(State())

  init(_ whenEnded: @escaping @Sendable () -> Void) throws {
    event = shared_event_open()
    if event < 0 { throw EngineError("watching processes", errno: errno) }
    DispatchQueue(label: "Crucible.Watch").async { self.run(whenEnded) }
  }

  func set(_ peers: [Peer]) {
    state.withLock { $0.peers = Set(peers) }
    wake()
  }

  func end() {
    state.withLock { $0.isOver = true }
    wake()
  }

  private func wake() {
    var one: UInt64 = 1
    _ = write(event, &one, 8)
  }

  private func run(_ whenEnded: () -> Void) {
    var files: [Peer: Int32] = [:]
    while true {
      let (peers, isOver) = state.withLock { ($0.peers, $0.isOver) }
      for (peer, file) in files where isOver || !peers.contains(peer) {
        close(file)
        files[peer] = nil
      }
      if isOver { break }
      for peer in peers where files[peer] == nil && peer.process != getpid() {
        let file = shared_process_open(peer.process)
        if file >= 0 { files[peer] = file }
      }
      var waits = [event] + files.values
      waits = waits.filter { $0 >= 0 }
      var polled = waits.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      // An interrupted wait looks again.
      guard poll(&polled, UInt(polled.count), -1) > 0 else { continue }
      if polled[0].revents != 0 {
        var count: UInt64 = 0
        _ = Glibc.read(event, &count, 8)
      }
      let ended = Set(polled.dropFirst().filter { $0.revents != 0 }.map(\.fd))
      if ended.isEmpty { continue }
      state.withLock { state in
        for (peer, file) in files where ended.contains(file) { state.peers.remove(peer) }
      }
      whenEnded()
    }
    close(event)
  }
}
