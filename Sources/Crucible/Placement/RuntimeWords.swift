// Values of Swift's runtime as machine words. The core keeps some of them, so that they need no memory there. The
// library reads parts of the others. Their types are frozen: a continuation, a job and a running task are each an
// address; an unowned executor and a string are two words. `unsafeBitCast` traps if a size ever differs.

import CTask

extension UnsafeContinuation<Void, Never> {
  var pointer: UnsafeMutableRawPointer { unsafeBitCast(self, to: UnsafeMutableRawPointer.self) }
  init(pointer: UnsafeMutableRawPointer) { self = unsafeBitCast(pointer, to: Self.self) }
}

extension UnownedJob {
  var pointer: UnsafeMutableRawPointer { unsafeBitCast(self, to: UnsafeMutableRawPointer.self) }
  init(pointer: UnsafeMutableRawPointer) { self = unsafeBitCast(pointer, to: Self.self) }
}

extension UnsafeCurrentTask {
  var pointer: UnsafeRawPointer { unsafeBitCast(self, to: UnsafeRawPointer.self) }
  init(pointer: UnsafeRawPointer) { self = unsafeBitCast(pointer, to: Self.self) }
}

extension UnownedSerialExecutor {
  var words: (UInt, UInt) { unsafeBitCast(self, to: (UInt, UInt).self) }
}

extension String {
  @inline(__always)
  var words: (UInt64, UInt64) { unsafeBitCast(self, to: (UInt64, UInt64).self) }
}

extension UnownedTaskExecutor {
  var words: crucible_task_executor { unsafeBitCast(self, to: crucible_task_executor.self) }
  init(words: crucible_task_executor) { self = unsafeBitCast(words, to: Self.self) }
}
