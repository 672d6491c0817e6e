extension Soup {
  /// An event in a soup, which its observers receive.
  ///
  /// ```swift
  /// let observation = control.observe { event in log.debug("\(event)") }
  /// ```
  ///
  /// The events of one thread come in the order in which they happen. The injection of a molecule comes first, then its
  /// consumption or withdrawal. For a firing, the consumed molecules come before the start and the end of the body.
  public struct Event: Sendable, CustomStringConvertible {
    /// The soup in which it happened.
    public let soup: Soup.Definition
    /// The kind of the event, with its details.
    public let kind: Kind
    /// The key of the molecule, or of those that the body has consumed. Nil if their names have no keys, after a call
    /// has been injected for what becomes of its caller, and for a firing that its place has dropped.
    public let key: (any Hashable & Sendable)?
    /// Tells soups of one definition apart that live at the same time.
    let instance: UInt
    /// The address of the injected value, or of the record of the call that ends. Only a controlled run reads it. 0: it
    /// is unknown.
    let address: UInt

    /// The kinds of events.
    public enum Kind: Sendable {
      /// The soup's definition has ended.
      case made
      /// The soup is about to inject `count` molecules. Reactions may consume them at once, after this event.
      case injected(Molecule, count: Int)
      /// `count` molecules were not injected after all: the soup was stopped meanwhile, or there was no memory. If the
      /// soup was stopped during the injection, the stop may drop the molecule instead, with those that waited.
      case refused(Molecule, count: Int)
      /// A reaction has a molecule of this name now. It takes a state, and only reads a fact.
      case consumed(Molecule, by: Soup.ReactionInfo)
      /// A body begins.
      case started(Soup.ReactionInfo)
      /// A body has ended.
      case finished(Soup.ReactionInfo)
      /// A body has ended by an error.
      case threw(Soup.ReactionInfo, any Error)
      /// A caller gets its reply.
      case replied(Molecule)
      /// A call's molecule was withdrawn, and no reaction will see it.
      case withdrew(Molecule)
      /// A molecule has expired, before any name gets its value.
      case expired(Molecule)
      /// A molecule is dropped for lack of room, before any name gets its value: this one, or an older one.
      case displaced(Molecule)
      /// A call ends because its time is over.
      case timedOut(Molecule)
      /// A call ends because its task was cancelled.
      case cancelled(Molecule)
      /// A call ends without a reply for another reason: its body threw or dropped it, or its soup has dropped it.
      case failed(Molecule)
      /// No reaction fires from now on.
      case paused
      /// Reactions fire again.
      case resumed
      /// The soup dropped molecules that waited; the value is their number.
      case cleared(dropped: Int)
      /// From now on the soup refuses molecules from outside.
      case draining
      /// From now on the soup refuses all molecules, and nothing reacts. The value is the number dropped until now.
      case stopped(dropped: Int)
      /// A stopped soup runs again, with its states set back.
      case restarted
      /// The soup's contents are gone.
      case gone
    }

    /// A name of the soup.
    public struct Molecule: Sendable, Hashable, CustomStringConvertible {
      /// The name's label.
      public let label: String
      let name: UInt

      /// Whether the molecule has this name.
      ///
      /// ```swift
      /// let observation = control.observe { event in
      ///   if case .withdrew(let molecule) = event.kind, molecule.is(order) { log.debug("given up") }
      /// }
      /// ```
      ///
      /// - Complexity: O(1).
      public func `is`(_ name: some Soup.Name) -> Bool { self.name == UInt(bitPattern: name._name) }
      public var description: String { label }
    }

    /// The event in one line.
    public var description: String { "\(soup): \(text)" + (key.map { ", key \($0)" } ?? "") }

    private var text: String {
      switch kind {
      case .made: "made"
      case .injected(let molecule, let count): count == 1 ? "injected \(molecule)" : "injected \(count) \(molecule)"
      case .refused(let molecule, let count): count == 1 ? "refused \(molecule)" : "refused \(count) \(molecule)"
      case .consumed(let molecule, let reaction): "consumed \(molecule) by \(reaction)"
      case .started(let reaction): "started \(reaction)"
      case .finished(let reaction): "finished \(reaction)"
      case .threw(let reaction, let error): "threw \(reaction): \(error)"
      case .replied(let molecule): "replied to \(molecule)"
      case .withdrew(let molecule): "withdrew \(molecule)"
      case .expired(let molecule): "expired: \(molecule)"
      case .displaced(let molecule): "displaced: \(molecule)"
      case .timedOut(let molecule): "timed out: \(molecule)"
      case .cancelled(let molecule): "cancelled: \(molecule)"
      case .failed(let molecule): "failed: \(molecule)"
      case .paused: "paused"
      case .resumed: "resumed"
      case .cleared(let dropped): "cleared, \(dropped) dropped"
      case .draining: "draining"
      case .stopped(let dropped): "stopped, \(dropped) dropped"
      case .restarted: "restarted"
      case .gone: "gone"
      }
    }
  }
}
