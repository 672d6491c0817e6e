import CHarness
import Compounds
import Crucible
import Synchronization

// The compounds that pass values, against the usual means of Swift for the same job. channel, channel-unbuffered,
// channel-unbounded: one task sends, another receives; verified by the order of the items. agent: tasks make it count.
// promise: tasks await a promise that is fulfilled. promise-made: each makes one, fulfils it, and awaits it.
// promise-awaited: each makes one, which a second task fulfils while the first waits. Verified by the sum of the
// answers.

func channel(_ capacity: ChannelCapacity) -> Opening {
  { setting in
    if setting.strategy == .asyncStream { return tasksPass { StreamBuffer() } }
    return tasksPass { [options = setting.options] in ChannelBuffer(items: Channel(capacity, options: options)) }
  }
}

func boundedBuffer(_ setting: Setting) -> Contender {
  if setting.strategy == .pthreadCondition { return threadsPass(setting, RingBuffer()) }
  return threadsPass(
    setting, BoundedCalls(buffer: BoundedBuffer(capacity: Consumption.lead, options: setting.options)))
}

private struct BoundedCalls: BlockingBuffer {
  let buffer: BoundedBuffer<Int>

  /// An error shows as items out of order.
  @inline(__always) func put(_ item: Int) { try? buffer.put.blocking(item) }
  @inline(__always) func take() -> Int? { try? buffer.take.blocking() }
}

func agent(_ setting: Setting) -> Contender {
  if setting.strategy == .swiftActor { return tasksCount(setting) }
  let agent = Agent(options: setting.options) { 0 }
  return tasks(setting) {
    let isCounted = try? await agent.ask { count in
      count += 1
      return true
    }
    return isCounted == true ? 1 : 0
  }
}

func promise(_ setting: Setting) -> Contender {
  if setting.strategy == .continuations {
    let promise = MutexPromise()
    promise.fulfil(1)
    return tasks(setting) { await promise.value() }
  }
  let promise = Promise<Int>(options: setting.options)
  promise.fulfil(1)
  return tasks(setting) { (try? await promise.value()) ?? 0 }
}

func promiseMade(_ setting: Setting) -> Contender {
  if setting.strategy == .continuations {
    return tasks(setting) {
      let promise = MutexPromise()
      promise.fulfil(1)
      return await promise.value()
    }
  }
  return tasks(setting) { [matcher = setting.matcher] in
    let promise = Promise<Int>(options: .init(matcher: matcher))
    promise.fulfil(1)
    return (try? await promise.value()) ?? 0
  }
}

func promiseAwaited(_ setting: Setting) -> Contender {
  if setting.strategy == .continuations {
    return tasks(setting) {
      let promise = MutexPromise()
      Task { promise.fulfil(1) }
      return await promise.value()
    }
  }
  return tasks(setting) { [matcher = setting.matcher] in
    let promise = Promise<Int>(options: .init(matcher: matcher))
    Task { promise.fulfil(1) }
    return (try? await promise.value()) ?? 0
  }
}

private struct ChannelBuffer: TaskBuffer {
  let items: Channel<Int>

  /// An error shows as items out of order.
  func put(_ item: Int) async { try? await items.send(item) }

  func takeAll(_ count: Int, _ body: (Int) -> Void) async {
    for _ in 0..<count {
      guard let item = try? await items.receive() else { return }
      body(item)
    }
  }
}

/// The round of a task. It returns 1.
typealias Round = @Sendable () async -> Int
/// The round of a task, with its number. It returns 1.
typealias NumberedRound = @Sendable (Int) async -> Int

/// Tasks that make a call in every round.
func tasks(_ setting: Setting, _ round: @escaping Round) -> Contender {
  tasks(setting) { portion in
    var sum = 0
    for _ in portion {
      sum &+= await round()
      harness_opaque()
    }
    return sum
  }
}

func tasks(_ setting: Setting, numbered round: @escaping NumberedRound) -> Contender {
  tasks(setting) { portion in
    var sum = 0
    for number in portion {
      sum &+= await round(number)
      harness_opaque()
    }
    return sum
  }
}

private func tasks(_ setting: Setting, portion: @escaping @Sendable (Range<Int>) async -> Int) -> Contender {
  let crew = setting.taskCrew
  return Contender { (rounds, _) throws(Wrong) in
    let total = Sum()
    let sample = crew.run(rounds: rounds) { share in
      var sum = 0
      while let rounds = share.take() { sum &+= await portion(rounds) }
      total.add(sum)
    }
    try Wrong.unlessEqual("sum of the values", expected: Int(sample.rounds), found: total.value)
    return sample
  }
}

/// A hand-written promise: a value, or the tasks that wait for it, under a mutex.
final class MutexPromise: Sendable {
  private enum Content {
    case value(Int)
    case waiting([CheckedContinuation<Int, Never>])
  }

  private let content = Mutex(Content.waiting([]))

  func fulfil(_ number: Int) {
    let waiting = content.withLock { content in
      guard case .waiting(let tasks) = content else { return [CheckedContinuation<Int, Never>]() }
      content = .value(number)
      return tasks
    }
    for task in waiting { task.resume(returning: number) }
  }

  func value() async -> Int {
    await withCheckedContinuation { task in
      let number: Int? = content.withLock { content in
        switch content {
        case .value(let number): return number
        case .waiting(let tasks):
          content = .waiting(tasks + [task])
          return nil
        }
      }
      if let number { task.resume(returning: number) }
    }
  }
}
