public import Crucible

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Ready-made chemistry: a struct of the names that leave its definition.
///
/// Each compound is made of molecules and reactions alone, on the public interface of `Crucible`. Its operations are
/// names, so each has the forms of a call that every name has:
///
/// ```swift
/// let lock = Lock()
/// try await lock.acquire()                               // suspends the task
/// lock.release()
/// try await lock.acquire(within: .milliseconds(50))      // or throws `.timedOut`, and leaves nothing behind
/// ```
///
/// `lock.acquire.blocking()` blocks the thread.
///
/// Messages call a compound by the label that its initializer gets. All bodies run inline, whatever the placement of
/// the options is, unless the initializer says what runs there.
///
/// A copy is the same compound. The compound lives as long as a copy of it, or of one of its names.
public protocol Compound: Leaving, Sendable {
  /// The control of the compound's soup. It shows which callers wait, and from which line.
  var control: Soup.Control { get }
}

extension Compound {
  /// The scoped calls of this compound in the form that blocks the thread: write `.blocking` before the call instead of
  /// `await`, as in `try lock.blocking.withLock { cache.count }`.
  @inlinable public var blocking: Blocking<Self> { Blocking(compound: self) }
}

/// The scoped calls of a compound that block the thread; see ``Compound/blocking``.
///
/// ```swift
/// let count = try lock.blocking.withLock { cache.count }
/// try downloads.blocking.withPermit { print("one of four") }
/// let user = try users.blocking.withReading(within: .seconds(1)) { table[7] }
/// try users.blocking.withWriting { table[7] = nil }
/// let rows = try connections.blocking.withConnection { connection in connection.rows }
/// let sum = try till.blocking.ask { sum in sum }
/// try PubSub<String, Int>().blocking.publish(7, to: "numbers")
/// let all = try lines.blocking.receiveAll()
/// let three = try squares.blocking.take(3)
/// let mean = try average.blocking.next(with: 5)
/// try page.blocking.cancelAndJoin(within: .seconds(1))
/// ```
///
/// Static calls, values that are not compounds, and free functions have their own `blocking`:
/// ``Promise/blocking-swift.type.property``, ``Completion/blocking``, ``Topic/Subscription/blocking``,
/// ``NeuronGraph/blocking`` and ``blocking``.
///
/// - Throws: as the call that is awaited, except `CallError.cancelled`. `CallError.failed` with `Deadlock` if nothing
///   could ever end the wait.
/// - Complexity: as the call that is awaited.
public struct Blocking<Blocked: Compound>: Sendable {
  @usableFromInline let compound: Blocked

  @inlinable init(compound: Blocked) { self.compound = compound }
}

extension FastInjector {
  /// Calls a name for a try. Waits for bodies on other threads, but not for the end of a pause.
  ///
  /// Requires: the reactions that answer are short and placed `.inline`, and change nothing if their reply fails. Then
  /// the call may be made once more.
  ///
  /// - Throws: `CallError.timedOut` if the soup is paused.
  @inlinable
  func unlessPaused(_ input: Input, _ control: Soup.Control) throws(CallError) -> Output {
    var attempts: UInt32 = 0
    while true {
      do throws(CallError) {
        return try blocking(input, within: .zero)
      } catch {
        if error != .timedOut || control.isPaused { throw error }
      }
      attempts += 1
      pause(before: attempts)
    }
  }
}

/// Lets other threads run. A body on one of them has what the call needs. That thread may have lost its processor.
@usableFromInline
func pause(before attempt: UInt32) {
  if attempt < 32 { sched_yield() } else { Soup.Pool.sleep(for: .microseconds(min(attempt, 1_000))) }
}

extension Soup.ClockReader {
  /// Starts a limit, and returns a function for the time that is left.
  func remaining(of limit: Duration) -> () -> Duration {
    let deadline = now + limit
    return { max(deadline - now, .zero) }
  }
}
