import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// An executor that runs nothing until a test releases it, and from then on everything at once.
private final class DeferringExecutor: TaskExecutor {
  private let jobs = Log<UnownedJob>()
  private let isOpen = Gate()

  func enqueue(_ job: UnownedJob) {
    if isOpen.isOpen { job.runSynchronously(on: asUnownedTaskExecutor()) } else { jobs.append(job) }
  }

  func runAll() {
    isOpen.open()
    for job in jobs.all { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

@Suite(.watched)
struct `The end of a promise` {
  @Test(arguments: matchers)
  func `A promise that is cancelled throws an error at all its callers`(matcher: Matcher) async throws {
    let promise = Promise<Int>(options: .init(matcher: matcher))
    let next = promise.then(options: .init(matcher: matcher)) { $0 + 1 }
    let waiting = Task { await promise.value.outcome() }
    await promise.control.expectWaiting(2)
    #expect(promise.cancel() && !promise.cancel() && !promise.fulfil(1))
    for outcome in [await waiting.value, await promise.value.outcome(), await next.value.outcome()] {
      guard case .failure(.failed(let error)) = outcome else { throw Fault() }
      #expect(error is CancellationError)
    }
    try await promise.join(within: .zero)
  }

  @Test(arguments: matchers, CallForm.allCases)
  func `A cancelled promise cancels its work, whose end can be awaited`(matcher: Matcher, form: CallForm) async throws {
    let (begun, mayEnd) = (Gate(), Gate())
    let (ended, clock) = (Tally(), ManualClock())
    let promise = Promise(options: .init(matcher: matcher, clock: clock)) {
      begun.open()
      try? await Task.sleep(for: patience * 2)
      await mayEnd.wait()
      ended.add()
      return 7
    }
    @Sendable func cancelAndJoin(within limit: Duration? = nil) async throws {
      try await form.perform {
        try await promise.cancelAndJoin(within: limit)
      } blocking: {
        try promise.blocking.cancelAndJoin(within: limit)
      }
    }
    await begun.wait()
    await #expect(throws: CallError.timedOut) { try await clock.expire { try await cancelAndJoin(within: $0) } }
    #expect(ended.count == 0)
    mayEnd.open()
    try await promise.join()
    #expect(ended.count == 1)
    guard case .failure(.failed(is CancellationError)) = await promise.value.outcome() else { throw Fault() }
    try await cancelAndJoin()
    #expect(promise.control.warnings == [])
  }

  @Test(arguments: matchers, CallForm.allCases)
  func `A join waits for the end of a promise's work`(matcher: Matcher, form: CallForm) async throws {
    let (begun, mayEnd, clock) = (Gate(), Gate(), ManualClock())
    let promise = Promise(options: .init(matcher: matcher, clock: clock)) {
      begun.open()
      await mayEnd.wait()
      throw Fault()
    }
    @Sendable func join(_ promise: Promise<Void>, within limit: Duration? = nil) async throws {
      try await form.perform {
        try await promise.join(within: limit)
      } blocking: {
        try promise.blocking.join(within: limit)
      }
    }
    await begun.wait()
    await #expect(throws: CallError.timedOut) { try await clock.expire { try await join(promise, within: $0) } }
    let joined = Task { try await join(promise) }
    await promise.control.callers(1)
    mayEnd.open()
    try await joined.value
    // The caller may continue before the body that served it has reported the end of the work.
    await promise.control.settle()
    try await join(promise, within: .zero)
    await #expect(throws: CallError.failed(Fault())) { try await promise.value() }
    try await join(Promise<Void>(options: .init(matcher: matcher)))  // a promise without work has ended
  }

  @Test(arguments: matchers)
  func `A promise that is cancelled before its work begins lets the work not begin`(matcher: Matcher) async throws {
    let (executor, begun) = (DeferringExecutor(), Tally())
    let promise = Promise(options: .init(matcher: matcher, placement: .executor(executor))) { begun.add() }
    #expect(promise.cancel())
    executor.runAll()
    try await promise.join()
    #expect(begun.count == 0)
  }

  @Test(arguments: matchers)
  func `A promise of a delay ends after it, unless it is cancelled`(matcher: Matcher) async throws {
    let clock = ManualClock()
    let options = Soup.Options(matcher: matcher, clock: clock)
    let (delay, other) = (Promise.after(.seconds(5), options: options), Promise.after(.seconds(5), options: options))
    clock.advance(by: .seconds(4))
    await #expect(throws: CallError.timedOut) { try await delay.value(within: .zero) }
    #expect(other.cancel())
    clock.advance(by: .seconds(1))
    try await delay.value()
    guard case .failure(.failed(is CancellationError)) = await other.value.outcome() else { throw Fault() }
  }
}
