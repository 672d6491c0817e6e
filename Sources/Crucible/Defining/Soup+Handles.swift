import CTask

// References to handles that a definition counts in one step. Otherwise each name would cost a locked instruction.
//
//   HANDLE-1  When the definition begins, only the definition refers to the shared handle. The earlier soup in its
//       memory kept the handle only because nothing else referred to it (`SoupHandle.endKept`). So the definition
//       counts references ahead, without a lock, for as many names as the earlier one declared. Each name takes one of
//       them.
//   HANDLE-2  The definition releases the references that no name took before any thread reads the handle's reference
//       count. It does so if a step differs from the earlier soup, and when the definition completes.
//   HANDLE-3  No other thread knows the owner until the first name leaves. So the definition counts references for all
//       names that leave before that, without a lock. The owner's first reference is among them.
//   HANDLE-4  From the end of the definition on, bodies of the soup may run on other threads, and their names refer to
//       the shared handle. So one locked instruction releases the references of all names that leave.

extension Soup {
  /// The definition that this thread is ending.
  @inline(__always)
  static var leaving: Unmanaged<Soup>? {
    crucible_task_current_thread().pointee.leaving.map { Unmanaged<Soup>.fromOpaque($0) }
  }

  /// Makes names of this soup own it by one handle, on this thread, from now on. Returns the value that ends this.
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
