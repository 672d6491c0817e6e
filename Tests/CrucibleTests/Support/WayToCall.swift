import Crucible
import CrucibleTestSupport
import Testing

/// The ways to make a fast call: both forms, with a limit and without.
enum WayToCall: CaseIterable, Sendable, CustomTestStringConvertible {
  case suspending, suspendingForSome, blocking, blockingForSome

  var testDescription: String { "\(self)" }

  private var form: CallForm { self == .suspending || self == .suspendingForSome ? .suspending : .blocking }
  private var isLimited: Bool { self == .suspendingForSome || self == .blockingForSome }

  /// Makes a call in this way, and returns its outcome. `limit` is for the ways that have one.
  func call<Input, Output>(
    _ name: FastInjector<Input, Output>, _ input: Input, within limit: Duration = patience
  ) async -> Result<Output, CallError> {
    await name.outcome(input, within: isLimited ? limit : nil, form)
  }

  func call<Output>(
    _ name: FastInjector<Void, Output>, within limit: Duration = patience
  ) async -> Result<Output, CallError> {
    await call(name, (), within: limit)
  }

  /// Makes the call on a thread that nothing else uses. A task makes a call that suspends, and this thread waits for
  /// it.
  @available(*, noasync)
  func callFromThread<Input, Output>(
    _ name: FastInjector<Input, Output>, _ input: Input
  ) throws(CallError) -> Output {
    if form == .blocking { return try name.blockingOutcome(input, within: isLimited ? patience : nil).get() }
    let (done, result) = (Gate(), Shared<Result<Output, CallError>>(nil))
    Task.detached {
      result.put(await call(name, input))
      done.open()
    }
    done.waitBlocking()
    return try result.value!.get()
  }
}
