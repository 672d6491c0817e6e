// Values of Swift's concurrency that the core stores in its own words, so that they need no memory. Their types have no
// public members for that. They are frozen: a continuation and a job are each the address of a task or job, and an
// unowned task executor is two words. `unsafeBitCast` traps if a size ever differs.

import CTask

extension UnsafeContinuation<Void, Never> {
  var pointer: UnsafeMutableRawPointer { unsafeBitCast(self, to: UnsafeMutableRawPointer.self) }
  init(pointer: UnsafeMutableRawPointer) { self = unsafeBitCast(pointer, to: Self.self) }
}

extension UnownedJob {
  var pointer: UnsafeMutableRawPointer { unsafeBitCast(self, to: UnsafeMutableRawPointer.self) }
  init(pointer: UnsafeMutableRawPointer) { self = unsafeBitCast(pointer, to: Self.self) }
}

extension UnownedTaskExecutor {
  var words: crucible_task_executor { unsafeBitCast(self, to: crucible_task_executor.self) }
  init(words: crucible_task_executor) { self = unsafeBitCast(words, to: Self.self) }
}
