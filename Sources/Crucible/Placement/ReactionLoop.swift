/// A loop that runs pieces of work one after the other on a thread of its own, as that of a UI toolkit: by this it
/// becomes a placement.
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
/// A loop that ends drops what it has not run, and whatever comes later: work that is kept, and not run, keeps its soup
/// from ever being quiet, and its callers waiting.
public protocol ReactionLoop: AnyObject, Sendable {
  /// Whether the calling thread is the loop's, and may run a body at once.
  var isCurrent: Bool { get }

  /// Sees to it that the work is run once on the loop's thread, in the order in which it came. Called on any thread, in
  /// the middle of an injection: not to block, and not to run the work.
  ///
  /// - Complexity: what the loop makes of it; each placed body pays it.
  func enqueue(_ work: LoopWork)
}
