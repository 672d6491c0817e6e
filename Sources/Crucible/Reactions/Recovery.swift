import CCrucible

/// The action to take when the body of a reaction throws.
///
/// ```swift
/// soup.react(job, recovery: .retry(limit: 3, backoff: .milliseconds(10))) { job in try send(job) }
/// ```
public struct Recovery: Sendable {
  let limit: Int
  let backoff: Duration
  /// The decision. Nil means that the inputs are put back as often as the limit allows.
  let choose: (@Sendable (Failure) -> Decision)?

  private init(limit: Int, backoff: Duration, _ choose: (@Sendable (Failure) -> Decision)? = nil) {
    self.limit = limit
    self.backoff = backoff
    self.choose = choose
  }

  /// Reports the error to each caller that the body had not answered. If there is none, the soup's `onError` gets it.
  public static var report: Recovery { Recovery(limit: 0, backoff: .zero) }

  /// Puts the inputs back, where other reactions may consume them as well. After `limit` times, as ``report``.
  ///
  /// The soup injects the inputs again, behind the molecules that wait by then, in one step. Only calls whose callers
  /// may give up, and calls that were handed on, go one by one. A call that has ended is not put back. If nothing else
  /// is left of the inputs, the error is reported. The soup counts the times for each value and call, and for a
  /// reaction without values its failures in a row. States are as the body left them.
  ///
  /// The limit is from 1 to 63. The backoff is the time before the inputs are put back, by the soup's clock. It doubles
  /// each further time. Meanwhile the soup lives, and is not quiet. If the soup is stopped by then, it takes nothing
  /// back, and the error is reported.
  ///
  /// - Complexity: as ``decide(limit:backoff:file:line:_:)``.
  public static func retry(
    limit: Int, backoff: Duration = .zero, file: StaticString = #fileID, line: UInt = #line
  ) -> Recovery {
    check(limit, of: "retry", file, line)
    return Recovery(limit: limit, backoff: backoff)
  }

  /// Lets the closure decide at each error about the inputs.
  ///
  /// ```swift
  /// let recovery = Recovery.decide(backoff: .milliseconds(10)) { failure in
  ///   if failure.error is Overloaded && failure.retries < 5 { return .retry }
  ///   rejected(failure.inputs[0] as! Job)
  ///   return .handled
  /// }
  /// soup.react(job, recovery: recovery) { job in try send(job) }
  /// ```
  ///
  /// The closure runs where the body ran, right after it: the states of the pattern are still taken. It may answer or
  /// fail the calls among the inputs. At the limit, ``Decision/retry`` means ``Decision/report``.
  ///
  /// - Complexity: an allocation for each input of a body that throws. A body that does not throw pays nothing.
  public static func decide(
    limit: Int = 63, backoff: Duration = .zero, file: StaticString = #fileID, line: UInt = #line,
    _ choose: @escaping @Sendable (Failure) -> Decision
  ) -> Recovery {
    check(limit, of: "decide", file, line)
    return Recovery(limit: limit, backoff: backoff, choose)
  }

  private static func check(_ limit: Int, of function: String, _ file: StaticString, _ line: UInt) {
    if limit < 1 || limit > 63 {
      fatalError("Crucible: \(function): the limit must be from 1 to 63, not \(limit)", file: file, line: line)
    }
  }

  /// The error of a body that has thrown, with the inputs of the body.
  public struct Failure: Sendable {
    /// The error that the body threw.
    public let error: any Error
    /// The consumed molecules in the order of the pattern, without states: the value of a slow molecule, the ``Call``
    /// of a fast one. A molecule that carries nothing is `()`. An array or a group gives one element for each molecule.
    public let inputs: [any Sendable]
    /// The number of times that the inputs were put back already, 0 at the first error.
    public let retries: Int
  }

  /// The fate of the inputs of a body that has thrown.
  public enum Decision: Sendable {
    /// The inputs are put back.
    case retry
    /// The callers get the error. If there are none, the soup's ``Soup/Options/onError`` gets it.
    case report
    /// The inputs are gone, and `onError` is not called. A caller without an answer gets ``CallError/failed(_:)``.
    case handled
  }

  /// Returns the pause before that time, counted from 1. No clock of a soup reaches the end of the longest one.
  func pause(before time: Int) -> Duration {
    let longest = Duration.seconds(Int64.max)
    let factor = 1 << (time - 1)
    return backoff <= .zero ? .zero : backoff > longest / factor ? longest : backoff * factor
  }
}

@usableFromInline
class FailedInput: @unchecked Sendable {
  /// The input as the closure that decides gets it.
  var input: any Sendable { () }

  /// Gives the error to the caller, if one waits. Returns whether one did.
  func fail(_ error: any Error) -> Bool { false }

  /// Whether no code needs the input any more: a call that was answered, or whose caller has given up.
  var hasEnded: Bool { false }

  /// Puts the input back for that time: into the batch, or by itself. Returns false if the soup does not accept it.
  func putBack(as name: OpaquePointer, time: Int, into batch: Together) -> Bool { true }

  /// Ends the input after the soup refused its batch.
  func refuse(_ outcome: UInt32) {}
}

final class FailedValue<Value: Sendable>: FailedInput, @unchecked Sendable {
  private let value: Value

  init(_ value: Value) { self.value = value }

  override var input: any Sendable { value }

  override func putBack(as name: OpaquePointer, time: Int, into batch: Together) -> Bool {
    batch.add(value, to: name, times: Payload<Value>.size == 0 ? 1 : time)
    return true
  }
}

final class FailedCall<Input: Sendable, Output: Sendable>: FailedInput, @unchecked Sendable {
  private let call: Call<Input, Output>

  init(_ call: Call<Input, Output>) { self.call = call }

  override var input: any Sendable { call }

  override func fail(_ error: any Error) -> Bool { call.fail(error) }

  override var hasEnded: Bool { call.token.hasEnded }

  override func refuse(_ outcome: UInt32) { call.token.refuse(outcome) }

  override func putBack(as name: OpaquePointer, time: Int, into batch: Together) -> Bool {
    if hasEnded { return true }
    if let destructor = Destructor.of(name) as? HandedCallDestructor<Input, Output> {
      if destructor.putBack(call, time: time) { return true }
      refuse(Outcome.of(crucible_last_refusal()))
      return false
    }
    if let caller = call.token.caller { return caller.putBack(call, time: time) }
    batch.add(call, to: name, times: time)
    return true
  }
}

extension ReactionBody {
  /// Handles the error of a body: puts the inputs back, or reports the error to their callers or the soup.
  ///
  /// If the body cannot throw, the optimizer removes all of this code: a value of `Never` shows it that no path leads
  /// here. A trap would stay in the code, and so would the inspection of the error.
  @inlinable @inline(__always)
  func fail<Failure: Error>(
    _ error: Failure, _ inputs: UnsafePointer<UnsafeMutableRawPointer>, _ failed: @autoclosure () -> [AnyObject]
  ) {
    if Failure.self == Never.self { Never?.none.unsafelyUnwrapped }
    failTaken(error, inputs, failed())
  }

  @usableFromInline
  func failTaken(_ error: any Error, _ inputs: UnsafePointer<UnsafeMutableRawPointer>, _ failed: [AnyObject]) {
    tellError(error)
    fail(error, attempts: ReactionBody.attempts(inputs), failed, inputs)
  }

  func fail(
    _ error: any Error, attempts: Int, _ failed: [AnyObject], _ inputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    let failed = failed.map { unsafeDowncast($0, to: FailedInput.self) }
    let time = 1 + (carriesValues ? attempts : failures)
    countError()
    let decision = recovery.choose.map { choose in
      choose(Recovery.Failure(error: error, inputs: failed.map(\.input), retries: time - 1))
    }
    guard decision ?? .retry == .retry && time <= recovery.limit else {
      endFailures()
      guard decision == .handled else { return report(error, failed) }
      for input in failed { _ = input.fail(error) }
      return
    }
    countFailure()
    let pause = recovery.pause(before: time)
    let origins = originsToPutBack(inputs)
    if pause <= .zero {
      putBack(failed, origins, time, after: error)
      return
    }
    crucible_soup_begin_pending(core)
    let backoff = Backoff {
      self.putBack(failed, origins, time, after: error)
      crucible_soup_end_pending(self.core)
    }
    backoff.begin(until: Deadline(after: pause, by: context?.clock ?? .continuous))
  }

  /// Returns the original origin of each molecule that the body consumed, if its name has origins. The body ran by the
  /// one that is missing, so this makes that one again.
  private func originsToPutBack(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) -> [Origin?] {
    if origins.isEmpty { return [] }
    let left = takeOrigins(inputs)
    return inputsOfReaction(index, in: core).enumerated()
      .filter { isConsumed($0.element) }
      .map { left[$0.offset] ?? (origins.contains($0.offset) ? Origin.make() : nil) }
  }

  private func putBack(_ failed: [FailedInput], _ origins: [Origin?], _ time: Int, after error: any Error) {
    if failed.allSatisfy(\.hasEnded) {
      for origin in origins { origin?.end() }
      return report(error, [])
    }
    let batch = Together(owns: false, arePutBack: true)
    var ofBatch: [Origin] = []
    var areBack = true
    for (index, (name, input)) in zip(consumed, failed).enumerated() {
      let own = origins.isEmpty ? nil : origins[index]
      let count = batch.count
      let (isBack, left) = Origin.give(own.map { [$0] } ?? []) { input.putBack(as: name, time: time, into: batch) }
      if !isBack { areBack = false }
      if batch.count > count { ofBatch += left } else { for origin in left { origin.end() } }
    }
    if let refusal = Origin.giveAll(ofBatch, { batch.inject() }) {
      areBack = false
      for input in failed { input.refuse(Outcome.of(refusal)) }
    }
    if areBack { countRetry() } else { report(error, []) }
  }

  /// Whether the error is the usual one of a body that the library ended. Such a body was cancelled, or waited for its
  /// own soup while no code owned the soup.
  private func isEnd(_ error: any Error) -> Bool {
    if isAsync && error is CancellationError { return Task.isCancelled }
    return error as? CallError == .gone && crucible_soup_is_closed(core)
  }

  func report(_ error: any Error, _ failed: [FailedInput]) {
    var received = false
    for input in failed where input.fail(error) { received = true }
    if received || isEnd(error) { return }
    let error = ReactionError(error, inReaction: index, of: core)
    if let onError = context?.onError { onError(error) } else { error.write() }
  }
}

/// An action that runs after a pause, on the pool.
private final class Backoff: Sendable {
  private let act: @Sendable () -> Void
  private nonisolated(unsafe) let alarm = UnsafeMutablePointer<crucible_alarm>.allocate(capacity: 1)

  init(_ act: @escaping @Sendable () -> Void) { self.act = act }

  deinit { alarm.deallocate() }

  /// The thread of the alarms only passes the action on, because it may run bodies and handlers of errors.
  func begin(until deadline: Deadline) {
    alarm.initialize(
      to: crucible_alarm(Unmanaged.passRetained(self).toOpaque()) {
        let backoff = Unmanaged<Backoff>.fromOpaque($0.pointee.context!).takeRetainedValue()
        Task.detached(executorPreference: PoolExecutor.shared) { backoff.act() }
      })
    deadline.set(alarm)
  }
}
