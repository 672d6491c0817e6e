import CCrucible
import Synchronization

extension Soup {
  /// Something in a definition that is probably not meant.
  ///
  /// ```swift
  /// for warning in control.warnings { print(warning) }
  /// ```
  ///
  /// Each is logged when the definition ends, once in a process for each place in the source.
  /// ``Soup/Control/warnings`` has them as values. What is found alike of many reactions or names is one warning, which
  /// counts the others. Where a warning is meant, it is turned off: for a reaction or a name by `Soup.allow`, for a
  /// soup by ``Soup/Options/allowing``.
  public struct Warning: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of warnings, by which a definition can allow them.
    public enum Kind: Sendable, Hashable, CaseIterable {
      /// Another reaction needs only a part of this one's inputs: whenever this one could fire, the other could as
      /// well.
      case shadowed
      /// Another reaction has the very same inputs: which of them fires is chosen at random.
      case identical
      /// A reaction can never fire, for it needs a molecule that nothing injects.
      case neverFires
      /// No reaction of the soup can ever fire, for each needs a molecule that nothing injects.
      case inert
      /// A fast molecule can be called, but each of its reactions needs a molecule that nothing injects: its callers
      /// would wait for ever.
      case neverServed
      /// Several names of the soup have one label: messages, events and ``Soup/Snapshot/subscript(_:)`` cannot tell
      /// them apart.
      case sameLabel
      /// A slow molecule was injected after its soup had gone, by a name that does not own the soup. Logged once for
      /// each declaration of such a name, unless its ``Injector/weak`` was asked for; no definition can allow it,
      /// because the soup is gone.
      case gone
    }

    /// The kind of the warning.
    public let kind: Kind
    /// The soup's label, and where it is defined.
    public let soup: Soup.Definition
    /// The subject of the warning: the pattern of a reaction, the label of a name, or the label of the soup.
    public let subject: String
    /// Where that is declared.
    public let source: Soup.Source
    /// How many more reactions or names of the soup the same was found of.
    public internal(set) var others = 0
    let reason: String

    init(_ kind: Kind, _ soup: Soup.Definition, _ subject: String, at source: Soup.Source, _ reason: String) {
      self.kind = kind
      self.soup = soup
      self.subject = subject
      self.source = source
      self.reason = reason
    }

    /// All of it in one line.
    public var description: String {
      let more = others == 0 ? "" : " (and \(others) more like it)"
      return (source == soup.source ? "\(soup): \(reason)" : "\(soup): \(subject) (\(source)): \(reason)") + more
    }

    /// Not a closure itself: each look into a mutex over a function type would wrap it once more.
    private struct Handler { var call: @Sendable (Soup.Warning) -> Void }

    private static let handler = Mutex(Handler { $0.write() })

    /// Gets each warning when it comes up. At first it is written to standard error, in one line.
    public static var log: @Sendable (Soup.Warning) -> Void {
      get { handler.withLock { $0.call } }
      set { handler.withLock { $0.call = newValue } }
    }

    private static let logged = Mutex<Set<Soup.Warning>>([])

    /// Logs it, unless the same has been logged of another soup that was defined here, with as many others or not.
    func logOnce() {
      var finding = self
      finding.others = 0
      let isNew = Soup.Warning.logged.withLock { [finding] logged in
        logged.count < 1000 && logged.insert(finding).inserted  // so many places: nobody reads any more
      }
      if isNew { Soup.Warning.log(self) }
    }

    /// A slow molecule was injected into a soup that is gone; its injector may not have looked at the answer.
    static let logGone: @convention(c) (OpaquePointer) -> Void = { name in
      let kind = crucible_name_kind(name)
      if kind != CRUCIBLE_SLOW && kind != CRUCIBLE_FACT || crucible_name_is_weak(name) { return }
      let label = String(cString: crucible_name_label(name))
      Soup.Warning(
        .gone, Soup.Definition(crucible_name_soup(name)), label, at: Soup.Source(ofName: name),
        """
        '\(label)' was injected after the soup had gone, and dropped: return the name from the definition, or keep \
        `name.owning()`
        """
      ).logOnce()
    }

    private func write() { writeToStandardError("Crucible: warning: \(self)") }
  }
}

extension Soup {
  /// Says that warnings of these kinds about the reaction are meant.
  ///
  /// ```swift
  /// let reaction = soup.react(page) { page in print(page) }
  /// soup.allow(.neverFires, in: reaction)
  /// soup.allow(.neverServed, of: page)
  /// ```
  ///
  /// - Complexity: O(kinds).
  public func allow(_ kinds: Soup.Warning.Kind..., in reaction: Reaction) {
    SoupContext.of(core).allowed.reactions[reaction.index, default: []].formUnion(kinds)
  }

  /// Says that warnings of these kinds about the name are meant.
  public func allow(_ kinds: Soup.Warning.Kind..., of name: some Consumable) {
    SoupContext.of(core).allowed.names[crucible_name_index(name.name), default: []].formUnion(kinds)
  }

  /// Says that warnings of these kinds about the fact are meant.
  public func allow<Value>(_ kinds: Soup.Warning.Kind..., of fact: Fact<Value>) {
    SoupContext.of(core).allowed.names[crucible_name_index(fact.name), default: []].formUnion(kinds)
  }
}

extension Soup.Control {
  /// The probable mistakes in the definition. Empty when the soup is gone.
  public var warnings: [Soup.Warning] {
    guard crucible_soup_hold(core) else { return [] }
    defer { crucible_soup_release(core) }
    return SoupContext.known(of: core)?.warnings ?? []
  }
}

/// Warnings that are meant.
struct AllowedWarnings {
  var everywhere: Set<Soup.Warning.Kind>
  var reactions: [Int: Set<Soup.Warning.Kind>] = [:]
  var names: [Int: Set<Soup.Warning.Kind>] = [:]
}
