import Crucible
import Glibc
import Synchronization

/// Ends the process, with the chemistry and what its soup says, when a run does not end.
///
/// What has to be said comes in two parts: first what cannot block, then the soup's own explanation, which can if its lock is held.
final class Watchdog: Sendable {
  private struct Watch {
    var control: Control?
    var title = ""
    var began = ContinuousClock.now
  }

  static let shared = Watchdog()
  private let current = Mutex(Watch())
  private let limit = Mutex(Duration.seconds(30))
  private let isStarted = Atomic<Bool>(false)

  /// How long one chemistry may take.
  func start(within limit: Duration) {
    self.limit.withLock { $0 = limit }
    if !isStarted.exchange(true, ordering: .relaxed) { spawn { self.look() } }
  }

  /// What is said of the chemistry that runs from now on.
  func begin(_ title: String) { current.withLock { $0 = Watch(title: title) } }

  func watch(_ control: Control) { current.withLock { $0.control = control } }

  /// Lets go of the soup; what follows is still under the limit.
  func forget() { current.withLock { $0.control = nil } }

  func end() { current.withLock { $0 = Watch() } }

  private func look() -> Never {
    while true {
      usleep(100_000)
      let watch = current.withLock { $0 }
      if watch.title.isEmpty || ContinuousClock.now - watch.began < limit.withLock({ $0 }) { continue }
      say("FAILED histories: does not end within \(limit.withLock { $0 })\n\(watch.title)")
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
