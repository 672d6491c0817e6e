import CWindow
import Crucible
import Synchronization

/// GTK's main loop as a placement. Reactions on it may draw.
final class GTKLoop: ReactionLoop {
  var isCurrent: Bool { window_is_current() }

  func enqueue(_ work: LoopWork) {
    window_post(
      { Unmanaged<LoopWork>.fromOpaque($0).takeRetainedValue().run() }, Unmanaged.passRetained(work).toOpaque())
  }
}

/// The time that philosophers think and eat.
final class Pace: Sendable {
  private let speed = Mutex(2.0)

  func set(_ speed: Double) { self.speed.withLock { $0 = speed } }

  func sleep() async throws {
    try await Task.sleep(for: .seconds(Double.random(in: 0.4...1.6) / speed.withLock { $0 }))
  }
}
