import CCrucible
import CTask

// References to handles that a definition counts in one step. Otherwise each name would cost a locked instruction.
//
//   HANDLE-1  When the definition begins, only the definition refers to the shared handle. The earlier soup in its
//       memory kept the handle only because nothing else referred to it (`SoupHandle.endKept`). So the definition
//       counts references ahead, without a lock, for as many names as the earlier one declared.
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

  /// Counts the references to the shared handle that names and controls usually take (HANDLE-1).
  func countAhead() {
    namesBeyond = 0
    namesAhead = sharedHandle._withUnsafeGuaranteedRef { UInt32($0.usualNames) }
    if namesAhead > 0 { sharedHandle.retainAlone(namesAhead) }
  }

  /// Notes how many references they took, and releases the others (HANDLE-2).
  @inline(__always)
  func endAhead() { if namesAhead != 0 || namesBeyond != 0 { endUnusual() } }

  @inline(never)
  private func endUnusual() {
    sharedHandle._withUnsafeGuaranteedRef {
      $0.usualNames = UInt8(clamping: UInt32($0.usualNames) - namesAhead + namesBeyond)
    }
    namesBeyond = 0
    sharedHandle.release(namesAhead)
    namesAhead = 0
  }

  /// Returns the handle for the name that was declared last.
  @inlinable
  func takeHandle() -> SoupHandle { namesAhead > 0 ? takeAhead() : takeCounting() }

  @inlinable @inline(__always)
  func takeAhead() -> SoupHandle {
    namesAhead -= 1
    return sharedHandle.takeRetainedValue()
  }

  @usableFromInline
  func takeCounting() -> SoupHandle { handles.last ?? takeSharedHandle() }

  func takeSharedHandle() -> SoupHandle {
    if namesAhead > 0 { return takeAhead() }
    if isOpen { namesBeyond += 1 }
    return sharedHandle.takeUnretainedValue()
  }

  /// Returns the owner, for a name that leaves: a reference that the caller must consume.
  @inline(__always)
  func takeOwner() -> Unmanaged<SoupHandle> {
    if ownersAhead == 0 { return owner.retain() }
    ownersAhead -= 1
    return owner
  }

  /// Exchanges the shared handle of a name that leaves for the owner. Returns false if the name has another handle, or
  /// no reference to the owner is left.
  @inline(__always)
  func exchange(_ handle: inout Unmanaged<SoupHandle>) -> Bool {
    if handle.toOpaque() != sharedHandle.toOpaque() || ownersAhead == 0 { return false }
    ownersAhead &-= 1
    namesLeft &+= 1
    handle = owner
    return true
  }

  /// Adds a handle for one more name. Requires: the soup does not repeat an earlier one.
  func addHandle() {
    endAhead()
    handles.append(SoupHandle(core, owns: false))
  }

  /// The number of names that share a handle: those before the names with their own handles.
  var sharedCount: Int { crucible_soup_name_count(core) - handles.count }

  /// The names that other code refers to, by their numbers. Names that share a handle count all or none.
  func referredNames() -> NameSet {
    var referred = NameSet()
    let sharedCount = sharedCount
    let isReferredTo = sharedHandle._withUnsafeGuaranteedRef { $0.isGivenOut } || !SoupHandle.isUnique(sharedHandle)
    if sharedCount > 0 && isReferredTo {
      referred = NameSet(0..<sharedCount)
    }
    for index in handles.indices where handles[index].isGivenOut || !isKnownUniquelyReferenced(&handles[index]) {
      referred.insert(sharedCount + index)
    }
    return referred
  }
}

extension Unmanaged<SoupHandle> {
  #if CRUCIBLE_PUBLIC_RUNTIME
    /// Adds references. Requires: no other thread knows the handle.
    func retainAlone(_ count: UInt32) { for _ in 0..<count { _ = retain() } }

    func release(_ count: UInt32) { for _ in 0..<count { release() } }
  #else
    func retainAlone(_ count: UInt32) { crucible_task_retain_alone(toOpaque(), count) }

    func release(_ count: UInt32) {
      if count == 1 { return release() }
      if count > 0 { crucible_task_release_all(toOpaque(), count) }
    }
  #endif
}
