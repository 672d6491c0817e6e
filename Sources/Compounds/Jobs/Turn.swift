/// The time that a task may keep its thread before it lets other work of its placement go first.
struct Turn {
  private let end = ContinuousClock.now + .milliseconds(1)

  var isOver: Bool { ContinuousClock.now >= end }
}
