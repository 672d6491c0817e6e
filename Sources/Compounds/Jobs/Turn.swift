import Crucible

/// The time that a task may use its thread before it yields to other work of its placement.
@usableFromInline
struct Turn: Sendable {
  private let end = WaitTime.now + .milliseconds(1)

  @usableFromInline init() {}

  @usableFromInline var isOver: Bool { WaitTime.now >= end }
}
