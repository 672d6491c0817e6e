import CCrucible

/// A call that no reaction could ever have answered, because each needs something that the caller keeps until the call
/// ends. Nothing was injected.
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
/// A state: the library knows the states of the innermost body on the calling thread, for blocking calls. It knows
/// those of an `async` body for calls that the body awaits in its own task. It does not see a call by way of another
/// soup's body, another thread or another task, and such a call waits. Update the state in the body itself, or reply to
/// the caller and let the rest be another reaction's.
///
/// The definition: the library knows blocking calls that its own thread makes before it has ended. Make the call after
/// the definition.
///
/// A place: the library knows the main actor, actors, serial queues and loops. Their `async` bodies wait until the
/// caller leaves. While the caller waits, it runs synchronous bodies itself, except on an actor. Await the call
/// instead.
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

  /// The label of the soup.
  public let soup: String
  /// The label of the molecule that was called.
  public let molecule: String
  /// The thing that the caller has, and that every reaction that could answer needs.
  public let cause: Cause

  init(calling name: OpaquePointer, _ cause: Cause) {
    soup = labelOfSoup(crucible_name_soup(name))
    molecule = labelOfName(name)
    self.cause = cause
  }

  public var description: String {
    let beginning = "Every reaction of soup '\(soup)' that consumes '\(molecule)'"
    return switch cause {
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
