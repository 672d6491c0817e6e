import Crucible

/// The time that a task may use its thread before it yields to other work of its placement.
struct Turn {
  private let end = WaitTime.now + .milliseconds(1)

  var isOver: Bool { WaitTime.now >= end }
}
