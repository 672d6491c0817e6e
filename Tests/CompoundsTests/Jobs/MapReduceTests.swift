import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Dispatch
import Testing

private enum Request {
  @TaskLocal static var number = 0
}

/// Blocks a thread of the pool.
private func waitBlocking(for latch: Latch) { Soup.Pool.blocking { latch.waitBlocking() } }

@Suite(.watched)
struct `Map and reduce` {
  @Test(arguments: matchers)
  func `Map and reduce gives the total of no, one and many items`(matcher: Matcher) async throws {
    for count in [0, 1, 2, 50] {
      for concurrency in [1, 3, .max] {
        let total = try await mapReduce(
          0..<count, into: 1000, concurrency: concurrency, options: .init(matcher: matcher), map: { $0 * $0 },
          reduce: +=)
        #expect(total == 1000 + (0..<count).reduce(0) { $0 + $1 * $1 })
      }
    }
  }

  @Test(arguments: matchers)
  func `Several reducers run at the same time, and never more than their number`(matcher: Matcher) async throws {
    let (inside, both) = (Tally(), Latch(2))
    let most = Log<Int>()
    let words = try await mapReduce(
      0..<40, into: [Int: Int](), reducers: 2, concurrency: 8, options: .init(matcher: matcher, placement: .pool)
    ) { item in
      item % 5
    } reduce: { total, key in
      most.append(inside.add())
      both.countDown()
      // The second reducer runs while the first one waits for it.
      Soup.Pool.blocking { both.waitBlocking() }
      total[key, default: 0] += 1
      inside.add(-1)
    } combine: { total, part in
      total.merge(part, uniquingKeysWith: +)
    }
    #expect(words == [0: 8, 1: 8, 2: 8, 3: 8, 4: 8])
    #expect(most.all.max() == 2)
    #expect(
      try await mapReduce([Int](), into: 7, reducers: 1, map: { $0 }, reduce: +=, combine: +=) == 7)
    let sum = try await onThread { () throws in
      try blocking.mapReduce(1...100, into: 0, reducers: 3, map: { $0 }, reduce: +=, combine: +=)
    }
    #expect(sum == 5050)
  }

  @Test(arguments: matchers)
  func `An error of one of several reducers, or of combining, ends map and reduce`(matcher: Matcher) async throws {
    for culprit in 0..<3 {
      await #expect(throws: CallError.failed(Fault(number: culprit))) {
        try await mapReduce(1...20, into: 0, reducers: 3, options: .init(matcher: matcher)) { number in
          if culprit == 0 && number == 7 { throw Fault(number: 0) }
          return number
        } reduce: { total, number in
          if culprit == 1 && number == 7 { throw Fault(number: 1) }
          total += number
        } combine: { total, part in
          if culprit == 2 { throw Fault(number: 2) }
          total += part
        }
      }
    }
  }

  @Test(arguments: matchers)
  func `Map and reduce reduces as the items come, or in their order`(matcher: Matcher) async throws {
    let (first, last) = (Gate(), Gate())
    let ordered = try await mapReduce(
      [0, 1, 2], into: [Int](), ordered: true, options: .init(matcher: matcher)
    ) { item in
      if item == 2 { first.open() } else { await first.wait() }
      return item
    } reduce: {
      $0.append($1)
    }
    #expect(ordered == [0, 1, 2])
    let arrived = try await mapReduce([0, 1, 2], into: [Int](), options: .init(matcher: matcher)) { item in
      if item == 0 { await last.wait() }
      return item
    } reduce: { all, item in
      all.append(item)
      if all.count == 2 { last.open() }
    }
    #expect(arrived.last == 0 && arrived.sorted() == [0, 1, 2])
  }

  @Test(arguments: matchers)
  func `Map and reduce ends with the first error, after the items under way`(matcher: Matcher) async throws {
    let (begun, ended) = (Barrier(parties: 2), Tally())
    await #expect(throws: CallError.failed(Fault(number: 1))) {
      try await mapReduce([0, 1, 2, 3], into: 0, concurrency: 2, options: .init(matcher: matcher)) { item in
        defer { ended.add() }
        try await begun.arrive()
        if item == 1 { throw Fault(number: 1) }
        try await Task.sleep(for: patience * 2)
        return item
      } reduce: {
        $0 += $1
      }
    }
    #expect(ended.count == 2)
    await #expect(throws: CallError.failed(Fault(number: 2))) {
      try await mapReduce(
        [1], into: 0, options: .init(matcher: matcher), map: { $0 }, reduce: { (_, _) in throw Fault(number: 2) })
    }
  }

  @Test(arguments: matchers)
  func `Map and reduce ends with its task or its limit, after items under way`(matcher: Matcher) async throws {
    let clock = ManualClock()
    for isCancelled in [true, false] {
      let (begun, ended) = (Gate(), Tally())
      let task = Task {
        try await runAll([1], within: .seconds(1), options: .init(matcher: matcher, clock: clock)) { _ in
          defer { ended.add() }
          begun.open()
          try await Task.sleep(for: patience * 2)
        }.count
      }
      await begun.wait()
      if isCancelled { task.cancel() } else { clock.advance(by: .seconds(1)) }
      await #expect(throws: isCancelled ? CallError.cancelled : .timedOut) { try await task.value }
      #expect(ended.count == 1)
    }
  }

  @Test(arguments: matchers)
  func `A run of all jobs reports their results and errors in order`(matcher: Matcher) async throws {
    let report = try await runAll(0..<20, options: .init(matcher: matcher)) { number in
      if number % 3 == 0 { throw Fault(number: number) }
      return number
    }
    #expect(report.map { (try? $0.get()) ?? -1 } == (0..<20).map { $0 % 3 == 0 ? -1 : $0 })
    for (number, result) in report.enumerated() where number % 3 == 0 {
      #expect(throws: Fault(number: number)) { try result.get() }
    }
    #expect(try await runAll([Int](), options: .init(matcher: matcher)) { $0 }.isEmpty)
  }

  @Test(arguments: matchers)
  func `A run of all jobs begins every item without a limit, although all of them wait`(matcher: Matcher) async throws {
    let all = Barrier(parties: 50)
    let report = try await runAll(0..<50, options: .init(matcher: matcher)) { _ in try await all.arrive() }
    #expect(report.allSatisfy { (try? $0.get()) != nil })
  }

  @Test(arguments: matchers)
  func `A run of all jobs on the pool begins every item without a limit, although all of them block their threads`(
    matcher: Matcher
  ) async throws {
    let all = Latch(20)
    let report = try await runAll(0..<20, options: .init(matcher: matcher, placement: .pool)) { _ in
      all.countDown()
      waitBlocking(for: all)
    }
    #expect(report.count == 20)
  }

  @Test(arguments: matchers)
  func `Map and reduce begins as many items as it may, although all of them wait`(matcher: Matcher) async throws {
    let (inside, most) = (Tally(), Log<Int>())
    let three = Barrier(parties: 3)
    for ordered in [false, true] {
      let count = try await mapReduce(
        1...30, into: 0, concurrency: 3, ordered: ordered, options: .init(matcher: matcher)
      ) { _ in
        most.append(inside.add())
        try await three.arrive()
        inside.add(-1)
      } reduce: { count, _ in
        count += 1
      }
      #expect(count == 30)
    }
    #expect(most.all.max()! <= 3)
  }

  @Test(arguments: matchers)
  func `A run of all jobs gives each item the caller's task-local values, and a task that is not cancelled`(
    matcher: Matcher
  ) async throws {
    let report = try await Request.$number.withValue(7) {
      try await runAll(0..<30, concurrency: 2, options: .init(matcher: matcher)) { item in
        if Task.isCancelled { throw Fault(number: item) }
        if item % 3 == 0 { withUnsafeCurrentTask { $0!.cancel() } }
        if item % 5 == 0 { await Task.yield() }
        return Request.number
      }
    }
    #expect(try report.map { try $0.get() } == Array(repeating: 7, count: 30))
  }

  @Test(arguments: matchers)
  func `Map and reduce gives way to other work of its thread`(matcher: Matcher) async throws {
    let queue = DispatchQueue(label: "other work")
    let hasRun = Gate()
    // Without an end of its turn a worker would map all items first.
    await #expect(throws: CallError.failed(Fault())) {
      try await mapReduce(
        0..<1_000_000, into: 0, options: .init(matcher: matcher, placement: .queue(queue))
      ) { item in
        if item == 0 { queue.async { hasRun.open() } }
        if hasRun.isOpen { throw Fault() }
      } reduce: { (_, _) in
      }
    }
  }

  @Test(arguments: matchers)
  func `Map and reduce blocks a thread until all is done`(matcher: Matcher) async throws {
    let options = Soup.Options(matcher: matcher)
    try await onThread { () throws in
      for count in [0, 1, 50] {
        let total = try blocking.mapReduce(
          0..<count, into: 1, concurrency: 3, options: options, map: { $0 }, reduce: +=)
        #expect(total == 1 + (0..<count).reduce(0, +))
        let report = try blocking.runAll(0..<count, options: options) { item in
          if item == 1 { throw Fault(number: item) }
          return item
        }
        #expect(report.map { (try? $0.get()) ?? -1 } == (0..<count).map { $0 == 1 ? -1 : $0 })
      }
      #expect(throws: CallError.failed(Fault())) {
        try blocking.mapReduce([1], into: 0, options: options, map: { $0 }, reduce: { (_, _) in throw Fault() })
      }
    }
  }

  @Test(arguments: matchers)
  func `Map and reduce on a blocked thread ends with its limit or its first error, after the items that it has begun`(
    matcher: Matcher
  ) async throws {
    let clock = ManualClock()
    let options = Soup.Options(matcher: matcher, clock: clock)
    for isLimited in [true, false] {
      let (begun, mayThrow, ended) = (Barrier(parties: 2), Gate(), Tally())
      let bothBegun = Latch(2)
      // The caller may wait for these, although it is in a body of another soup.
      let caller = Soup.define { soup in
        let call = soup.fast("call", returning: CallError?.self)
        soup.react(call, on: .inline) { call in
          do throws(CallError) {
            _ = try blocking.mapReduce([0, 1], into: 0, within: isLimited ? .seconds(1) : nil, options: options) {
              item in
              defer { ended.add() }
              try await begun.arrive()
              bothBegun.countDown()
              if item == 1 && !isLimited {
                await mayThrow.wait()
                throw Fault(number: 1)
              }
              try await Task.sleep(for: patience * 2)
              return item
            } reduce: {
              $0 += $1
            }
            call.reply(nil)
          } catch {
            call.reply(error)
          }
        }
        return call
      }
      let outcome = Task { try await onThread { try caller.blocking() } }
      await bothBegun.wait()
      if isLimited { clock.advance(by: .seconds(1)) } else { mayThrow.open() }
      #expect(try await outcome.value == (isLimited ? .timedOut : .failed(Fault(number: 1))))
      #expect(ended.count == 2)
    }
  }
}
