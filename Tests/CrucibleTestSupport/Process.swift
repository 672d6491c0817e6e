import CCrucible
import Crucible
import Foundation

/// The memory that the core has allocated and not freed in this process.
public enum Memory {
  /// Waits for what awaits a grace period first.
  @available(*, noasync)
  public static var settledBytes: Int {
    crucible_reclaim()
    return Int(crucible_live_bytes())
  }

  /// Makes what the first definition on a thread makes: the record of the thread.
  @available(*, noasync)
  public static func makeThreadReady() {
    _ = Soup.define("first on its thread") { soup in soup.react(soup.slow("a"), on: .inline) { _ in } }
  }
}

/// Runs `body` in a fork of this process. Returns the child's wait status: 0 for success.
///
/// The child has the calling thread alone. Its exit code is 0 if `body` returns true. After 30 seconds it is killed. A
/// child inherits the locks of Swift's runtime as they are: if another thread had one at the fork, the child waits for
/// ever. So a child that was killed is tried again, twice.
@available(*, noasync)
public func forked(_ body: () -> Bool) -> Int32 {
  for _ in 1...2 {
    let status = forkedOnce(body)
    if status & 0x7f != SIGALRM { return status }
  }
  return forkedOnce(body)
}

private func forkedOnce(_ body: () -> Bool) -> Int32 {
  typealias Fork = @convention(c) () -> pid_t
  let fork = unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork"), to: Fork.self)
  let child = fork()
  if child == 0 {
    // A thread of a queue or a pool blocks signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGALRM)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    alarm(30)
    _exit(body() ? 0 : 1)
  }
  var status: Int32 = -1
  while waitpid(child, &status, 0) < 0 && errno == EINTR {}
  return status
}
