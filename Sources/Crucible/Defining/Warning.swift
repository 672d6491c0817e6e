import CCrucible

extension Soup {
  /// A probable mistake in a definition.
  ///
  /// ```swift
  /// for warning in control.warnings { print(warning) }
  /// ```
  ///
  /// <doc:Watching> says when the library logs them. If the program means what a warning is about, `Soup.allow` turns
  /// it off for a reaction or a name, and ``Soup/Options/allowing`` for a soup.
  public struct Warning: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of warnings. A definition can allow each kind.
    public enum Kind: Sendable, Hashable, CaseIterable {
      /// Another reaction needs only a part of this one's inputs, and so can fire whenever this one can.
      case shadowed
      /// Another reaction has exactly the same inputs: a random choice decides which of them fires.
      case identical
      /// A reaction can never fire, because it needs a molecule that nothing injects.
      case neverFires
      /// No reaction of the soup can ever fire, because each needs a molecule that nothing injects.
      case inert
      /// A fast molecule can be called, but each of its reactions needs a molecule that nothing injects.
      case neverServed
      /// Several names of the soup have one label: messages, events and counts cannot tell them apart.
      case sameLabel
      /// A slow molecule was injected after its soup had gone, by a name that does not own the soup. The library logs
      /// it once for each declaration of such a name, unless the program used its ``Leaving/weak``. No definition can
      /// allow it, because the soup is gone.
      case gone
      /// A body on ``Placement/automatic`` blocked, or took long, on the thread of a caller that waited for it. From
      /// then on the reaction's bodies run on the pool. The library logs it once for each reaction in the source.
      case outlasts
      /// 100,000 molecules of a name without a capacity wait, or more. They take memory, and the last of them waits for
      /// all others. The library logs it once for each declaration. Molecules that carry nothing do not count where
      /// they take no memory.
      case backlog
    }

    /// The kind of the warning.
    public let kind: Kind
    /// The label of the soup, and the place of its definition.
    public let soup: Soup.Definition
    /// The subject of the warning: the pattern of a reaction, the label of a name, or the label of the soup.
    public let subject: String
    /// The place of the subject's declaration.
    public let source: Soup.Source
    /// The number of further reactions or names of the soup with the same mistake.
    public internal(set) var others = 0
    let reason: String

    init(_ kind: Kind, _ soup: Soup.Definition, _ subject: String, at source: Soup.Source, _ reason: String) {
      self.kind = kind
      self.soup = soup
      self.subject = subject
      self.source = source
      self.reason = reason
    }

    /// The warning in one line.
    public var description: String {
      let more = others == 0 ? "" : " (and \(others) more like it)"
      return (source == soup.source ? "\(soup): \(reason)" : "\(soup): \(subject) (\(source)): \(reason)") + more
    }

    private static let handler = Guarded(Handler<Soup.Warning> { $0.write() })

    /// Gets each warning as soon as it is found. By default, it writes one line to standard error.
    public static var log: @Sendable (Soup.Warning) -> Void {
      get { handler.withLock { $0.call } }
      set { handler.withLock { $0.call = newValue } }
    }

    private static let logged = Guarded<Set<Soup.Warning>>([])

    /// Logs the warning, unless that of another soup of this definition was logged, with any number of others.
    func logOnce() {
      var finding = self
      finding.others = 0
      let isNew = Soup.Warning.logged.withLock { [finding] logged in
        logged.count < 1000 && logged.insert(finding).inserted  // a limit: nobody reads more warnings
      }
      if isNew { Soup.Warning.log(self) }
    }

    /// Logs that a slow molecule was injected into a soup that is gone; the injecting code may have ignored the result.
    private static func logGone(_ name: OpaquePointer) {
      let kind = crucible_name_kind(name)
      if kind != CRUCIBLE_SLOW && kind != CRUCIBLE_FACT || crucible_name_is_weak(name) { return }
      let label = labelOfName(name)
      Soup.Warning(
        .gone, Soup.Definition(crucible_name_soup(name)), label, at: Soup.Source(ofName: name),
        """
        '\(label)' was injected after the soup had gone, and dropped: return the name from the definition, or keep \
        `name.owning()`
        """
      ).logOnce()
    }

    static let tell: @convention(c) (OpaquePointer, UInt64) -> Void = { name, waiting in
      if waiting == 0 { logGone(name) } else { logBacklog(name, waiting) }
    }

    /// Logs that so many molecules of a name wait. The caller holds the soup.
    private static func logBacklog(_ name: OpaquePointer, _ waiting: UInt64) {
      let core: OpaquePointer = crucible_name_soup(name)
      if let allowed = SoupContext.known(of: core)?.allowed {
        if allowed.everywhere.contains(.backlog) { return }
        if allowed.names[crucible_name_index(name)]?.contains(.backlog) == true { return }
      }
      let label = labelOfName(name)
      Soup.Warning(
        .backlog, Soup.Definition(core), label, at: Soup.Source(ofName: name),
        """
        \(waiting) molecules of '\(label)' wait, or more: declare it with a `capacity` and `whenFull`, let more bodies \
        consume it, or allow the warning
        """
      ).logOnce()
    }

    private func write() { writeToStandardError("Crucible: warning: \(self)") }
  }

  /// Turns off warnings of these kinds about the reaction.
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

  /// Turns off warnings of these kinds about the name.
  public func allow(_ kinds: Soup.Warning.Kind..., of name: some Name) {
    SoupContext.of(core).allowed.names[crucible_name_index(name._name!), default: []].formUnion(kinds)
  }
}

extension Soup.Control {
  /// The probable mistakes in the definition. Empty when the soup is gone.
  public var warnings: [Soup.Warning] {
    whileHeld(core) { SoupContext.known(of: core)?.warnings } ?? []
  }
}

struct AllowedWarnings {
  var everywhere: Set<Soup.Warning.Kind>
  var reactions: [Int: Set<Soup.Warning.Kind>] = [:]
  var names: [Int: Set<Soup.Warning.Kind>] = [:]
}
