/// The placement of bodies that are isolated to the main actor. The compiler checks the isolation.
public struct MainPlacement: Sendable {
  /// On the main actor. If the injector is there already, the body runs at once, in the middle of its injection, as
  /// with ``Placement/inline``. Otherwise it runs in a task of the main actor.
  ///
  /// ```swift
  /// soup.react(page, on: .main) { page in window.show(page) }
  /// ```
  ///
  /// While a blocking call waits on the main thread, it runs the synchronous bodies that are placed here. So it does
  /// not wait for itself. A call that only `async` bodies here could answer fails with ``Deadlock``.
  public static let main = MainPlacement()
}
