import CCrucible
import CTask
import Synchronization

/// The object that every name of a soup refers to. One that owns keeps the soup's contents. One that does not keeps
/// only the shell, so that calling a name whose soup is gone is safe.
@usableFromInline
final class SoupHandle: @unchecked Sendable {
  let core: OpaquePointer
  @usableFromInline let owns: Bool
  /// Whether it keeps the shell by itself. Not if it owns, or while the soup keeps it.
  @exclusivity(unchecked) private var keepsShell = false
  private let givenOut = Atomic<Bool>(false)
  /// How many names and controls shared it in the last definition that has completed.
  @exclusivity(unchecked) var usualNames: UInt8 = 0
  /// Whether an owning one was made of it, which may be anywhere, or a timer.
  var isGivenOut: Bool { givenOut.load(ordering: .relaxed) }
  /// The `Patience` of the waits for replies.
  let patience = Atomic(Patience().rawValue)

  /// Takes over one hold if it owns.
  init(_ core: OpaquePointer, owns: Bool) {
    self.core = core
    self.owns = owns
    if !owns { keepShell() }  // the contents keep it as well
  }

  private init(keptBy core: OpaquePointer) {
    self.core = core
    owns = false
  }

  /// The handle that the soup keeps, which its names share while it is being defined: that of an earlier soup in its
  /// memory, if there is one, as good as new.
  static func kept(by core: OpaquePointer) -> Unmanaged<SoupHandle> {
    if let kept = crucible_soup_kept(core) {
      let handle = Unmanaged<SoupHandle>.fromOpaque(kept)
      handle._withUnsafeGuaranteedRef {
        $0.givenOut.store(false, ordering: .relaxed)
        $0.patience.store(Patience().rawValue, ordering: .relaxed)
      }
      return handle
    }
    let handle = Unmanaged.passRetained(SoupHandle(keptBy: core))
    crucible_soup_keep(core, handle.toOpaque())
    return handle
  }

  /// The contents of its soup are gone, or their memory is.
  static let endKept: @convention(c) (UnsafeMutableRawPointer, Bool) -> Bool = { kept, stays in
    let handle = Unmanaged<SoupHandle>.fromOpaque(kept)
    if isUnique(handle) {
      // The uses of the references by other threads come before what the next soup does.
      atomicMemoryFence(ordering: .acquiring)  // partner: the release of a reference by another thread
      if stays { return true }
    } else {
      handle._withUnsafeGuaranteedRef { $0.keepShell() }
    }
    handle.release()
    return false
  }

  /// Whether nothing else refers to it.
  static func isUnique(_ handle: Unmanaged<SoupHandle>) -> Bool {
    var place = handle.toOpaque()
    return withUnsafeMutablePointer(to: &place) { place in
      // Not a reference of its own, which would be another one.
      place.withMemoryRebound(to: SoupHandle.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }

  private func keepShell() {
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
    if let soup = Soup.leaving, soup._withUnsafeGuaranteedRef({ $0.core == core }) {
      return soup._withUnsafeGuaranteedRef { $0.takeOwner() }.takeRetainedValue()
    }
    if !crucible_soup_hold(core) { return self }
    return SoupHandle(core, owns: true)
  }

  /// A handle that does not own.
  func weak() -> SoupHandle { owns ? SoupHandle(core, owns: false) : self }
}

/// The members of an ``Injector`` and of a ``FastInjector``, in their order: whatever it carries, it lies in memory as
/// one of these. Generic code would look for the type of each name to change it in place.
struct AnyName {
  private let name: OpaquePointer
  private var handle: Unmanaged<SoupHandle>
  private var owns: Bool

  private static let isInOrder =
    MemoryLayout<Injector<Int>>.offset(of: \.handle) == MemoryLayout<AnyName>.offset(of: \.handle)
    && MemoryLayout<Injector<Int>>.offset(of: \.owns) == MemoryLayout<AnyName>.offset(of: \.owns)
    && MemoryLayout<FastInjector<Int, Int>>.offset(of: \.handle) == MemoryLayout<AnyName>.offset(of: \.handle)
    && MemoryLayout<FastInjector<Int, Int>>.offset(of: \.owns) == MemoryLayout<AnyName>.offset(of: \.owns)
    && MemoryLayout<Soup.Fact<Int>>.offset(of: \.handle) == MemoryLayout<AnyName>.offset(of: \.handle)
    && MemoryLayout<Soup.Fact<Int>>.offset(of: \.owns) == MemoryLayout<AnyName>.offset(of: \.owns)
    && MemoryLayout<Soup.Control>.offset(of: \.handle) == 0

  /// Makes the name there own its soup.
  static func own(_ name: UnsafeMutableRawPointer) {
    assert(isInOrder, "the members of the names lie in another order")
    let name = name.assumingMemoryBound(to: AnyName.self)
    name.pointee.owns = own(&name.pointee.handle)
  }

  /// Makes the handle one that owns, if the soup lives. Answers whether it owns.
  static func own(_ handle: inout Unmanaged<SoupHandle>) -> Bool {
    if let soup = Soup.leaving, soup._withUnsafeGuaranteedRef({ $0.exchange(&handle) }) { return true }
    return ownAlone(&handle)
  }

  @inline(never)
  private static func ownAlone(_ handle: inout Unmanaged<SoupHandle>) -> Bool {
    let old = handle
    let owning = old._withUnsafeGuaranteedRef { $0.owning() }
    let owns = owning.owns
    handle = Unmanaged.passRetained(owning)
    old.release()
    return owns
  }
}
