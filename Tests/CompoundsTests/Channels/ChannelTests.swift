import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@Suite(.watched)
struct `A channel` {
  static let capacities: [ChannelCapacity] = [.unbuffered, .buffered(1), .buffered(8), .unbounded]

  @Test(arguments: matchers)
  func `A channel has as much room as it says`(matcher: Matcher) async throws {
    let options = Soup.Options(matcher: matcher)
    for (capacity, room) in [(ChannelCapacity.unbuffered, 0), (.buffered(1), 1), (.buffered(3), 3), (.unbounded, 100)] {
      let channel = Channel<Int>(capacity, options: options)
      for number in 0..<room { #expect(channel.trySend(number)) }
      if capacity != .unbounded {
        #expect(!channel.trySend(-1))
        await #expect(throws: CallError.timedOut) { try await channel.send(-1, within: .zero) }
      }
      for number in 0..<room { #expect(channel.tryReceive() == number) }
      #expect(channel.tryReceive() == nil)
      await #expect(throws: CallError.timedOut) { try await channel.receive(within: .zero) }
    }
  }

  @Test(arguments: matchers)
  func `An unbuffered channel lets a sender go on when its value is received`(matcher: Matcher) async throws {
    let channel = Channel<Int>(.unbuffered, options: .init(matcher: matcher))
    let sender = Task { try await channel.send(1) }
    await channel.control.expectWaiting(1)
    #expect(try await channel.receive() == 1)
    try await sender.value
    let receiver = Task { try await channel.receive() }
    await channel.control.expectWaiting(1)
    #expect(channel.trySend(2))
    #expect(try await receiver.value == 2)
    let other = Task { try await channel.send(3) }
    await channel.control.expectWaiting(1)
    #expect(channel.tryReceive() == 3)
    try await other.value
    await channel.control.expectRest(["empty 1", "content 1"])
  }

  @Test(arguments: capacities, matchers)
  func `A closed channel fails its senders, and hands out the values that it has`(
    capacity: ChannelCapacity, matcher: Matcher
  ) async throws {
    let channel = Channel<Int>(capacity, options: .init(matcher: matcher))
    var sent = 0
    while sent < 8, channel.trySend(sent) { sent += 1 }
    let parked = sent == 8 ? nil : Task { await channel.send.outcome(-1) }
    if parked != nil { await channel.control.expectWaiting(1) }
    #expect(channel.close())
    #expect(!channel.close())
    if let parked {
      await #expect(throws: CallError.failed(ChannelClosed())) { try await parked.value.get() }
    }
    await #expect(throws: CallError.failed(ChannelClosed())) { try await channel.send(-1) }
    #expect(!channel.trySend(-1))
    for number in 0..<sent { #expect(try await channel.receive() == number) }
    #expect(try await channel.receive() == nil)
    #expect(channel.tryReceive() == nil)
    #expect(try await channel.receiveAll() == [])
    await channel.control.expectRest(["closed 1", "content 1"])
  }

  @Test(arguments: capacities, matchers)
  func `A receiver of several values gets so many, or fewer at the end, and loses none when it gives up`(
    capacity: ChannelCapacity, matcher: Matcher
  ) async throws {
    let clock = ManualClock()
    let channel = Channel<Int>(capacity, options: .init(matcher: matcher, clock: clock))
    let sending = Task {
      for number in 0..<10 { try await channel.send(number) }
    }
    #expect(try await channel.receive(count: 0) == [])
    #expect(try await channel.receive(count: 4) == [0, 1, 2, 3])
    #expect(try await onThread { try channel.blocking.receive(count: 4, within: patience) } == [4, 5, 6, 7])
    // The limit is over after some values, and then before the first.
    let few = Task { try await channel.receive(count: 4, within: .seconds(1)) }
    try await sending.value
    await channel.control.callers(1)
    clock.advance(by: .seconds(1))
    #expect(try await few.value == [8, 9])
    await #expect(throws: CallError.timedOut) {
      try await clock.expire { limit in try await channel.receive(count: 4, within: limit) }
    }
    await #expect(throws: CallError.timedOut) {
      try await clock.expire { limit in
        try await onThread { try channel.blocking.receive(count: 4, within: limit) }
      }
    }
    let last = Task { try await channel.receive(count: 4) }
    try await channel.send(10)
    await channel.control.callers(1)
    channel.close()
    #expect(try await last.value == [10])
    #expect(try await channel.receive(count: 4) == [])
  }

  @Test(arguments: capacities, matchers)
  func `A closed channel ends its receivers`(capacity: ChannelCapacity, matcher: Matcher) async throws {
    let channel = Channel<Int>(capacity, options: .init(matcher: matcher))
    let receivers = (0..<3).map { _ in Task { try await channel.receive() } }
    await channel.control.expectWaiting(3)
    channel.close()
    for receiver in receivers { #expect(try await receiver.value == nil) }
    #expect(try await onThread { try channel.receive.blocking() } == nil)
  }

  @Test(arguments: matchers)
  func `A channel is a sequence of the values that are sent until it is closed`(matcher: Matcher) async throws {
    let channel = Channel<Int>(.buffered(2), options: .init(matcher: matcher))
    async let sending: Void = {
      for number in 0..<50 { try await channel.send(number) }
      channel.close()
    }()
    var got: [Int] = []
    for try await number in channel { got.append(number) }
    try await sending
    #expect(got == Array(0..<50))
  }

  @Test(arguments: matchers)
  func `A select over several channels receives from one of them, or sends to it`(matcher: Matcher) async throws {
    let options = Soup.Options(matcher: matcher)
    let texts = Channel<String>(.buffered(1), options: options)
    let numbers = Channel<Int>(.unbuffered, options: options)
    func select(within limit: Duration) async throws -> String? {
      try await Soup.first(of: texts.receive.call(), numbers.receive.call { $0.map(String.init) }, within: limit)
    }
    await #expect(throws: CallError.timedOut) { try await select(within: .zero) }
    try await texts.send("a")
    #expect(try await select(within: patience) == "a")
    let sender = Task { try await numbers.send(7) }
    #expect(try await select(within: patience) == "7")
    try await sender.value
    try await texts.send("b")
    let receiver = Task { try await numbers.receive() }
    await numbers.control.expectWaiting(1)
    let sent = try await Soup.first(of: texts.send.call("c") { "text" }, numbers.send.call(8) { "number" })
    #expect(try await receiver.value == 8 && sent == "number")
    texts.close()
    #expect(try await select(within: patience) == "b")
    #expect(try await select(within: patience) == nil)
    await texts.control.expectRest(["closed 1", "content 1"])
    await numbers.control.expectRest(["empty 1", "content 1"])
  }

  @Test(arguments: matchers)
  func `A channel hands out all its values at once`(matcher: Matcher) async throws {
    let channel = Channel<Int>(.buffered(4), options: .init(matcher: matcher))
    for number in 0..<4 { try await channel.send(number) }
    #expect(try await channel.receiveAll() == [0, 1, 2, 3])
    await #expect(throws: CallError.timedOut) { try await channel.receiveAll(within: .zero) }
    try await channel.send(4)
    #expect(try await onThread { try channel.blocking.receiveAll() } == [4])
    await channel.control.expectRest(["empty 1", "content 1"])
    #expect(channel.control.warnings == [])
  }

  @Test(arguments: matchers)
  func `A channel of ticks keeps the last tick for a slow receiver`(matcher: Matcher) async throws {
    let clock = ManualClock()
    let ticks = Channel.ticks(every: .seconds(2), options: .init(matcher: matcher, clock: clock))
    clock.advance(by: .seconds(1))
    #expect(ticks.tryReceive() == nil)
    for number in 1...2 {
      clock.advance(by: .seconds(2))
      #expect(try await ticks.receive() == number)
    }
    await ticks.control.settle(clock, advancedBy: .seconds(6))
    #expect(try await ticks.receive() == 3)
    clock.advance(by: .seconds(2))
    #expect(try await ticks.receive() == 6)
    #expect(ticks.close())
    #expect(try await ticks.receive() == nil)
    await ticks.control.settle(clock, advancedBy: .seconds(20))
    #expect(ticks.control.snapshot().timers.isEmpty)
    #expect(ticks.control.warnings == [])
  }

  @Test(arguments: matchers)
  func `A channel of ticks ends its ticks when it is gone`(matcher: Matcher) async throws {
    let clock = ManualClock()
    do {
      let ticks = Channel.ticks(every: .seconds(2), options: .init(matcher: matcher, clock: clock))
      clock.advance(by: .seconds(2))
      #expect(try await ticks.receive() == 1)
      await expectAwakening(of: clock, at: .seconds(4))
    }
    await expectAwakening(of: clock, at: nil)
  }

  @Test(arguments: matchers)
  func `A handler closes the channel of a cancelled busy reader, and ends its senders`(matcher: Matcher) async throws {
    let lines = Channel<Int>(.buffered(1), options: .init(matcher: matcher))
    let (isBusy, mayGoOn) = (Gate(), Gate())
    let reader = Task {
      try await withTaskCancellationHandler {
        for try await _ in lines {
          isBusy.open()
          await mayGoOn.wait()
        }
      } onCancel: {
        lines.close()
      }
    }
    try await lines.send(1)
    await isBusy.wait()
    try await lines.send(2)
    let sender = Task { try await lines.send(3) }
    await lines.control.expectWaiting(1)

    reader.cancel()
    await #expect(throws: CallError.failed(ChannelClosed())) { try await sender.value }
    mayGoOn.open()
    await #expect(throws: CallError.cancelled) { try await reader.value }
    #expect(lines.tryReceive() == 2)
    await lines.control.expectRest(["closed 1", "content 1"])
  }

  @Test(arguments: matchers)
  func `A waiting reader's handler closes the channel while the call is withdrawn`(matcher: Matcher) async throws {
    for _ in 0..<scaled(200) {
      let lines = Channel<Int>(.unbuffered, options: .init(matcher: matcher))
      let reader = Task {
        try await withTaskCancellationHandler {
          try await lines.receive()
        } onCancel: {
          lines.close()
        }
      }
      let sender = Task { try await lines.send(1) }
      reader.cancel()
      let received = await reader.result
      let sent = await sender.result
      switch received {
      case .success(let value?): #expect(value == 1)  // the value was faster than the cancellation
      case .success(nil), .failure(CallError.cancelled): #expect(!lines.close())
      case .failure(let error): Issue.record(error)
      }
      if case .failure(let error) = sent { #expect(error as? CallError == .failed(ChannelClosed())) }
    }
  }
}

/// Waits until the next awakening of a clock is the given one, or none.
private func expectAwakening(
  of clock: ManualClock, at offset: Duration?, _ location: SourceLocation = #_sourceLocation
) async {
  let sentence = offset.map { "the clock awakens at \($0)" } ?? "the clock does not awaken"
  await eventually(sentence, location) { clock.nextAwakening?.offset == offset }
}

@Suite(.watched)
struct `A caller of a channel that gives up` {
  @Test(arguments: matchers)
  func `A sender that gives up in the moment in which it is served has not sent`(matcher: Matcher) async throws {
    let moment = Moment("content & empty & send")
    let channel = Channel<Int>(.buffered(1), options: .init(matcher: matcher, observer: moment.observer))
    try await channel.send(1)
    try await moment.cancel(channel.send, 2, in: channel.control) {
      let value = try await channel.receive()
      #expect(value == 1)
    }
    await channel.control.expectRest(["empty 1", "content 1"])
  }

  @Test(arguments: matchers)
  func `A receiver that gives up as it is served leaves the first value the first`(matcher: Matcher) async throws {
    let moment = Moment("content & some & receive")
    let channel = Channel<Int>(.buffered(3), options: .init(matcher: matcher, observer: moment.observer))
    try await moment.cancel(channel.receive, (), in: channel.control) {
      for number in 1...2 { try await channel.send(number) }
    }
    for number in 1...2 { #expect(try await channel.receive() == number) }
  }

  @Test(arguments: matchers)
  func `A sender that gives up as it meets a receiver leaves the receiver waiting`(matcher: Matcher) async throws {
    let moment = Moment("content & empty & send & receive")
    let channel = Channel<Int>(.unbuffered, options: .init(matcher: matcher, observer: moment.observer))
    let receiver = Shared<Task<Int?, any Error>>(nil)
    try await moment.cancel(channel.send, 1, in: channel.control) {
      receiver.put(Task { try await channel.receive() })
    }
    await channel.control.expectRest(["empty 1", "content 1", "again 1"])
    try await channel.send(2)
    #expect(try await receiver.value!.value == 2)
  }

  @Test(arguments: matchers)
  func `A receiver that gives up as it meets a sender leaves the value to the next`(matcher: Matcher) async throws {
    let moment = Moment("content & empty & send & receive")
    let channel = Channel<Int>(.unbuffered, options: .init(matcher: matcher, observer: moment.observer))
    try await moment.cancel(channel.receive, (), in: channel.control) { try await channel.send(1) }
    let next = Task { try await channel.send(2) }
    #expect(try await channel.receive() == 1)
    #expect(try await channel.receive() == 2)
    try await next.value
    await channel.control.expectRest(["empty 1", "content 1"])
  }
}

extension Waiter {
  static let ofChannels: [Waiter] = [
    Waiter("a sender without a receiver", \.send, 1) { Channel<Int>(.unbuffered, options: $0) },
    Waiter("a sender to a full channel", \.send, 2) {
      try await prepared(Channel<Int>(.buffered(1), options: $0)) { try await $0.send(1) }
    },
    Waiter("a receiver without a sender", \.receive, ()) { Channel<Int>(.unbuffered, options: $0) },
    Waiter("a receiver of an empty channel", \.receive, ()) { Channel<Int>(.buffered(1), options: $0) },
  ]
}
