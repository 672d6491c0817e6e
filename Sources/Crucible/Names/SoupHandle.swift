import CCrucible
import Synchronization

/// What every name of a soup refers to. One that owns keeps the soup's contents; one that does not keeps only the shell, so
/// that calling a name whose soup is gone is safe.
@usableFromInline
final class SoupHandle: @unchecked Sendable {
  let core: OpaquePointer
  let owns: Bool
  private let givenOut = Atomic<Bool>(false)
  /// Whether an owning one was made of it, which may be anywhere, or a timer.
  var isGivenOut: Bool { givenOut.load(ordering: .relaxed) }

  /// Takes over one hold if it owns.
  init(_ core: OpaquePointer, owns: Bool) {
    self.core = core
    self.owns = owns
    crucible_soup_retain_shell(core)
  }

  deinit {
    if owns { crucible_soup_release(core) }
    crucible_soup_release_shell(core)
  }

  func markGivenOut() {
    if !owns { givenOut.store(true, ordering: .relaxed) }
  }

  /// A handle that owns, or, if the soup is gone, this one.
  func owning() -> SoupHandle {
    markGivenOut()
    if owns || !crucible_soup_hold(core) { return self }
    return SoupHandle(core, owns: true)
  }
}

/// What may leave the scope of a definition: names, and what is made of names.
public protocol Leaving {
  /// The same, owning its soup, which then lives at least as long. If the soup is gone, the same unchanged.
  ///
  /// The names that ``Soup/define(_:with:file:line:_:)`` returns own already. Needed for names that leave
  /// otherwise: in a struct, a closure, a reply, another soup's molecule. Inside a body keep to the names that do not own:
  /// an owning name that a body captures, or that waits in its own soup, keeps that soup for ever.
  func owning() -> Self
}

extension Array: Leaving where Element: Leaving {
  public func owning() -> [Element] { map { $0.owning() } }
}

extension Optional: Leaving where Wrapped: Leaving {
  public func owning() -> Wrapped? { map { $0.owning() } }
}

extension Dictionary: Leaving where Value: Leaving {
  public func owning() -> [Key: Value] { mapValues { $0.owning() } }
}
