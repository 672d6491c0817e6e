import CTask

/// The bodies that run, as an observer follows them. Each task or thread has a stack: inline bodies nest.
///
/// The thread that causes an event also reports it. So the innermost body of the thread, or of its task, is the body
/// that injects. Tasks that a body starts do not count as the body.
struct ActiveBodies<Note> {
  private struct Body {
    let instance: UInt
    let reaction: Int
    var note: Note
  }

  private var stacks: [UInt: [Body]] = [:]

  /// The task that runs on this thread, or, if there is none, the thread.
  static var here: UInt {
    RunningTask.current.map { UInt(bitPattern: $0) } ?? UInt(bitPattern: crucible_task_current_thread())
  }

  mutating func begin(_ reaction: Int, of instance: UInt, _ note: Note) {
    stacks[Self.here, default: []].append(Body(instance: instance, reaction: reaction, note: note))
  }

  /// Returns the note of the body that ends. Nil if its begin was not reported.
  mutating func end(_ reaction: Int, of instance: UInt) -> Note? {
    let here = Self.here
    guard let top = stacks[here]?.last, top.instance == instance, top.reaction == reaction else { return nil }
    stacks[here]!.removeLast()
    if stacks[here]!.isEmpty { stacks[here] = nil }
    return top.note
  }

  /// Calls `change` with the note of the innermost body of this task or thread, if it belongs to this soup, or to any.
  mutating func changeInnermost(of instance: UInt? = nil, _ change: (inout Note) -> Void) -> Bool {
    let here = Self.here
    guard let last = stacks[here]?.indices.last else { return false }
    if let instance, stacks[here]![last].instance != instance { return false }
    change(&stacks[here]![last].note)
    return true
  }
}
