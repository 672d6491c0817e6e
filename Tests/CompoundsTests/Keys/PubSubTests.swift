import Compounds
import Crucible
import CrucibleTestSupport
import Testing

private typealias Topics = PubSub<String, Int>

extension Topics.Subscription {
  fileprivate func take(_ count: Int) async throws -> [Int?] {
    var values: [Int?] = []
    for _ in 0..<count { values.append(try await next()) }
    return values
  }
}

@Suite(.watched)
struct `Subscriptions to topics` {
  @Test func `Each subscriber gets its topic's values in order, and topics without one take no memory`() async throws {
    let numbers = Topics()
    do {
      let (first, other) = (try await numbers.subscribe(to: "a"), try await numbers.subscribe(to: "b"))
      #expect(try await numbers.publish(1, to: "a") == 1)
      let second = try await numbers.subscribe(to: "a")
      for number in 2...3 { #expect(try await numbers.publish(number, to: "a", within: .zero) == 2) }
      #expect(try await onThread { try numbers.blocking.publish(4, to: "b") } == 1)
      #expect(try await (first.take(3), second.take(2)) == ([1, 2, 3], [2, 3]))
      #expect(try await other.next() == 4)
    }
    #expect(try await numbers.publish(5, to: "a") == 0)
    await numbers.control.expectRest([])
  }

  @Test func `A full subscriber misses the oldest or the newest values, or its subscription ends`() async throws {
    let numbers = Topics()
    let oldest = try await numbers.subscribe(to: "a", buffer: 2, whenFull: .dropOldest)
    let newest = try await numbers.subscribe(to: "a", buffer: 2, whenFull: .dropNewest)
    let ended = try await numbers.subscribe(to: "a", buffer: 2, whenFull: .end)
    for number in 1...4 { try await numbers.publish(number, to: "a", within: .zero) }
    #expect(try await (oldest.take(2), newest.take(2), ended.take(2)) == ([3, 4], [1, 2], [1, 2]))
    #expect(await (oldest.missed(), newest.missed()) == (2, 2))
    await #expect(throws: SubscriberTooSlow.self) { try await ended.next() }
  }

  @Test func `Publishers wait in order for a subscriber that is full, and one that gives up is heard by nobody`()
    async throws
  {
    let numbers = Topics()
    let slow = try await numbers.subscribe(to: "a", buffer: 1)
    let quick = try await numbers.subscribe(to: "a", buffer: 9)
    try await numbers.publish(0, to: "a")
    var publishers: [Task<Int, any Error>] = []
    for number in 1...4 {
      publishers.append(Task { try await numbers.publish(number, to: "a") })
      await numbers.control.callers(number)
    }
    #expect(try await numbers.publish(5, to: "b", within: .zero) == 0, "another topic")
    await #expect(throws: CallError.timedOut) { try await numbers.publish(6, to: "a", within: .zero) }
    publishers[1].cancel()
    await #expect(throws: CallError.cancelled) { try await publishers[1].value }
    for number in [0, 1, 3, 4] { #expect(try await slow.next() == number) }
    for number in [0, 2, 3] { #expect(try await publishers[number].value == 2) }
    #expect(try await quick.take(4) == [0, 1, 3, 4])
  }

  @Test(arguments: [true, false])
  func `A subscriber that leaves, by its loop or its task, lets the publishers go on`(isCancelled: Bool) async throws {
    let (numbers, hasRead, mayLeave) = (Topics(), Gate(), Gate())
    let loop = Task { [subscription = try await numbers.subscribe(to: "a", buffer: 1)] in
      for try await _ in subscription {
        hasRead.open()
        await mayLeave.wait()
        if !isCancelled { break }
      }
    }
    try await numbers.publish(0, to: "a")
    await hasRead.wait()
    try await numbers.publish(1, to: "a")
    let publisher = Task { try await numbers.publish(2, to: "a") }
    await numbers.control.callers(1)
    if isCancelled { loop.cancel() }
    mayLeave.open()
    _ = await loop.result
    #expect(try await publisher.value == 0)
    await numbers.control.expectRest([])
  }

  @Test(arguments: [0, 1, 2])
  func `After a drain, a stop or the compound's end a loop gets what was delivered, and ends`(end: Int) async throws {
    var numbers: Topics? = Topics()
    let (full, empty) = (try await numbers!.subscribe(to: "a", buffer: 1), try await numbers!.subscribe(to: "b"))
    let reader = Task { try await empty.next() }
    try await numbers!.publish(1, to: "a")
    if end < 2 {
      let publisher = Task { [numbers] in try await numbers!.publish(2, to: "a") }
      await numbers!.control.callers(1)
      let left = end == 0 ? await numbers!.control.drain(within: patience).unfinished.map(\.description) : []
      #expect(left == (end == 0 ? ["waiting 1", "subscriber 2"] : []))
      #expect(await numbers!.control.stop(within: patience).dropped == (end == 0 ? 0 : 3))
      await #expect(throws: CallError.stopped) { try await publisher.value }
    }
    numbers = nil
    #expect(try await reader.value == nil)
    #expect(try await full.take(3) == [1, nil, nil])
  }
}
