import CHarness
import Crucible
import Synchronization

// paced: 1,000 tasks call a counter, and sleep for some milliseconds between two calls, as the handlers of a server do.
// The counter has the default placement. Beside it stands an actor. The time of a call lasts until its task continues.
// Verified by the count.

func pacedCalls(_ setting: Setting) -> Contender {
  if setting.strategy == .swiftActor {
    let counter = ActorCounter()
    return paced { await counter.add($0) }
  }
  let add = Soup.define("counter", with: setting.options) { soup in
    let count = soup.state("count", 0)
    let add = soup.fast("add", of: Int.self, returning: Int.self)
    soup.react(state: count, add, on: .automatic) { count, call in
      count += call.input
      call.reply(count)
    }
    return add
  }
  // An error shows as a wrong count.
  return paced { (try? await add($0)) ?? -1 }
}

/// - Parameter add: adds to the count, and returns it.
private func paced(_ add: @escaping @Sendable (Int) async -> Int) -> Contender {
  let gate = Gate()
  let taskCount = 1000
  return Contender { (rounds, _) throws(Wrong) in
    let each = max(1, rounds / taskCount)
    let (counted, times) = (Sum(), Times())
    var sample = gate.run {
      Task.detached {
        let before = await add(0)
        await withDiscardingTaskGroup { group in
          for task in 0..<taskCount {
            group.addTask { times.add(await callNowAndThen(each, task, add)) }
          }
        }
        counted.add(await add(0) - before)
        gate.open()
      }
    }
    let sorted = times.sorted
    sample.threads = 1
    sample.overlap = 1
    sample.rounds = UInt64(sorted.count)
    sample.reactions = sample.rounds
    sample.backlog = sample.rounds
    sample.nanoseconds = sorted.reduce(0, +)
    sample.fill_nanoseconds = sorted[sorted.count / 2] * sample.rounds
    sample.drain_nanoseconds = sorted[sorted.count * 99 / 100] * sample.rounds
    try Wrong.unlessEqual("count", expected: each * taskCount, found: counted.value)
    return sample
  }
}

/// Calls so many times. Sleeps 20 to 30 ms before each call, so that tasks with other numbers call at other times.
/// Returns the nanoseconds of each call.
private func callNowAndThen(_ count: Int, _ task: Int, _ add: @Sendable (Int) async -> Int) async -> [UInt64] {
  var times: [UInt64] = []
  for round in 0..<count {
    try? await Task.sleep(for: .microseconds(20_000 + (task * 7919 + round * 3571) % 10_000))
    let start = harness_now()
    _ = await add(1)
    harness_opaque()
    times.append(harness_now() - start)
  }
  return times
}

private final class Times: Sendable {
  private let all = Mutex<[UInt64]>([])

  func add(_ times: [UInt64]) { all.withLock { $0 += times } }
  var sorted: [UInt64] { all.withLock { $0.sorted() } }
}
