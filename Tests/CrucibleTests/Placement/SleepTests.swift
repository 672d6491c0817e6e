import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// `Pool.sleep` lasts as long as asked for, on any thread.
@Suite(.watched)
struct `Sleeping` {
  @Test func `Pool.sleep lasts as long as asked for, whatever signals come`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("signals")
      signal(SIGUSR1) { _ in }
      let (slept, sleeper) = (Gate(), Shared<UInt>(nil))
      async let took = onThread {
        // The threads that made this one may block signals, which it inherits.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR1)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        sleeper.put(UInt(pthread_self()))
        defer { slept.open() }
        return ContinuousClock().measure { Soup.Pool.sleep(for: .milliseconds(100)) }
      }
      while sleeper.value == nil { await Task.yield() }
      while !slept.isOpen {
        pthread_kill(pthread_t(sleeper.value!), SIGUSR1)
        await Task.yield()
      }
      let duration = try await took
      #expect(duration >= .milliseconds(100))
    }
  }

  @Test func `Pool.sleep ends at once for no time, or less`() async throws {
    try await onThread {
      Soup.Pool.sleep(for: .zero)
      Soup.Pool.sleep(for: .seconds(-1))
      Soup.Pool.sleep(for: .seconds(Int64.min))
    }
  }

  @Test func `Pool.sleep lasts as long as asked for in a body on the pool`() async {
    let took = Shared<Duration>(nil)
    let (begin, control) = Soup.Options().react(slow("begin")) { _ in
      took.put(ContinuousClock().measure { Soup.Pool.sleep(for: .milliseconds(20)) })
    }
    begin()
    await control.settle()
    #expect(took.value! >= .milliseconds(20))
  }
}
