import CCrucible
import Crucible
import CrucibleTestSupport
import Foundation
import Testing

/// The number of threads of this process.
private func threadCount() -> Int {
  try! FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
}

/// Alarms of the core that record when they go off.
private final class Alarms: @unchecked Sendable {
  let alarms: UnsafeMutablePointer<crucible_alarm>
  let count: Int
  let fired = Tally()
  /// The numbers of the alarms that went off. Only the one thread of all alarms writes them.
  nonisolated(unsafe) var order: [Int] = []
  nonisolated(unsafe) var early = 0

  init(_ count: Int) {
    self.count = count
    order.reserveCapacity(count)
    alarms = .allocate(capacity: count)
    for i in 0..<count {
      alarms[i] = crucible_alarm(
        act: { alarm in
          let all = Unmanaged<Alarms>.fromOpaque(alarm.pointee.context!).takeUnretainedValue()
          if crucible_now() < alarm.pointee.time { all.early += 1 }
          all.order.append(alarm - all.alarms)
          all.fired.add()
        }, context: Unmanaged.passUnretained(self).toOpaque(), next: nil, link: nil, time: 0, wheel: 0, process: 0)
    }
  }

  deinit { alarms.deallocate() }

  func set(_ number: Int, after nanoseconds: UInt64) {
    let now = crucible_now()
    crucible_alarm_set(alarms + number, now, now + nanoseconds)
  }

  func cancel(_ number: Int) -> Bool { crucible_alarm_cancel(alarms + number) }

  /// Whether all alarms went off, in order.
  var isInOrder: Bool { order.count == count && order.indices.allSatisfy { order[$0] == $0 } }

  func waitUntil(fired count: Int) async { while fired.count < count { await Task.yield() } }
}

private let hour: UInt64 = 3_600_000_000_000

@Suite(.watched, .serialized)
struct `The alarms` {
  @Test(arguments: matcherNames)
  func `Calls that time out together share one alarm thread`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("many calls time out")
      let (ask, control) = Soup.define("mute", with: .init(matcher: Matcher(matcher)!)) { soup in
        let ask = soup.fast("ask", returning: Int.self)
        let partner = soup.slow("partner")
        soup.react(ask, partner) { call, _ in call.reply(1) }
        return (ask, soup.control)
      }
      let before = threadCount()
      var most = 0
      await withTaskGroup(of: Int.self) { group in
        for _ in 0..<2000 {
          group.addTask {
            #expect(await ask.outcome(within: .milliseconds(200)) == .failure(.timedOut))
            return threadCount()
          }
        }
        for await threads in group { most = max(most, threads) }
      }
      #expect(most <= before + 4, "new threads are only those of alarms, of Swift concurrency and of the pool")
      #expect(control.snapshot().withdrawn == 2000)
    }
  }

  @Test(arguments: matcherNames)
  func `Calls that are answered before their deadlines share one alarm thread`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("calls are answered in time")
      let echo = Soup.define("echo", with: .init(matcher: Matcher(matcher)!)) { soup in
        let echo = soup.fast("echo", of: Int.self, returning: Int.self)
        soup.react(echo) { call async in
          await Task.yield()
          call.reply(call.input)
        }
        return echo
      }
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<64 {
          group.addTask {
            for i in 0..<100 { #expect(await echo.outcome(i, within: patience) == .success(i)) }
          }
        }
      }
      #expect(threadCount() < 16)
    }
  }

  @Test(arguments: matcherNames)
  func `Reactions that pause before a retry share one alarm thread`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("back-offs")
      let done = Tally()
      let matcher = Matcher(matcher)!
      let onError: Soup.ErrorHandler = { _ in done.add() }
      let (job, control) = Soup.define("retrying", with: .init(matcher: matcher, onError: onError)) { soup in
        let job = soup.slow("job", of: Int.self)
        soup.react(job, recovery: .retry(limit: 1, backoff: .milliseconds(50))) { _ in throw CancellationError() }
        return (job, soup.control)
      }
      for n in 0..<2000 { job(n) }
      while done.count < 2000 { await Task.yield() }
      await control.settle()
      #expect(threadCount() < 16)
    }
  }

  /// Sets alarms on several levels of a wheel, further apart than a tick. Their order is defined only if all are set
  /// before the first goes off, so a busy machine gets more time.
  @Test(arguments: [1, 4])
  func `Alarms that several threads set go off in the order of their times, never early`(threads: Int) async throws {
    let count = 2000
    for lead: UInt64 in [20_000_000, 200_000_000, 2_000_000_000, 20_000_000_000] {
      let alarms = Alarms(count)
      var random = Seeded(1)
      let numbers = (0..<count).shuffled(using: &random)
      let begin = crucible_now() + lead
      try await onThreads(threads) { thread in
        for index in stride(from: thread, to: count, by: threads) {
          let number = numbers[index]
          crucible_alarm_set(alarms.alarms + number, crucible_now(), begin + UInt64(number) * 40_000)
        }
      }
      let wasInTime = crucible_now() < begin
      await alarms.waitUntil(fired: count)
      #expect(alarms.early == 0)
      if !wasInTime { continue }
      #expect(alarms.isInOrder)
      return
    }
    Issue.record("2000 alarms were not set within 20 s")
  }

  @Test func `An alarm with an earlier time than all others wakes the sleeping alarm thread`() async {
    let alarms = Alarms(64)
    for number in 0..<63 { alarms.set(number, after: hour << UInt64(number % 8)) }
    alarms.set(63, after: 1)
    await alarms.waitUntil(fired: 1)
    #expect(alarms.order == [63])
    for number in 0..<63 { #expect(alarms.cancel(number)) }
    #expect(!alarms.cancel(63))
  }

  @Test func `A million alarms at once are all cancelled, or all go off`() async {
    let count = scaled(1_000_000)
    let alarms = Alarms(count)
    for number in 0..<count { alarms.set(number, after: hour + UInt64(number)) }
    for number in 0..<count { #expect(alarms.cancel(number)) }
    #expect(alarms.fired.count == 0)
    for number in 0..<count { alarms.set(number, after: UInt64(number)) }
    await alarms.waitUntil(fired: count)
    #expect(Set(alarms.order).count == count && alarms.early == 0)
  }

  @Test func `An alarm either goes off or is cancelled, never both`() async throws {
    let rounds = scaled(40_000)
    let alarms = Alarms(rounds + 2)
    let cancelled = try await onThreads(4) { thread in
      var random = Seeded(UInt64(thread))
      var cancelled = 0
      for number in stride(from: thread, to: rounds, by: 4) {
        alarms.set(number, after: UInt64.random(in: 0...40_000, using: &random))
        let until = crucible_now() + UInt64.random(in: 0...60_000, using: &random)
        while crucible_now() < until {}
        if alarms.cancel(number) { cancelled += 1 }
      }
      return cancelled
    }.reduce(0, +)
    // If a cancellation came too late, the function may not have been called yet.
    await alarms.waitUntil(fired: rounds - cancelled)
    #expect(alarms.fired.count + cancelled == rounds)
    alarms.set(rounds, after: hour)
    #expect(alarms.cancel(rounds))
    alarms.set(rounds + 1, after: 0)
    await alarms.waitUntil(fired: rounds - cancelled + 1)
    #expect(!alarms.cancel(rounds + 1))
    #expect(Set(alarms.order).count == alarms.order.count)
  }

  @Test func `An alarm goes off in a forked child as well`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("alarms after fork")
      let parents = Alarms(1)
      parents.set(0, after: hour)
      try await onThread {
        let status = forked {
          let alarms = Alarms(2)
          alarms.set(0, after: 1000)
          alarms.set(1, after: hour)
          while alarms.fired.count == 0 { sched_yield() }
          return alarms.cancel(1) && !alarms.cancel(0) && !parents.cancel(0)
        }
        #expect(status == 0)
      }
      #expect(parents.cancel(0))
    }
  }
}
