import CHarness
import Synchronization

/// Tasks that are started together on the threads of Swift's runtime, and share rounds as the threads of a crew do.
final class TaskCrew: Sendable {
  private let tasks: Int
  /// How long a run may deal out rounds, in ns; 0: until all are dealt out.
  private let limit: UInt64
  private let gate = Gate()

  init(tasks: Int, limit: UInt64 = 0) {
    self.tasks = tasks
    self.limit = limit
  }

  /// Lets every task do its share, and waits for all of them. They count as overlapping while all are under way.
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

  /// The next rounds; nil: all are dealt out, or the time is up.
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

  /// The number of rounds that were dealt out: the first so many. All of them, where the tasks took none.
  var dealt: Int {
    let dealt = next.load(ordering: .relaxed)
    return dealt == 0 ? rounds : min(dealt, rounds)
  }

  func take() -> Range<Int>? {
    if next.load(ordering: .relaxed) > 0 && harness_now() >= until { return nil }
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
