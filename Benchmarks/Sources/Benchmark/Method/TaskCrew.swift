import CHarness
import Synchronization

/// Tasks that are started together on the threads of Swift's runtime, and share rounds as the threads of a crew do.
final class TaskCrew: Sendable {
  private let tasks: Int
  private let gate = Gate()

  init(tasks: Int) { self.tasks = tasks }

  /// Lets every task do its share, and waits for all of them. They count as overlapping while all are under way.
  func run(rounds: Int, _ work: @escaping @Sendable (TaskShare) async -> Void) -> harness_sample {
    let job = TaskJob(tasks: tasks, rounds: rounds)
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
    sample.reactions = UInt64(rounds)
    return sample
  }
}

/// What one task of the crew is given.
struct TaskShare {
  let task: Int
  fileprivate let job: TaskJob

  /// The next rounds; nil: all are dealt out.
  func take() -> Range<Int>? { job.take() }
}

private final class TaskJob: Sendable {
  private let tasks, rounds, portion: Int
  private let next = Atomic(0)
  let spans = Mutex<[harness_span]>([])

  init(tasks: Int, rounds: Int) {
    self.tasks = tasks
    self.rounds = rounds
    portion = min(2048, max(1, rounds / (tasks * 32)))
  }

  func take() -> Range<Int>? {
    let first = next.wrappingAdd(portion, ordering: .relaxed).oldValue
    return first < rounds ? first..<min(rounds, first + portion) : nil
  }

  /// True for the last one.
  func end(_ span: harness_span) -> Bool {
    spans.withLock {
      $0.append(span)
      return $0.count == tasks
    }
  }
}
