import CTask

// References to handles that a definition counts in one step, where each name would be a locked instruction.
//
//   HANDLE-1  The shared handle is the definition's alone when it begins: the earlier soup in its memory has left it
//       only because nothing else referred to it (`SoupHandle.endKept`). So references for as many names as that
//       definition declared are counted ahead, without a lock. A name takes one of them.
//   HANDLE-2  Before any thread asks how many references the handle has, those that no name took are given back: where
//       a step differs from the earlier soup, and when the definition completes.
//   HANDLE-3  No other thread knows the owner until the first name leaves. So references for all that leave are counted
//       before that, without a lock. The owner's first one is among them.
//   HANDLE-4  Bodies of the soup may run from the end of the definition on, on other threads, and their names refer to
//       the shared handle. So what the names that leave give back is counted by a locked instruction: one for all of
//       them.

extension Soup {
  /// The definition that this thread ends.
  @inline(__always)
  static var leaving: Unmanaged<Soup>? {
    crucible_task_current_thread().pointee.leaving.map { Unmanaged<Soup>.fromOpaque($0) }
  }

  /// From now on names of this soup own it by one handle, on this thread. Returns what to end that with.
  func beginLeaving() -> UnsafeRawPointer? {
    let outer = crucible_task_current_thread().pointee.leaving
    crucible_task_current_thread().pointee.leaving = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    return outer
  }

  static func endLeaving(_ outer: UnsafeRawPointer?) { crucible_task_current_thread().pointee.leaving = outer }
}

extension Unmanaged<SoupHandle> {
  #if CRUCIBLE_PUBLIC_RUNTIME
    /// Adds references. Requires: no other thread knows the handle.
    func retainAlone(_ count: UInt32) { for _ in 0..<count { _ = retain() } }

    /// Ends references.
    func release(_ count: UInt32) { for _ in 0..<count { release() } }
  #else
    /// Adds references. Requires: no other thread knows the handle.
    func retainAlone(_ count: UInt32) { crucible_task_retain_alone(toOpaque(), count) }

    /// Ends references.
    func release(_ count: UInt32) {
      if count == 1 { return release() }
      if count > 0 { crucible_task_release_all(toOpaque(), count) }
    }
  #endif
}
