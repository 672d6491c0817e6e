public import Crucible

/// Waits for events in a soup, so that tests need not sleep.
///
/// ```swift
/// let probe = Probe(control)
/// order(12)
/// try await probe.untilConsumed(order)
/// try await probe.untilQuiet()
/// #expect(try await total() == 12)
/// ```
///
/// A probe counts from the moment when it was made, so events before a wait count as well. Each wait has a deadline. If
/// the deadline comes first, the wait throws a ``ProbeFailure`` that explains the state of the soup. Any number of
/// waits may go on at the same time.
///
/// ```swift
/// try await probe.untilInjected(order, count: 3)
/// try await probe.untilReplied(total, within: .seconds(1))
/// try await probe.until("a refusal") { event in
///   if case .refused = event.kind { true } else { false }
/// }
/// probe.end()
/// ```
///
/// A wait suspends the task. It throws a ``ProbeFailure``, or `CancellationError` if the task is cancelled.
///
/// - Throws: ``ProbeFailure``; `CancellationError`.
/// - Complexity: O(events) when a wait begins, and O(waits) for each event.
///
/// A probe observes the soup, which makes the soup slower, and owns it like a name. It ends with ``end()`` or with its
/// last reference.
public final class Probe: Sendable {
  private let control: Soup.Control
  private let patience: Duration
  private let board: Board
  private let observation: Soup.Observation

  /// Makes a probe, which counts the events of the soup from now on.
  ///
  /// - Parameters:
  ///   - control: the control of the soup.
  ///   - patience: the longest time of a wait that names no other.
  public init(_ control: Soup.Control, patience: Duration = .seconds(10)) {
    self.control = control
    self.patience = patience
    let board = Board()
    self.board = board
    observation = control.observe { board.note($0) }
    control.observeEnds(observation) { board.noteEnd() }
    board.beginNotingEnds()
  }

  deinit { end() }

  /// Ends the probe. Waits in progress end by their deadlines.
  public func end() { observation.end() }

  /// The events since the probe was made.
  ///
  /// - Complexity: O(events).
  public var events: [Soup.Event] { board.events }

  /// Waits until the soup is quiet: no injection in progress, no reaction reserved or running.
  public func untilQuiet(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) async throws {
    let limit = limit ?? patience
    if await control.quiet(within: limit) { return }
    try Task.checkCancellation()
    throw ProbeFailure("quiet", limit, Soup.Source(file, line), control)
  }

  /// Waits until reactions have consumed so many molecules of the name.
  public func untilConsumed(
    _ name: some Soup.Name & Sendable, count: Int = 1, within limit: Duration? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) async throws {
    try await until("\(count) of '\(name)' consumed", count, within: limit, Soup.Source(file, line)) {
      if case .consumed(let molecule, by: _) = $0.kind { molecule.is(name) ? 1 : 0 } else { 0 }
    }
  }

  /// Waits until so many molecules of the name have been injected: each is in the soup, or was consumed.
  public func untilInjected(
    _ name: some Soup.Name & Sendable, count: Int = 1, within limit: Duration? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) async throws {
    try await until("\(count) of '\(name)' injected", count, ofArrivals: true, within: limit, Soup.Source(file, line)) {
      if case .injected(let molecule, let count) = $0.kind { molecule.is(name) ? count : 0 } else { 0 }
    }
  }

  /// Waits until so many callers of the name have got their replies.
  public func untilReplied(
    _ name: some Soup.Name & Sendable, count: Int = 1, within limit: Duration? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) async throws {
    try await until("\(count) of '\(name)' replied", count, within: limit, Soup.Source(file, line)) {
      if case .replied(let molecule) = $0.kind { molecule.is(name) ? 1 : 0 } else { 0 }
    }
  }

  /// Waits until so many bodies have ended, by themselves or by an error.
  ///
  /// ```swift
  /// let (order, reaction, control) = Soup.define { soup in
  ///   let order = soup.slow("order", of: Int.self)
  ///   return (order, soup.react(order) { number in print(number) }, soup.control)
  /// }
  /// let probe = Probe(control)
  /// order(1)
  /// try await probe.untilFinished(reaction)
  /// ```
  public func untilFinished(
    _ reaction: Soup.Reaction, count: Int = 1, within limit: Duration? = nil, file: StaticString = #fileID,
    line: UInt = #line
  ) async throws {
    try await until("\(count) of reaction \(reaction.index) finished", count, within: limit, Soup.Source(file, line)) {
      [index = reaction.index] in
      switch $0.kind {
      case .finished(let reaction), .threw(let reaction, _): reaction.index == index ? 1 : 0
      default: 0
      }
    }
  }

  /// Waits until an event has come for which the condition holds.
  ///
  /// `what` names the wait in its failure.
  public func until(
    _ what: String, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ condition: @escaping @Sendable (Soup.Event) -> Bool
  ) async throws {
    try await until(what, 1, within: limit, Soup.Source(file, line)) { condition($0) ? 1 : 0 }
  }

  private func until(
    _ what: String, _ count: Int, ofArrivals: Bool = false, within limit: Duration?, _ source: Soup.Source,
    _ weight: @escaping @Sendable (Soup.Event) -> Int
  ) async throws {
    let limit = limit ?? patience
    let wait = board.begin(count, ofArrivals: ofArrivals, weight)
    let alarm = Task.detached { [board] in
      try await Task.sleep(for: min(limit, .seconds(UInt32.max)))  // beyond some 292 years, Swift 6.3 traps
      board.endLate(wait)
    }
    let end = await withTaskCancellationHandler {
      await board.wait(for: wait)
    } onCancel: {
      board.end(wait, .cancelled)
    }
    alarm.cancel()
    board.forget(wait)
    switch end {
    case .come: return
    case .cancelled: throw CancellationError()
    case .late(let remaining): throw ProbeFailure("\(what) (\(count - remaining) came)", limit, source, control)
    }
  }
}
