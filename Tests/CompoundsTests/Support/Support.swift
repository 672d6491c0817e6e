import Compounds
import Crucible
import CrucibleTestSupport
import Dispatch
import Foundation
import Testing

extension Soup.Control {
  /// The molecules that wait in the soup: the labels with their counts.
  var contents: [String] { snapshot().counts.filter { $0.molecules > 0 }.map(\.description) }

  /// Waits until the soup has rested, with these contents.
  func expectRest(_ contents: [String], _ location: SourceLocation = #_sourceLocation) async {
    await eventually("the soup rests with \(contents): \(explain())", location) {
      await quiet(within: patience) && self.contents == contents
    }
  }

  /// Waits until the soup has these contents, while bodies may run.
  func expectContents(_ contents: [String], _ location: SourceLocation = #_sourceLocation) async {
    await eventually("the soup has \(contents): \(explain())", location) { self.contents == contents }
  }

  /// Waits until `count` callers wait in bags.
  func expectWaiting(_ count: Int, _ location: SourceLocation = #_sourceLocation) async {
    await eventually("\(count) callers wait: \(explain())", location) { snapshot().waitingCallers == count }
  }

  /// Stops the soup on another thread, and blocks this one until the soup refuses what bodies hand on.
  func stopElsewhere() -> StopReport {
    let (report, isStopped) = (Shared<StopReport>(nil), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      report.put(blocking.stop(within: .zero))
      isStopped.signal()
    }
    isStopped.wait()
    return report.value!
  }

  /// Stops the soup on another thread while the first body runs whose reaction consumes the name. The body goes on once
  /// the soup refuses what it hands on, and `atStop` has run. Returns what all stops count.
  func countDropped(
    stoppingIn name: String, atStop: @escaping @Sendable () -> Void = {}, _ begin: () async throws -> Void
  ) async throws -> Int {
    let stops = Log<StopReport>()
    let observation = observe { event in
      if case .stopped = event.kind { atStop() }
      guard case .started(let reaction) = event.kind, reaction.pattern.contains(name) else { return }
      if !snapshot().isStopped { stops.append(stopElsewhere()) }
    }
    try await begin()
    await eventually("the soup is stopped") { stops.count == 1 }
    let report = await stop(within: patience)
    observation.end()
    return stops.all[0].dropped + report.dropped
  }
}

/// Waits until each soup is quiet, in this order.
func expectQuiet(_ controls: Soup.Control..., location: SourceLocation = #_sourceLocation) async {
  for control in controls { await control.settle(location) }
}

/// The moment at which a body begins that has consumed its molecules. A caller gives up at this moment.
final class Moment: Sendable {
  private let pattern: String
  private let cancelCaller = Shared<@Sendable () -> Void>(nil)
  private let hasGivenUp = Gate()

  /// - Parameter pattern: the beginning of the pattern of the body's reaction.
  init(_ pattern: String) { self.pattern = pattern }

  /// The observer, for the options of a soup.
  var observer: @Sendable (Soup.Event) -> Void {
    { event in
      switch event.kind {
      case .started(let reaction) where reaction.pattern.hasPrefix(self.pattern):
        guard let cancelCaller = self.cancelCaller.take() else { return }
        cancelCaller()
        // A caller may be listed as waiting a moment before its task's cancellation can reach it.
        self.hasGivenUp.waitBlocking()
      case .cancelled: self.hasGivenUp.open()
      default: break
      }
    }
  }

  /// Cancels the caller at the next such moment, which ends its call. Requires: the caller waits. Otherwise its own
  /// thread may run the body, and would wait for itself.
  func arm<Result>(cancelling caller: Task<Result, Never>) { cancelCaller.put { caller.cancel() } }
  var hasCome: Bool { cancelCaller.value == nil }

  /// Makes a task wait in a call, and cancels the task at the moment, which `serve` must bring about.
  func cancel<Input, Output>(
    _ name: FastInjector<Input, Output>, _ input: Input, in control: Soup.Control,
    _ location: SourceLocation = #_sourceLocation, serve: () async throws -> Void
  ) async throws {
    let caller = Task { await name.outcome(input) }
    await control.callers(1)
    arm(cancelling: caller)
    try await serve()
    await #expect(throws: CallError.cancelled, sourceLocation: location) { try await caller.value.get() }
    #expect(hasCome, sourceLocation: location)
  }
}
