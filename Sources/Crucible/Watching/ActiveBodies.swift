import CTask

/// The bodies that run, as an observer follows them: for each task, and for each thread outside tasks, a stack of them,
/// for inline bodies nest.
///
/// An event is told by the thread that causes it. So the innermost body of the thread, or of its task, is the one that
/// injects. The tasks that a body starts are not counted as the body.
struct ActiveBodies<Note> {
  private struct Body {
    let instance: UInt
    let reaction: Int
    var note: Note
  }

  private var stacks: [UInt: [Body]] = [:]

  /// The task that runs here, or else the thread.
  static var here: UInt {
    RunningTask.current.map { UInt(bitPattern: $0) } ?? UInt(bitPattern: crucible_task_current_thread())
  }

  mutating func begin(_ reaction: Int, of instance: UInt, _ note: Note) {
    stacks[Self.here, default: []].append(Body(instance: instance, reaction: reaction, note: note))
  }

  /// Returns the note of the body that ends. Nil: its begin was not told.
  mutating func end(_ reaction: Int, of instance: UInt) -> Note? {
    let here = Self.here
    guard let top = stacks[here]?.last, top.instance == instance, top.reaction == reaction else { return nil }
    stacks[here]!.removeLast()
    if stacks[here]!.isEmpty { stacks[here] = nil }
    return top.note
  }

  /// Calls `change` with the note of the innermost body here, if it is one of this soup, or of any. False: it is not.
  mutating func changeInnermost(of instance: UInt? = nil, _ change: (inout Note) -> Void) -> Bool {
    let here = Self.here
    guard let last = stacks[here]?.indices.last else { return false }
    if let instance, stacks[here]![last].instance != instance { return false }
    change(&stacks[here]![last].note)
    return true
  }
}
