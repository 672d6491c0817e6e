import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// The ways in which a caller gives up.
enum WayToGiveUp: CaseIterable, Sendable, CustomTestStringConvertible {
  case awaitedInTime, blockedInTime, cancelled, cancelledInTime

  var testDescription: String { "\(self)" }
  var error: CallError { isCancelled ? .cancelled : .timedOut }
  private var isCancelled: Bool { self == .cancelled || self == .cancelledInTime }

  /// Makes a call whose caller gives up when `isReady` returns.
  func giveUp<Input, Output>(
    _ name: FastInjector<Input, Output>, _ input: Input, by clock: ManualClock, once isReady: () async -> Void
  ) async -> Result<Output, CallError> {
    let limit = Duration.seconds(3600)
    let form = self == .blockedInTime ? CallForm.blocking : .suspending
    let task = Task { await name.outcome(input, within: self == .cancelled ? nil : limit, form) }
    await isReady()
    if isCancelled { task.cancel() } else { await clock.advanceOnceAwaited(by: limit) }
    return await task.value
  }
}
