import CCrucible
import CTask
import Synchronization

/// What every name of a soup refers to. One that owns keeps the soup's contents; one that does not keeps only the
/// shell, so that calling a name whose soup is gone is safe.
@usableFromInline
final class SoupHandle: @unchecked Sendable {
  /// Changes only while nobody but a thread that defines refers to it.
  @exclusivity(unchecked) private(set) var core: OpaquePointer
  let owns: Bool
  /// Whether it keeps the shell by itself. Not while the soup is being defined, or if it owns.
  @exclusivity(unchecked) private var keepsShell = false
  private let givenOut = Atomic<Bool>(false)
  /// Whether an owning one was made of it, which may be anywhere, or a timer.
  var isGivenOut: Bool { givenOut.load(ordering: .relaxed) }
  /// Of the name that was declared before, in the definition that has not ended.
  @exclusivity(unchecked) var previous: SoupHandle?

  /// Takes over one hold if it owns.
  init(_ core: OpaquePointer, owns: Bool) {
    self.core = core
    self.owns = owns
    if !owns { keepShell() }  // the contents keep it as well
  }

  /// Of a soup that is being defined and so lives.
  init(heldBySoup core: OpaquePointer) {
    self.core = core
    owns = false
  }

  /// Of another soup that is being defined. Requires: nobody else refers to it.
  func begin(_ core: OpaquePointer) {
    self.core = core
    givenOut.store(false, ordering: .relaxed)
  }

  func keepShell() {
    crucible_soup_retain_shell(core)
    keepsShell = true
  }

  deinit {
    if owns { crucible_soup_release(core) } else if keepsShell { crucible_soup_release_shell(core) }
  }

  func markGivenOut() {
    if !owns { givenOut.store(true, ordering: .relaxed) }
  }

  /// A handle that owns, or, if the soup is gone, this one.
  func owning() -> SoupHandle {
    markGivenOut()
    if owns { return self }
    if let leaving = SoupHandle.leaving, leaving.core == core { return leaving }
    if !crucible_soup_hold(core) { return self }
    return SoupHandle(core, owns: true)
  }

  /// What the names share that leave the definition which this thread ends.
  private static var leaving: SoupHandle? {
    crucible_task_current_thread().pointee.leaving
      .map { Unmanaged<SoupHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  /// From now on names of its soup own it by this handle, on this thread. Answers what to end it with.
  static func beginLeaving(by owner: Unmanaged<SoupHandle>) -> UnsafeRawPointer? {
    let outer = crucible_task_current_thread().pointee.leaving
    crucible_task_current_thread().pointee.leaving = UnsafeRawPointer(owner.toOpaque())
    return outer
  }

  static func endLeaving(_ outer: UnsafeRawPointer?) { crucible_task_current_thread().pointee.leaving = outer }

  /// A handle that does not own.
  func weak() -> SoupHandle { owns ? SoupHandle(core, owns: false) : self }
}
