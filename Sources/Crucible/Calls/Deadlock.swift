import CCrucible

/// A call that could never have been answered, because every reaction that consumes its molecule needs what the caller
/// has until the call ends: a state, by a call inside a body that has it; the end of the definition, by a blocking call
/// inside it; or the place where the caller runs, by a blocking call there. Nothing was injected.
///
/// ```swift
/// soup.react(state: counter, increment) { n, _ in
///   do { n = try value.blocking() } catch CallError.failed(let error as Deadlock) {
///     print(error.cause)      // the state `counter`, which `value` needs as well
///   }
/// }
/// ```
///
/// A state: known for blocking calls of the innermost body on the calling thread, and for calls that an `async` body
/// awaits in its own task; a call by way of another soup's body, another thread or another task is not seen, and waits.
/// Update the state in the body itself, or reply to the caller and let the rest be another reaction's.
///
/// The definition: known of blocking calls that its own thread makes before it has ended. Make the call after the
/// definition.
///
/// A place: known of the main actor, actors, serial queues and loops, whose `async` bodies wait until the caller
/// leaves. (A synchronous body is run by the caller itself while it waits, except on an actor.) Await the call instead.
public struct Deadlock: Error, Equatable, CustomStringConvertible {
  /// The thing that the caller has.
  public enum Cause: Equatable, Sendable {
    /// The state with this label.
    case state(String)
    /// The placement with this description.
    case placement(String)
    /// The thread that defines the soup; with the file and line of the call.
    case definition(String)
  }

  /// The label of the soup.
  public let soup: String
  /// The label of the molecule that was called.
  public let molecule: String
  /// The thing that the caller has, and that every reaction needs which could answer.
  public let cause: Cause

  init(calling name: OpaquePointer, _ cause: Cause) {
    soup = String(cString: crucible_soup_label(crucible_name_soup(name)))
    molecule = String(cString: crucible_name_label(name))
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
