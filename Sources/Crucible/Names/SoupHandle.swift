import CCrucible
import Synchronization

/// The object that every name of a soup refers to. An owning handle keeps the soup's contents. Any other handle keeps
/// only the shell, so that it is safe to call a name whose soup is gone.
@usableFromInline
final class SoupHandle: @unchecked Sendable {
  let core: OpaquePointer
  @usableFromInline let owns: Bool
  /// Whether the handle itself keeps the shell. False if it owns, or while the soup keeps the shell.
  @exclusivity(unchecked) private var keepsShell = false
  private let givenOut = Atomic<Bool>(false)
  /// The number of names and controls that shared it in the last definition that completed.
  @exclusivity(unchecked) var usualNames: UInt8 = 0
  /// Whether an owning handle or a timer was made from it. Such a handle may be anywhere.
  var isGivenOut: Bool { givenOut.load(ordering: .relaxed) }

  /// Makes a handle. If it owns, it consumes one hold.
  init(_ core: OpaquePointer, owns: Bool) {
    self.core = core
    self.owns = owns
    if !owns { keepShell() }  // the contents of an owner keep the shell
  }

  private init(keptBy core: OpaquePointer) {
    self.core = core
    owns = false
  }

  /// Returns the handle that the soup keeps, and that its names share during the definition. If an earlier soup in the
  /// same memory left a handle, this returns that one, reset.
  static func kept(by core: OpaquePointer) -> Unmanaged<SoupHandle> {
    if let kept = crucible_soup_kept(core) {
      let handle = Unmanaged<SoupHandle>.fromOpaque(kept)
      handle._withUnsafeGuaranteedRef { $0.givenOut.store(false, ordering: .relaxed) }
      return handle
    }
    let handle = Unmanaged.passRetained(SoupHandle(keptBy: core))
    crucible_soup_keep(core, handle.toOpaque())
    return handle
  }

  /// Called when the contents of the handle's soup, or their memory, are gone.
  static let endKept: @convention(c) (UnsafeMutableRawPointer, Bool) -> Bool = { kept, stays in
    let handle = Unmanaged<SoupHandle>.fromOpaque(kept)
    if isUnique(handle) {
      // Other threads' uses of their references happen before all actions of the next soup.
      atomicMemoryFence(ordering: .acquiring)  // partner: the release of a reference by another thread
      if stays { return true }
    } else {
      handle._withUnsafeGuaranteedRef { $0.keepShell() }
    }
    handle.release()
    return false
  }

  static func isUnique(_ handle: Unmanaged<SoupHandle>) -> Bool {
    var place = handle.toOpaque()
    return withUnsafeMutablePointer(to: &place) { place in
      // Tests in place, because an own reference would be one more.
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

  /// Returns a handle that owns, or, if the soup is gone, this one.
  func owning() -> SoupHandle {
    markGivenOut()
    if owns { return self }
    if let soup = Soup.leaving, soup._withUnsafeGuaranteedRef({ $0.core == core }) {
      return soup._withUnsafeGuaranteedRef { $0.takeOwner() }.takeRetainedValue()
    }
    if !crucible_soup_hold(core) { return self }
    return SoupHandle(core, owns: true)
  }

  func weak() -> SoupHandle { owns ? SoupHandle(core, owns: false) : self }
}

extension Soup {
  /// A name that may leave its definition: an ``Injector``, a ``FastInjector`` or a ``Fact``. No other type conforms.
  public protocol Name: Input, Leaving, Hashable, CustomStringConvertible {}
}

extension Soup.Name {
  /// The label of the name.
  public var description: String { labelOfName(_name!) }
  public func owning() -> Self { AnyName.copy(self, owning: true) }
  public var weak: Self { AnyName.copy(self, owning: false) }

  /// Whether both are the same name of the same soup. Whether they own the soup does not matter.
  public static func == (a: Self, b: Self) -> Bool { a._name == b._name }
  public func hash(into hasher: inout Hasher) { hasher.combine(_name) }
}

/// The members of every ``Soup/Name``, in their order. Every name has the layout of this type, with any type of value.
/// Generic code would search for the type of each name to change the name in place.
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

  static func own(_ name: UnsafeMutableRawPointer) {
    assert(isInOrder, "the members of the names lie in another order")
    let name = name.assumingMemoryBound(to: AnyName.self)
    name.pointee.owns = own(&name.pointee.handle)
  }

  /// Returns a copy of a name that owns its soup, or does not.
  static func copy<Name>(_ name: Name, owning: Bool) -> Name {
    var copy = name
    withUnsafeMutablePointer(to: &copy) { copy in
      if owning { return own(copy) }
      copy.withMemoryRebound(to: AnyName.self, capacity: 1) { copy in
        crucible_name_set_weak(copy.pointee.name)  // no injection after the soup's end needs a warning
        let old = copy.pointee.handle
        copy.pointee.handle = old._withUnsafeGuaranteedRef { Unmanaged.passRetained($0.weak()) }
        copy.pointee.owns = false
        old.release()
      }
    }
    return copy
  }

  /// Makes the handle an owning one, if the soup lives. Returns whether it owns.
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
