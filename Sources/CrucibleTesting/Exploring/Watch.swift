import Dispatch

/// Ends the process with a message if an exploration takes no step for long: its thread blocks outside of the run's
/// control, for example in a semaphore, and has the turn.
final class Watch {
  private let timer = DispatchSource.makeTimerSource(queue: .global())
  private static let patience = 20

  init(_ engine: Engine) {
    nonisolated(unsafe) var last = (steps: -1, times: 0)
    timer.setEventHandler { [weak engine] in
      guard let engine, engine.isOpen else { return }  // on a busy machine the test goes on long after the last run
      let steps = engine.progress
      last = steps == last.steps ? (steps, last.times + 1) : (steps, 0)
      if last.times < Self.patience { return }
      engine.crashText.write()
      fatalError("Crucible: explore: no step for \(Self.patience) s: '\(engine.nameOfTurn)' blocks, or runs for ever")
    }
    timer.schedule(deadline: .now() + 1, repeating: 1)
    timer.resume()
  }

  func end() { timer.cancel() }
}
