/// The placement of bodies that are isolated to the main actor, as the compiler checks.
public struct MainPlacement: Sendable {
  /// On the main actor: at once when the injector is there already, in the middle of its injection, as with
  /// ``Placement/inline``; else in a task of the main actor.
  ///
  /// ```swift
  /// soup.react(page, on: .main) { page in window.show(page) }
  /// ```
  ///
  /// A blocking call on the main thread runs the synchronous bodies that come to be placed here while it waits: so it
  /// does not wait for itself. One that only `async` bodies here could answer fails with ``Deadlock``.
  public static let main = MainPlacement()
}
