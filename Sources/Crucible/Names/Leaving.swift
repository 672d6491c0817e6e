/// A value that may leave the scope of a definition: a name, or a value made of names.
///
/// ```swift
/// struct Buffer: Leaving {
///   let put: FastInjector<String, Void>
///   let take: FastInjector<Void, String>
/// }
/// let buffer = Soup.define { soup in …; return Buffer(put: put, take: take) }
/// ```
///
/// A struct conforms by its first line alone. It leaves with all names among its fields, and with those in arrays,
/// optionals, dictionaries, tuples and structs among its fields. Names in closures and objects stay as they are.
public protocol Leaving {
  /// A copy that owns its soup. The soup lives at least as long as the copy, unless it is gone already.
  ///
  /// ```swift
  /// let kept = buffer.owning()
  /// ```
  ///
  /// The names that `Soup.define` returns own their soup already. Other names need this when they leave: in a closure,
  /// a reply, or a molecule of another soup. <doc:Ending> says which cycles a program has to avoid.
  ///
  /// A struct has this without writing it. Any other type implements it.
  ///
  /// - Complexity: O(names).
  func owning() -> Self

  /// A copy that does not own its soup: for a cache, a delegate, or a closure that the soup keeps.
  ///
  /// ```swift
  /// let guest = buffer.weak
  /// ```
  ///
  /// Once the soup is gone, a slow name injects nothing, and calling a fast one throws ``CallError/gone``.
  ///
  /// A struct has this without writing it. Any other type implements it.
  ///
  /// - Complexity: O(names).
  var weak: Self { get }

  // Internal to the library. It is a requirement because `Soup.define`, which is inlined into other modules, calls it.
  /// Makes the value at that address own its soup, like a copy by ``owning()``.
  static func _own(_ name: UnsafeMutableRawPointer)
}

extension Leaving {
  public static func _own(_ name: UnsafeMutableRawPointer) {
    let name = name.assumingMemoryBound(to: Self.self)
    name.initialize(to: name.move().owning())
  }

  public func owning() -> Self { copy(owning: true) }
  public var weak: Self { copy(owning: false) }

  private func copy(owning: Bool) -> Self {
    let parts = LeavingParts.of(Self.self)
    if parts.isEmpty && Mirror(reflecting: self).displayStyle != .struct {
      let what = owning ? "owning()" : "weak"
      fatalError("Crucible: '\(Self.self)' conforms to Leaving and is no struct: it has to implement \(what)")
    }
    return parts.copy(self, owning: owning)
  }
}

extension Array: Leaving where Element: Leaving {
  public func owning() -> [Element] { map { $0.owning() } }
  public var weak: [Element] { map(\.weak) }
}

extension Optional: Leaving where Wrapped: Leaving {
  public func owning() -> Wrapped? { map { $0.owning() } }
  public var weak: Wrapped? { map(\.weak) }
}

extension Dictionary: Leaving where Value: Leaving {
  public func owning() -> [Key: Value] { mapValues { $0.owning() } }
  public var weak: [Key: Value] { mapValues(\.weak) }
}
