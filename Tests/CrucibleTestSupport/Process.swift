import CCrucible
import Foundation

/// What the core has allocated and not freed in this process.
public enum Memory {
  /// Waits for what awaits a grace period first.
  @available(*, noasync)
  public static var settledBytes: Int {
    crucible_reclaim()
    return Int(crucible_live_bytes())
  }
}

/// Runs `body` in a fork of this process, and answers its wait status: 0 for success.
///
/// The child has the calling thread alone. Its exit code is 0 if `body` returns true; after 30 seconds it is killed.
@available(*, noasync)
public func forked(_ body: () -> Bool) -> Int32 {
  typealias Fork = @convention(c) () -> pid_t
  let fork = unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork"), to: Fork.self)
  let child = fork()
  if child == 0 {
    alarm(30)
    _exit(body() ? 0 : 1)
  }
  var status: Int32 = -1
  while waitpid(child, &status, 0) < 0 && errno == EINTR {}
  return status
}
