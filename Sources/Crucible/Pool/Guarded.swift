import CCrucible
import Synchronization

/// A value that one thread at a time may access.
///
/// `Synchronization.Mutex` has the same interface and is not used. While it is contended, the kernel hands it over from
/// thread to thread, and each hand-over waits for a thread to wake. A forked child aborts at its first contended one,
/// and finds it locked for ever if another thread of the parent held it. ThreadSanitizer reports the data under it.
/// `section.c` in the core says how this lock avoids all of that.
///
/// The closure must not wait for other threads, and runs no code of the program. It may use other locks of the library.
package struct Guarded<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  private let lock = _Cell(crucible_lock())
  private let value: _Cell<Value>

  package init(_ value: consuming Value) { self.value = _Cell(value) }

  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    crucible_lock_acquire(lock._address)
    defer { crucible_lock_release(lock._address) }
    let address = value._address  // otherwise ThreadSanitizer takes the access for one to the lock
    return try body(&address.pointee)
  }
}

/// A function to guard. Each access to a guarded bare closure would wrap it once more.
struct Handler<Argument> {
  var call: @Sendable (Argument) -> Void
}
