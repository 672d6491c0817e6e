import Synchronization

/// Sees at once when the process of another worker ends: one thread waits for the descriptors of these processes, for
/// all workers of this one.
///
/// It only calls for a recovery, which then looks whether the worker's lock is free. So a number that another process
/// has got meanwhile does no harm; nor does a process in another container, which this one cannot watch, and whose end
/// is seen when leases are extended. The end of a process is told once, so such a number does not keep workers busy.
final class Watch: Sendable {
  private static let shared = Mutex<Watch?>(nil)

  private let event: OpenFile
  private struct Watcher {
    var processes: Set<Int32>
    let whenEnded: @Sendable () -> Void
  }
  private struct State {
    var watchers: [Int64: Watcher] = [:]
    /// Those that have ended, as long as a watcher has them.
    var ended: Set<Int32> = []
  }
  private let state = Mutex(State())

  private init() throws { event = try .event() }

  /// The watch of this process. Its thread lasts as long as the process.
  static func ofProcess() throws -> Watch {
    try shared.withLock { shared in
      if let shared { return shared }
      let watch = try Watch()
      try onOwnThread { watch.run() }
      shared = watch
      return watch
    }
  }

  /// Watches the processes of these workers for one of this process, and no more those that it watched before.
  func set(_ peers: [Peer], for worker: Int64, _ whenEnded: @escaping @Sendable () -> Void) {
    let processes = Set(peers.map(\.process)).subtracting([processNumber()])
    change { $0.watchers[worker] = Watcher(processes: processes, whenEnded: whenEnded) }
  }

  func end(for worker: Int64) { change { $0.watchers[worker] = nil } }

  private func change(_ body: (inout State) -> Void) {
    state.withLock {
      body(&$0)
      $0.ended.formIntersection($0.watchers.values.flatMap(\.processes))
    }
    event.ring()
  }

  private func run() {
    var files: [Int32: OpenFile] = [:]
    while true {
      let processes = state.withLock { Set($0.watchers.values.flatMap(\.processes)).subtracting($0.ended) }
      files = files.filter { processes.contains($0.key) }
      for process in processes where files[process] == nil { files[process] = OpenFile.process(process) }
      let readable = OpenFile.waitForReadable([event] + files.values)
      if readable.contains(event.number) { event.clear() }
      let ended = Set(files.filter { readable.contains($0.value.number) }.keys)
      if ended.isEmpty { continue }
      let told = state.withLock { state in
        state.ended.formUnion(ended)
        return state.watchers.values.filter { !$0.processes.isDisjoint(with: ended) }
      }
      for watcher in told { watcher.whenEnded() }
    }
  }
}
