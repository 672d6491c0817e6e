import CCrucible

/// A call that no reaction could ever have answered, because each needs what the caller keeps. Nothing was injected.
///
/// The caller keeps a state if the call is inside a body that has it. It holds up the definition if it makes a blocking
/// call inside it. It occupies the place where it runs if it makes a blocking call there.
///
/// ```swift
/// soup.react(state: counter, increment) { n, _ in
///   do { n = try value.blocking() } catch CallError.failed(let error as Deadlock) {
///     print(error.cause)      // the state `counter`, which `value` needs as well
///   }
/// }
/// ```
///
/// If a thread blocks, the library knows which states the bodies on its stack have, in every soup. If a task waits, it
/// knows those of the `async` body that the task runs. If a body lets another thread or task make the call, and waits
/// for that, the library does not know, and the call waits. Update the state in the body itself, or reply to the caller
/// and let the rest be another reaction's. <doc:Placing> says which places a caller occupies.
public struct Deadlock: Error, Equatable, CustomStringConvertible {
  /// The thing that the caller has.
  public enum Cause: Equatable, Sendable {
    /// The state with this label.
    case state(String)
    /// The placement with this description.
    case placement(String)
    /// The thread that defines the soup, with the file and line of the call.
    case definition(String)
  }

  /// A body on the stack of the calling thread.
  public struct Body: Equatable, Sendable, CustomStringConvertible {
    /// The soup of the body.
    public let soup: Soup.Definition
    /// The reaction of the body.
    public let reaction: Soup.ReactionInfo

    public var description: String { "\(reaction.pattern) of soup '\(soup.label)' (\(reaction.source))" }
  }

  /// The label of the soup.
  public let soup: String
  /// The label of the molecule that was called.
  public let molecule: String
  /// The thing that the caller has, and that every reaction that could answer needs.
  public let cause: Cause
  /// The bodies that wait for this call, from the one that has the state to the innermost one on the calling thread,
  /// which calls. Empty if the cause is no state, or if the body of a task has it.
  public let bodies: [Body]

  init(calling name: OpaquePointer, _ cause: Cause, _ bodies: [Body] = []) {
    soup = labelOfSoup(crucible_name_soup(name))
    molecule = labelOfName(name)
    self.cause = cause
    self.bodies = bodies
  }

  public var description: String {
    let beginning = "Every reaction of soup '\(soup)' that consumes '\(molecule)'"
    return switch cause {
    case .state(let state) where bodies.count > 1:
      """
      \(beginning) needs its state '\(state)', which a body has that waits for this very call. From the outermost: \
      \(bodies.map(\.description).joined(separator: ", then "))
      """
    case .state(let state): "\(beginning) needs its state '\(state)', which this very body has."
    case .placement(let place):
      "\(beginning) needs \(place) to be free, which this very call blocks: await the call instead."
    case .definition(let call):
      """
      '\(molecule)' was called, blocking, inside the definition of its soup '\(soup)' (\(call)): no reaction \
      replies before the definition has ended. Call it after that.
      """
    }
  }
}

extension Deadlock.Body {
  /// The bodies on this thread from the one that has the state to the innermost one.
  static func all(upToHolderOf state: OpaquePointer) -> [Deadlock.Body] {
    [crucible_body_here](roomFor: 8) { crucible_thread_bodies(state, $0, $1) }.reversed().map {
      Deadlock.Body(soup: Soup.Definition($0.soup), reaction: Soup.ReactionInfo($0.reaction, in: $0.soup))
    }
  }
}
