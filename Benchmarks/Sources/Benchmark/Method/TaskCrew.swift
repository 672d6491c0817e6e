import CHarness
import Synchronization

/// Tasks that start together on the threads of Swift's runtime, and share rounds like the threads of a crew.
final class TaskCrew: Sendable {
  private let tasks: Int
  /// The time, in ns, in which a run may deal out rounds. 0 means until all are dealt out.
  private let limit: UInt64
  private let gate = Gate()

  init(tasks: Int, limit: UInt64 = 0) {
    self.tasks = tasks
    self.limit = limit
  }

  /// Runs each task's share, and waits for all tasks. They count as overlapping while all are in progress.
  func run(rounds: Int, _ work: @escaping @Sendable (TaskShare) async -> Void) -> harness_sample {
    let job = TaskJob(tasks: tasks, rounds: rounds, limit: limit)
    var sample = gate.run {
      for task in 0..<tasks {
        Task.detached { [gate] in
          let start = harness_now()
          await work(TaskShare(task: task, job: job))
          if job.end(harness_span(start: start, end: harness_now())) { gate.open() }
        }
      }
    }
    let spans = job.spans.withLock { $0 }
    sample.began = spans.map(\.start).min()!
    sample.nanoseconds = max(1, spans.map(\.end).max()! - sample.began)
    sample.threads = UInt32(tasks)
    sample.overlap = tasks == 1 ? 1 : harness_overlap(spans, UInt32(tasks))
    sample.rounds = UInt64(job.dealt)
    sample.reactions = sample.rounds
    return sample
  }
}

/// The share of one task of the crew.
struct TaskShare {
  let task: Int
  fileprivate let job: TaskJob

  /// Returns the next rounds. Nil if all are dealt out, or the time is over.
  func take() -> Range<Int>? { job.take() }
}

private final class TaskJob: Sendable {
  private let tasks, rounds, portion: Int
  private let until: UInt64
  private let next = Atomic(0)
  let spans = Mutex<[harness_span]>([])

  init(tasks: Int, rounds: Int, limit: UInt64) {
    until = limit > 0 ? harness_now() + limit : .max
    self.tasks = tasks
    self.rounds = rounds
    portion = min(2048, max(1, rounds / (tasks * 32)))
  }

  /// The number of rounds that were dealt out, which are the first ones. All rounds, if the tasks took none.
  var dealt: Int {
    let dealt = next.load(ordering: .relaxed)
    return dealt == 0 ? rounds : min(dealt, rounds)
  }

  func take() -> Range<Int>? {
    if next.load(ordering: .relaxed) > 0 && harness_now() >= until { return nil }
    let first = next.wrappingAdd(portion, ordering: .relaxed).oldValue
    return first < rounds ? first..<min(rounds, first + portion) : nil
  }

  /// Ends a task. Returns true for the last one.
  func end(_ span: harness_span) -> Bool {
    spans.withLock {
      $0.append(span)
      return $0.count == tasks
    }
  }
}
