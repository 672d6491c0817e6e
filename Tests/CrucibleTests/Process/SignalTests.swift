import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// Signals on the threads of the library.
@Suite(.watched)
struct `Signals` {
  @Test(arguments: [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT])
  func `A handler sees a body that crashes on the pool`(signal: Int32) async {
    await #expect(processExitsWith: .exitCode(99)) { [signal = signal as Int32] in
      Watchdog.guardProcess("crash")
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in _exit(99) }
      sigaction(signal, &action, nil)
      let crash = Soup.define("crash") { soup in
        let crash = soup.fast("crash", of: Int32.self, returning: Void.self)
        soup.react(crash, on: .pool) { call in
          // The kernel ends the process without a handler if the thread blocks the signal of an instruction that fails.
          if call.input == SIGSEGV { UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1 }
          raise(call.input)
        }
        return crash
      }
      _ = try await onThread { try crash.blocking(signal) }
    }
  }
}
