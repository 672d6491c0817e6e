import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// A compound that holds numbers, and the code that makes it hold 1, 2, 3 and so on.
struct Holder: Sendable, CustomTestStringConvertible {
  typealias Give = @Sendable (Int) -> Void

  let testDescription: String
  /// The numbers that it has accepted and must account for.
  let accepted: [Int]
  /// Whether a drain gives the numbers out. Otherwise it reports how many are left.
  let flushes: Bool
  /// The name that its reports use.
  let label: String
  /// Makes the compound, which gives numbers out by the function, and has it hold the numbers.
  let hold: @Sendable (Soup.Options, @escaping Give) async throws -> (any Compound)

  static let all = [
    Holder(testDescription: "a batcher", accepted: [1, 2, 3], flushes: true, label: "batch") { options, give in
      let batcher = Batcher<Int>(size: 10, within: .seconds(1), options: options) { for number in $0 { give(number) } }
      for number in 1...3 { batcher.add(number) }
      return batcher
    },
    Holder(testDescription: "a debounce", accepted: [3], flushes: true, label: "last") { options, give in
      let debounce = Debounce<Int>(for: .seconds(1), options: options) { give($0) }
      for number in 1...3 { debounce.send(number) }
      return debounce
    },
    Holder(testDescription: "a throttle", accepted: [3], flushes: true, label: "latest") { options, give in
      let throttle = Throttle<Int>(every: .seconds(1), options: options) { if $0 > 1 { give($0) } }
      for number in 1...3 { throttle.send(number) }
      return throttle
    },
    Holder(testDescription: "a pool of connections", accepted: [1, 2], flushes: true, label: "stock") { options, give in
      let made = Tally()
      let pool = ConnectionPool(limit: 2, options: options) {
        made.add()
      } close: {
        give($0)
      }
      let leases = [try await pool.take(), try await pool.take()]
      for lease in leases { pool.giveBack(lease) }
      return pool
    },
    Holder(testDescription: "batches by key", accepted: [1, 2, 3], flushes: true, label: "open") { options, give in
      let batches = Batches<Int, Int>(size: 10, within: .seconds(1), by: { $0 % 2 }, options: options) {
        for number in $1 { give(number) }
      }
      for number in 1...3 { batches.add(number) }
      return batches
    },
    Holder(testDescription: "windows", accepted: [1, 2, 3], flushes: true, label: "windows") { options, give in
      let windows = Windows<Int, Int>(.tumbling(.seconds(10)), by: { $0 % 2 }, at: { .seconds($0) }, options: options) {
        for number in $0.values { give(number) }
      }
      for number in 1...3 { windows.add(number) }
      return windows
    },
    Holder(testDescription: "a channel", accepted: [1, 2, 3], flushes: false, label: "content") { options, _ in
      let channel = Channel<Int>(.unbounded, options: options)
      for number in 1...3 { channel.trySend(number) }
      return channel
    },
    Holder(testDescription: "a buffer", accepted: [1, 2], flushes: false, label: "full") { options, _ in
      let buffer = BoundedBuffer<Int>(capacity: 2, options: options)
      for number in 1...2 { try await buffer.put(number) }
      return buffer
    },
    Holder(testDescription: "a switch that is off", accepted: [1, 2], flushes: false, label: "request") {
      options, give in
      let gate = Switch(options: options)
      for number in 1...2 { gate.request { give(number) } }
      return gate
    },
    Holder(testDescription: "a generator", accepted: [1], flushes: false, label: "offered") { options, _ in
      let (mayMake, isOver) = (Gate(), Gate())
      let generator = Generator<Int>(options: options) { yield in
        await mayMake.wait()
        isOver.open()
        try await yield(1)
      }
      let caller = Task { await generator.next.outcome() }
      await generator.control.callers(1)
      caller.cancel()
      _ = await caller.value
      mayMake.open()
      await isOver.wait()
      await generator.control.expectContents(["resume 1", "idle 1", "offered 1", "refused 1"])
      return generator
    },
  ]
}

/// A compound that is about to run a body which hands on what it has taken.
struct HandingOn: Sendable, CustomTestStringConvertible {
  typealias Begin = @Sendable () async throws -> Void

  let testDescription: String
  /// A name that the body consumes, and no other body.
  let consumes: String
  /// The number of values that the compound has accepted in the end.
  let accepted: Int
  /// Makes the compound, which gives numbers out by the function, and returns what begins the body.
  let hold: @Sendable (Soup.Options, @escaping Holder.Give) async throws -> (any Compound, Begin)

  static let all = [
    HandingOn(testDescription: "a batcher", consumes: "add", accepted: 3) { options, give in
      let batcher = try await Holder.all[0].hold(options, give) as! Batcher<Int>
      return (batcher, { batcher.flush() })
    },
    HandingOn(testDescription: "a debounce", consumes: "send", accepted: 1) { options, give in
      let debounce = try await Holder.all[1].hold(options, give) as! Debounce<Int>
      return (debounce, { debounce.flush() })
    },
    HandingOn(testDescription: "a throttle", consumes: "over", accepted: 1) { options, give in
      let throttle = try await Holder.all[2].hold(options, give) as! Throttle<Int>
      return (throttle, { throttle.flush() })
    },
    HandingOn(testDescription: "batches by key", consumes: "add", accepted: 3) { options, give in
      let batches = try await Holder.all[4].hold(options, give) as! Batches<Int, Int>
      return (batches, { batches.flush(1) })
    },
    HandingOn(testDescription: "windows", consumes: "add", accepted: 3) { options, give in
      let windows = try await Holder.all[5].hold(options, give) as! Windows<Int, Int>
      return (windows, { windows.advance(.seconds(20)) })
    },
    HandingOn(testDescription: "a buffer", consumes: "put", accepted: 2) { options, _ in
      let buffer = BoundedBuffer<Int>(capacity: 2, options: options)
      try await buffer.put(1)
      return (buffer, { try await buffer.put(2) })
    },
    HandingOn(testDescription: "a buffer whose caller gives up", consumes: "take", accepted: 1) { options, _ in
      let buffer = BoundedBuffer<Int>(capacity: 1, options: options)
      let caller = Task { await buffer.take.outcome(()) }
      await buffer.control.callers(1)
      let observation = buffer.control.observe { event in if case .stopped = event.kind { caller.cancel() } }
      return (
        buffer,
        {
          try await buffer.put(1)
          #expect(await caller.value == .failure(.cancelled))
          observation.end()
        }
      )
    },
    HandingOn(testDescription: "a switch", consumes: "request", accepted: 1) { options, give in
      let gate = Switch(isOn: true, options: options)
      return (gate, { gate.request { give(1) } })
    },
    HandingOn(testDescription: "a generator whose caller gives up", consumes: "offered", accepted: 1) { options, _ in
      let mayMake = Gate()
      let generator = Generator<Int>(options: options) { yield in
        await mayMake.wait()
        try await yield(1)
      }
      return (
        generator,
        {
          let caller = Task { await generator.next.outcome() }
          await generator.control.callers(1)
          let observation = generator.control.observe { event in if case .stopped = event.kind { caller.cancel() } }
          mayMake.open()
          #expect(await caller.value == .failure(.cancelled))
          observation.end()
        }
      )
    },
    // Two idle members, and a broadcast for each.
    HandingOn(testDescription: "a pool of agents", consumes: "announcement", accepted: 4) { options, give in
      let pool = AgentPool(members: 2, options: options) { 0 }
      return (pool, { pool.broadcast { _ in give(1) } })
    },
  ]
}

/// What a soup has accepted and holds is given out by its end, or counted.
@Suite(.watched)
struct `Compounds that hold values` {
  @Test(arguments: Holder.all, matchers)
  func `A drain gives out a compound's values, or counts those left`(holder: Holder, matcher: Matcher) async throws {
    let given = Log<Int>()
    let compound = try await holder.hold(.init(matcher: matcher, clock: ManualClock()), given.append)
    // A generator's closure rests in a call of its own soup until the drain ends.
    let report = await compound.control.drain(within: holder.label == "offered" ? .zero : patience)
    let left = report.unfinished.filter { $0.label == holder.label }.reduce(0) { $0 + $1.molecules }
    #expect(given.all.sorted() == (holder.flushes ? holder.accepted : []), "\(report)")
    #expect(left == (holder.flushes ? 0 : holder.accepted.count), "\(report)")
    #expect(compound.control.warnings == [])
  }

  @Test(arguments: Holder.all, matchers)
  func `A stop counts the values that a compound holds, once, and a restart begins without them`(
    holder: Holder, matcher: Matcher
  ) async throws {
    let given = Log<Int>()
    let compound = try await holder.hold(.init(matcher: matcher, clock: ManualClock()), given.append)
    await eventually("nothing is in progress") {
      compound.control.snapshot().running.isEmpty || holder.label == "offered"
    }
    if holder.label != "offered" { await compound.control.quiet(within: patience) }
    // Other molecules, such as permits, are dropped as well.
    let others = compound.control.snapshot().counts.filter { $0.label != holder.label && !isState($0.label, compound) }
    let report = await compound.control.stop(within: patience)
    // A pool closes its connections instead.
    let closes = compound is ConnectionPool<Int>
    let dropped = report.dropped - others.reduce(0) { $0 + $1.molecules }
    #expect(dropped == (closes ? 0 : holder.accepted.count), "\(report), \(others)")
    await eventually("all are closed") { given.all.sorted() == (closes ? holder.accepted : []) }
    #expect(await compound.control.stop(within: patience).dropped == 0)
    do throws(RestartError) {
      try await compound.control.restart(within: patience)
    } catch {
      #expect(error == .refused)
      return
    }
    await compound.control.quiet(within: patience)
    compound.control.clear()  // its first molecules
    #expect(await compound.control.stop(within: patience).dropped == 0)
  }

  @Test(arguments: HandingOn.all, matchers)
  func `A stop counts what a body could not hand on`(handing: HandingOn, matcher: Matcher) async throws {
    let given = Log<Int>()
    let (compound, begin) = try await handing.hold(.init(matcher: matcher, clock: ManualClock()), given.append)
    let control = compound.control
    await control.quiet(within: patience)
    #expect(try await control.countDropped(stoppingIn: handing.consumes, begin) == handing.accepted)
    #expect(given.all == [])
  }

  @Test(arguments: matchers)
  func `A stop and a drain count the items of the batches that wait for the action`(matcher: Matcher) async {
    for isDrained in [false, true] {
      let (begun, gate, given) = (Gate(), Gate(), Log<Int>())
      let batcher = Batcher<Int>(size: 3, within: .seconds(1), options: .init(matcher: matcher, clock: ManualClock())) {
        for number in $0 { given.append(number) }
        begun.open()
        await gate.wait()
      }
      for number in 1...3 { batcher.add(number) }
      await begun.wait()
      for number in 4...10 { batcher.add(number) }
      let dropped: Int
      if isDrained {
        let report = await batcher.control.drain(within: .zero)
        dropped = report.unfinished.reduce(0) { $0 + $1.molecules }
        #expect(report.unfinished.first { $0.label == "act" }?.molecules == 7, "\(report)")
      } else {
        dropped = await batcher.control.stop(within: .zero).dropped
      }
      gate.open()
      #expect(dropped + (await batcher.control.stop(within: patience)).dropped == 7)
      #expect(given.all == [1, 2, 3])
    }
  }

  private func isState(_ label: String, _ compound: any Compound) -> Bool {
    compound.control.graph.names.contains { $0.label == label && $0.kind == .state }
  }

  @Test(arguments: [Holder.all[0], Holder.all[1], Holder.all[2]], matchers)
  func `A flush gives out what a compound holds before its time`(holder: Holder, matcher: Matcher) async throws {
    let given = Log<Int>()
    let compound = try await holder.hold(.init(matcher: matcher, clock: ManualClock()), given.append)
    func flush() {
      (compound as? Batcher<Int>)?.flush()
      (compound as? Debounce<Int>)?.flush()
      (compound as? Throttle<Int>)?.flush()
    }
    await compound.control.quiet(within: patience)
    for _ in 0..<2 {  // the second one finds nothing
      flush()
      await compound.control.quiet(within: patience)
      #expect(given.all == holder.accepted)
    }
    for number in 4...9 {
      (compound as? Throttle<Int>)?.send(1)  // it gives out no 1
      compound.control.pause()
      (compound as? Batcher<Int>)?.add(number)
      (compound as? Debounce<Int>)?.send(number)
      (compound as? Throttle<Int>)?.send(number)
      flush()
      compound.control.resume()
      await compound.control.quiet(within: patience)
      #expect(given.all == holder.accepted + Array(4...number), "a flush does not overtake a value")
    }
  }
}
