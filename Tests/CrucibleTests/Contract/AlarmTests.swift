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
  func `Calls that time out or are answered, and reactions that pause before a retry, share one alarm thread`(
    matcher: String
  ) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("many alarms")
      let (matcher, failures) = (Matcher(matcher)!, Tally())
      let (ask, _, mute) = matcher.react(fast("ask", returning: Int.self), slow("partner")) { call, _ in call.reply(1) }
      let (echo, _) = matcher.define(fast("echo", of: Int.self, returning: Int.self)) { soup, echo in
        soup.react(echo) { call async in
          await Task.yield()
          call.reply(call.input)
        }
      }
      let (job, jobs) = matcher.with(onError: { _ in failures.add() }).react(
        slow("job", of: Int.self), recovery: .retry(limit: 1, backoff: .milliseconds(50))
      ) { _ in throw CancellationError() }
      for n in 0..<2000 { job(n) }
      let most = await withTaskGroup(of: Int.self) { group in
        for n in 0..<2000 {
          group.addTask {
            for _ in 0..<3 { #expect(await echo.outcome(n, within: patience) == .success(n)) }
            #expect(await ask.outcome(within: .milliseconds(200)) == .failure(.timedOut))
            return threadCount()
          }
        }
        return await group.reduce(0) { max($0, $1) }
      }
      await jobs.settle()
      #expect(most < 16, "threads are only those of alarms, of Swift concurrency and of the pool")
      #expect(mute.snapshot().withdrawn == 2000 && failures.count == 2000)
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
