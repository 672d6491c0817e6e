import CHarness
import Compounds
import Crucible
import Dispatch
import Synchronization

// The compounds, against what Swift's users take for the same job. lock, semaphore: threads add to a number that nothing
// else protects; verified by its end value. channel: one task sends, another receives; verified by the order of the
// items. agent: tasks have it count. promise: tasks await a promise that is fulfilled. promise-made: each makes one,
// fulfils it, and awaits it. Verified by the sum of the answers.

func lock(_ setting: Setting) -> any Contender {
  let number = Number()
  if setting.strategy == .swiftMutex { return AdditionCase(setting, number, Job(AddByMutex(number: number))) }
  let lock = Lock(options: .init(matcher: setting.matcher))
  return AdditionCase(setting, number, Job(AddByCalls(enter: lock.acquire, leave: lock.release, number: number)))
}

func semaphore(_ setting: Setting) -> any Contender {
  let number = Number()
  if setting.strategy == .dispatchSemaphore {
    return AdditionCase(setting, number, Job(AddBySemaphore(number: number)))
  }
  let semaphore = Semaphore(permits: 1, options: .init(matcher: setting.matcher))
  let work = AddByCalls(enter: semaphore.acquire, leave: semaphore.release, number: number)
  return AdditionCase(setting, number, Job(work))
}

func channel(_ setting: Setting) -> any Contender {
  if setting.strategy == .asyncStream { return TaskBufferCase { StreamBuffer() } }
  return TaskBufferCase { [matcher = setting.matcher] in
    ChannelBuffer(items: Channel(.buffered(Consumption.lead), options: .init(matcher: matcher)))
  }
}

func agent(_ setting: Setting) -> any Contender {
  if let baseline = counterBaseline(setting, replies: true) { return baseline }
  let agent = Agent(options: .init(matcher: setting.matcher)) { 0 }
  return TaskCase(setting) {
    let isCounted = try? await agent.ask { count in
      count += 1
      return true
    }
    return isCounted == true ? 1 : 0
  }
}

func promise(_ setting: Setting) -> any Contender {
  if setting.strategy == .continuations {
    let promise = MutexPromise()
    promise.fulfil(1)
    return TaskCase(setting) { await promise.value() }
  }
  let promise = Promise<Int>(options: .init(matcher: setting.matcher))
  promise.fulfil(1)
  return TaskCase(setting) { (try? await promise.value()) ?? 0 }
}

func promiseMade(_ setting: Setting) -> any Contender {
  if setting.strategy == .continuations {
    return TaskCase(setting) {
      let promise = MutexPromise()
      promise.fulfil(1)
      return await promise.value()
    }
  }
  return TaskCase(setting) { [matcher = setting.matcher] in
    let promise = Promise<Int>(options: .init(matcher: matcher))
    promise.fulfil(1)
    return (try? await promise.value()) ?? 0
  }
}

/// What is protected.
private final class Number: @unchecked Sendable {
  var value = 0
}

private final class AdditionCase: Contender {
  private let crew: Crew
  private let number: Number
  private let job: Job

  init(_ setting: Setting, _ number: Number, _ job: Job) {
    crew = setting.crew
    self.number = number
    self.job = job
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let before = number.value
    var sample = crew.run(job, rounds: rounds, recorders: recorders)
    sample.reactions = sample.rounds
    try Wrong.unlessEqual("end value", expected: before + Int(sample.rounds), found: number.value)
    return sample
  }
}

private struct AddByCalls: ThreadWork {
  let enter: FastInjector<Void, Void>
  let leave: Injector<Void>
  let number: Number

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { _ in
      probe.measure {
        // An error shows as a wrong number.
        guard (try? enter.blocking()) != nil else { return }
        number.value += 1
        leave()
      }
    }
  }
}

private struct AddByMutex: ThreadWork {
  private final class Guard: Sendable {
    let mutex = Mutex(())
  }

  private let protection = Guard()
  private let number: Number

  init(number: Number) { self.number = number }

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { _ in
      probe.measure { protection.mutex.withLock { _ in number.value += 1 } }
    }
  }
}

private struct AddBySemaphore: ThreadWork, @unchecked Sendable {
  private let semaphore = DispatchSemaphore(value: 1)
  private let number: Number

  init(number: Number) { self.number = number }

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { _ in
      probe.measure {
        semaphore.wait()
        number.value += 1
        semaphore.signal()
      }
    }
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

private final class TaskCase: Contender {
  private let crew: TaskCrew
  private let round: @Sendable () async -> Int

  /// `round` answers 1.
  init(_ setting: Setting, _ round: @escaping @Sendable () async -> Int) {
    crew = TaskCrew(tasks: setting.crew.threads, limit: setting.crew.limit)
    self.round = round
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let total = Sum()
    let sample = crew.run(rounds: rounds) { [round] share in
      var sum = 0
      while let portion = share.take() {
        for _ in portion { sum &+= await round() }
      }
      total.add(sum)
    }
    try Wrong.unlessEqual("sum of the values", expected: Int(sample.rounds), found: total.value)
    return sample
  }
}

/// What a hand-written promise is: a value, or the tasks that wait for it, under a mutex.
private final class MutexPromise: Sendable {
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
