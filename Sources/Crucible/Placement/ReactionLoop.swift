/// A placement: a loop that runs pieces of work one after the other on its own thread, as a UI toolkit does.
///
/// ```swift
/// final class GTKLoop: ReactionLoop {
///   var isCurrent: Bool { g_main_context_is_owner(nil) != 0 }
///   func enqueue(_ work: LoopWork) {
///     g_idle_add({ context in
///       Unmanaged<LoopWork>.fromOpaque(context!).takeRetainedValue().run()
///       return 0
///     }, Unmanaged.passRetained(work).toOpaque())
///   }
/// }
/// soup.react(page, on: .loop(GTKLoop())) { page in show(page) }
/// ```
///
/// Requires: a loop that ends releases the work that it has not run, and all work that comes later. If it keeps such
/// work, the soup is never quiet, and its callers wait for ever.
public protocol ReactionLoop: AnyObject, Sendable {
  /// Whether the calling thread is the loop's, and may run a body at once.
  var isCurrent: Bool { get }

  /// Has the loop run the work once, on the loop's thread, in the order in which work came. Called on any thread, in
  /// the middle of an injection: it must not block, and must not run the work itself.
  ///
  /// - Complexity: up to the loop; each placed body pays it.
  func enqueue(_ work: LoopWork)
}
