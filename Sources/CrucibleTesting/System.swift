// What this module needs of the C library. No other file of it imports that library, whose name depends on the system.

#if canImport(Musl)
  import Musl

  private func noThread() -> pthread_t? { nil }
  func currentSystemThread() -> UInt { UInt(bitPattern: pthread_self()) }
  extension sigaction {
    fileprivate var function: (@convention(c) (Int32) -> Void)? {
      get { __sa_handler.sa_handler }
      set { __sa_handler.sa_handler = newValue }
    }
  }
#else
  import Glibc

  private func noThread() -> pthread_t { 0 }
  func currentSystemThread() -> UInt { pthread_self() }
  extension sigaction {
    fileprivate var function: (@convention(c) (Int32) -> Void)? {
      get { __sigaction_handler.sa_handler }
      set { __sigaction_handler.sa_handler = newValue }
    }
  }
#endif

/// Starts a detached thread.
func startThread(_ run: @escaping () -> Void) {
  final class Start {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }
  var thread = noThread()
  let start = Unmanaged.passRetained(Start(run)).toOpaque()
  let error = pthread_create(
    &thread, nil,
    {
      Unmanaged<Start>.fromOpaque($0!).takeRetainedValue().run()
      return nil
    }, start)
  precondition(error == 0, "Crucible: no thread for an exploration: \(String(cString: strerror(error)))")
  pthread_detach(thread)
}

func waitForAMillisecond() { usleep(1000) }

func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

func writeToStandardError(_ text: UnsafePointer<UInt8>, _ count: Int) { _ = write(STDERR_FILENO, text, count) }

private typealias Action = sigaction
private nonisolated(unsafe) var before = [Action](repeating: Action(), count: 65)
private nonisolated(unsafe) var whenCrashing: () -> Void = {}

/// Handles crashes, once, by a function that must not allocate. The signal then happens again, as if there was no
/// handler. Requires: it is called once.
func handleCrashes(by function: @escaping () -> Void) {
  whenCrashing = function
  for signal in [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV] {
    var action = Action()
    action.function = { signal in
      whenCrashing()
      sigaction(signal, &before[Int(signal)], nil)
      if signal == SIGABRT { raise(signal) }
    }
    action.sa_flags = Int32(bitPattern: UInt32(SA_NODEFER)) | SA_ONSTACK
    sigaction(signal, &action, &before[Int(signal)])
  }
}
