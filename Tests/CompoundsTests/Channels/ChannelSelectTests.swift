import Compounds
import Crucible
import CrucibleTestSupport
import Testing

/// The two forms that the documentation of `Channel` shows: a select with a default, and a cancellation handler.
@Suite(.watched)
struct `A channel in a select, or under a cancellation handler` {
  @Test(arguments: `A channel`.capacities, matchers)
  func `A select over channels with a limit of zero takes what is there, and nothing else`(
    capacity: ChannelCapacity, matcher: Matcher
  ) async throws {
    let options = Soup.Options(matcher: matcher)
    let lines = Channel<Int>(capacity, options: options)
    let alarms = Channel<Int>(.buffered(1), options: options)
    func next() async throws -> Int? {
      try await Soup.first(of: lines.receive.call(), alarms.receive.call(), within: .zero)
    }
    await #expect(throws: CallError.timedOut) { try await next() }

    let sender = Task { try await lines.send(1) }
    if capacity == .unbuffered { await lines.control.expectWaiting(1) } else { try await sender.value }
    #expect(try await next() == 1)
    try await sender.value
    await #expect(throws: CallError.timedOut) { try await next() }

    try await alarms.send(2)
    #expect(try await next() == 2)
    lines.close()
    #expect(try await next() == nil)
    await lines.control.expectRest(["closed 1", "content 1"])
    await alarms.control.expectRest(["empty 1", "content 1"])
  }

  @Test(arguments: matchers)
  func `A handler closes the channel of a cancelled reader that is busy, and its senders stop waiting`(
    matcher: Matcher
  ) async throws {
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
