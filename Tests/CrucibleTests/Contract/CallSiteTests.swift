import Crucible
import CrucibleTestSupport
import Testing

/// An error of a call says which call it is about.
@Suite(.watched, .serialized)
struct `The error of a call` {
  /// A soup with a call for each way to end without a reply.
  private struct Counter {
    let ask: FastInjector<Int, Int>
    let drop: FastInjector<Void, Int>
    let control: Soup.Control

    init(_ setup: Setup) {
      (ask, drop, control) = Soup.define("counter", with: .init(matcher: setup.matcher)) { soup in
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        let drop = soup.fast("drop", returning: Int.self)
        let never = soup.slow("never")
        soup.react(ask, never, on: setup.placement) { call, _ in call.reply(1) }
        soup.react(drop, on: setup.placement) { _ in }
        return (ask, drop, soup.control)
      }
    }
  }

  private func expect(
    _ error: CallError?, _ expected: CallError, _ molecule: String, _ line: Int, _ text: String,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(error == expected, sourceLocation: location)
    let call = try #require(error?.call, sourceLocation: location)
    #expect(call.soup == "counter" && call.molecule == molecule, sourceLocation: location)
    #expect(call.source == Soup.Source(line: line), sourceLocation: location)
    #expect(
      "\(error!)" == "'\(molecule)' of 'counter' (\(#fileID):\(line)): \(text)", sourceLocation: location)
  }

  /// The error of a call, and the line of its last argument.
  private func failure(_ work: nonisolated(nonsending) () async throws -> Int) async -> CallError? {
    do { _ = try await work() } catch { return error as? CallError }
    return nil
  }
  private func failureOnThread(_ work: @escaping @Sendable () throws -> Int) async -> CallError? {
    await failure { try await onThread(work) }
  }

  @Test(arguments: Run.setups)
  func `The error of a call says soup, molecule and line, in each form of the call`(setup: Setup) async throws {
    let (counter, line) = (Counter(setup), #line)
    let (ask, drop) = (counter.ask, counter.drop)
    let (late, dropped) = ("there was no reply in time", "the reaction dropped the call without a reply")
    try await expect(failure { try await ask(1, within: .zero) }, .timedOut, "ask", line + 3, late)
    try await expect(failureOnThread { try ask.blocking(1, within: .zero) }, .timedOut, "ask", line + 4, late)
    try await expect(failure { try await drop() }, .neverReplied, "drop", line + 5, dropped)
    try await expect(failure { try await drop(within: patience) }, .neverReplied, "drop", line + 6, dropped)
    try await expect(failureOnThread { try drop.blocking() }, .neverReplied, "drop", line + 7, dropped)
    let task = Task { await failure { try await ask(1) } }
    task.cancel()
    let cancelled = "the task was cancelled before there was a reply"
    try await expect(task.value, .cancelled, "ask", line + 8, cancelled)
    let waiting = Task { await failureOnThread { try ask.blocking(1) } }
    await counter.control.callers(1)
    counter.control.clear()
    try await expect(waiting.value, .cleared, "ask", line + 12, "the soup was cleared while the call waited")
    await counter.control.stop()
    for _ in 0..<2 {
      try await expect(failure { try await ask(1) }, .stopped, "ask", line + 18, "the soup was stopped")
      try await expect(failureOnThread { try ask.blocking(1) }, .stopped, "ask", line + 19, "the soup was stopped")
    }
    let gone = Counter(setup).drop.weak
    try await expect(failure { try await gone() }, .gone, "drop", line + 22, "the soup is gone")
  }

  @Test(arguments: matchers)
  func `The error of a select says its first branch and the number of the others`(matcher: Matcher) async throws {
    let counter = Counter(Setup(matcher: matcher, placement: .inline))
    let other = `A select`.box("box", Setup(matcher: matcher, placement: .inline))
    let line = #line + 2
    let error = await failure {
      try await Soup.first(of: counter.ask.call(1), other.take.call(), within: .zero)
    }
    #expect(error == .timedOut)
    #expect("\(error!)" == "'ask' of 'counter' and 1 more (\(#fileID):\(line)): there was no reply in time")
  }

  @Test func `An error that no call has thrown says what it means, and equals that of any call`() {
    #expect("\(CallError.timedOut(nil))" == "There was no reply in time.")
    #expect(CallError.timedOut.call == nil && CallError.timedOut != .stopped)
    #expect(CallError.timedOut == .timedOut && CallError.gone == .gone && CallError.gone != .failed(Boom(1)))
  }
}
