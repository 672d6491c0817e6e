import Crucible
import Glibc
import Synchronization

/// Ends the process, with the chemistry and what its soup says, when a run does not go on: nothing new has come to its
/// record for some time, or it has taken twenty times as long altogether. (How fast it goes on is the machine's, which
/// may have other work.)
///
/// Its message has two parts. The first part cannot block. The second is the soup's own explanation, which blocks if
/// the soup's lock is held.
final class Watchdog: Sendable {
  private struct Watch {
    var control: Soup.Control?
    var title = ""
    var count: @Sendable () -> Int = { 0 }
    var seen = 0
    var seenAt = ContinuousClock.now
    var began = ContinuousClock.now
  }

  static let shared = Watchdog()
  private let current = Mutex(Watch())
  private let limit = Mutex(Duration.seconds(30))
  private let isStarted = Atomic<Bool>(false)

  /// How long nothing may happen.
  func start(within limit: Duration) {
    self.limit.withLock { $0 = limit }
    if !isStarted.exchange(true, ordering: .relaxed) { spawn { self.look() } }
  }

  /// Begins a watch, with the name of the chemistry that runs from now on, and the number of events that its record
  /// has.
  func begin(_ title: String, _ count: @escaping @Sendable () -> Int) {
    current.withLock { $0 = Watch(title: title, count: count) }
    // Where a corrupted heap keeps this thread as well from saying anything, the signal ends the process.
    alarm(UInt32(limit.withLock { $0 } * 25 / .seconds(1)))
  }

  func watch(_ control: Soup.Control) { current.withLock { $0.control = control } }

  /// Lets go of the soup; what follows is still under the limit.
  func forget() { current.withLock { $0.control = nil } }

  func end() {
    alarm(0)
    current.withLock { $0 = Watch() }
  }

  private func look() -> Never {
    while true {
      usleep(100_000)
      let limit = limit.withLock { $0 }
      let watch = current.withLock { watch in
        let count = watch.count()
        if count != watch.seen { (watch.seen, watch.seenAt) = (count, ContinuousClock.now) }
        return watch
      }
      let now = ContinuousClock.now
      if watch.title.isEmpty || (now - watch.seenAt < limit && now - watch.began < limit * 20) { continue }
      say(
        "FAILED histories: nothing happens any more, for \(now - watch.seenAt), of \(now - watch.began)\n\(watch.title)"
      )
      if let control = watch.control {
        say(control.description)
        say("\(control.explain())")
        say("pending firings: \(control.snapshot().pending)")
      }
      exit(1)
    }
  }
}

/// At once, also when the process ends badly right after.
func say(_ text: String) {
  print(text)
  fflush(nil)
}
