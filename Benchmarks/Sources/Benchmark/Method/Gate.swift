import CHarness

/// A gate that the last body of a run on the pool opens. The thread that started the run waits for it.
final class Gate: @unchecked Sendable {  // a semaphore, and two times that it orders
  private let handle = harness_gate_create()

  deinit { harness_gate_destroy(handle) }

  /// Stops the clock, and lets the run's starter go on.
  func open() { harness_gate_open(handle) }

  /// Runs `start`, and waits until the gate is opened.
  func run(_ start: () -> Void) -> harness_sample {
    var sample = harness_sample()
    harness_gate_begin(handle, &sample)
    start()
    harness_gate_wait(handle, &sample)
    return sample
  }
}
