import CCrucible

/// The reason why a fast call has no reply. The caller gets exactly one outcome: a reply, or one of these errors.
///
/// ```swift
/// do throws(CallError) {
///   print(try value.blocking())
/// } catch {
///   switch error {
///   case .failed(let error): print("the reaction threw \(error)")
///   case .gone: print("too late")
///   default: print(error)
///   }
/// }
/// ```
public enum CallError: Error, Sendable {
  /// The reaction that consumed the molecule dropped the call without replying.
  case neverReplied
  /// The reaction that consumed the molecule threw this error before it replied, or ended the call with
  /// ``Call/fail(_:)``. If nothing was injected, the error is ``NoMemory`` or ``Deadlock``.
  case failed(any Error)
  /// The soup was stopped before the call, or while the molecule waited in it.
  case stopped
  /// The soup was cleared while the molecule waited in it.
  case cleared
  /// The call's time was over before a reply came.
  case timedOut
  /// The task that made the call was cancelled before a reply came.
  case cancelled
  /// The soup was gone before the call, or ended while the molecule waited in it.
  case gone

  /// Makes the error of an outcome that is nothing but its number.
  init(outcome: UInt32) {
    switch outcome {
    case Outcome.destroyed: self = .gone
    case Outcome.stopped: self = .stopped
    case Outcome.cleared: self = .cleared
    case Outcome.timedOut: self = .timedOut
    case Outcome.cancelled: self = .cancelled
    default: self = .neverReplied
    }
  }

  /// Returns the deadlock of a call of `name` by a body that has `state`, if only reactions that need the state could
  /// serve it.
  @usableFromInline
  static func deadlock(calling name: OpaquePointer, _ state: OpaquePointer) -> CallError {
    .failed(Deadlock(calling: name, .state(labelOfName(state))))
  }

  /// Returns the deadlock of a blocking call of `name` on this thread, if only reactions that need this thread could
  /// serve it.
  static func deadlock(blocking name: OpaquePointer, at call: StaticSource) -> CallError? {
    let core: OpaquePointer = crucible_name_soup(name)
    guard crucible_name_is_special(name), crucible_soup_hold(core) else { return nil }
    defer { crucible_soup_release(core) }
    let isFrozen = crucible_soup_is_frozen(core)
    if !isFrozen && crucible_soup_is_defined_here(core) {
      return .failed(Deadlock(calling: name, .definition(call.description)))
    }
    // Before the definition has ended, no thread may read its reactions.
    guard isFrozen, let station = SoupContext.known(of: core)?.blocked(calling: name) else { return nil }
    return .failed(Deadlock(calling: name, .placement(station.label)))
  }

  /// Returns the deadlock of a call of `name` that the body of this task awaits. The body has a state, and all
  /// reactions that could serve the call need it.
  @usableFromInline
  static func deadlock(awaiting name: OpaquePointer) -> CallError? {
    var state: OpaquePointer?
    guard let task = RunningTask.current, let firing = crucible_firing_of(task),
      crucible_call_is_hopeless_in(name, firing, &state)
    else { return nil }
    return deadlock(calling: name, state!)
  }

  /// The reason for which the soup refused this thread's last injection.
  @usableFromInline
  static var refused: CallError {
    switch crucible_last_refusal() {
    case CRUCIBLE_GONE_SOUP: .gone
    case CRUCIBLE_NOT_RUNNING: .stopped
    default: .failed(NoMemory())
    }
  }
}

extension CallError: Equatable {
  /// Two ``failed(_:)`` values are equal if their errors have one `Equatable` type and are equal. Other errors equal no
  /// error, not even themselves.
  public static func == (a: CallError, b: CallError) -> Bool {
    switch (a, b) {
    case (.failed(let a), .failed(let b)): areEqual(a, b)
    case (.neverReplied, .neverReplied), (.stopped, .stopped), (.cleared, .cleared), (.timedOut, .timedOut),
      (.cancelled, .cancelled), (.gone, .gone):
      true
    default: false
    }
  }
}

private func areEqual(_ a: any Error, _ b: any Error) -> Bool {
  guard type(of: a) == type(of: b), let a = a as? any Equatable else { return false }
  func equals<Value: Equatable>(_ a: Value) -> Bool { b as? Value == a }
  return equals(a)
}

extension CallError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .neverReplied: "The reaction dropped the call without a reply."
    // A body threw the error of a call that it made itself.
    case .failed(CallError.failed(let error)): "\(CallError.failed(error))"
    case .failed(let error): "The call failed: \(error)"
    case .stopped: "The soup was stopped."
    case .cleared: "The soup was cleared while the call waited."
    case .timedOut: "There was no reply in time."
    case .cancelled: "The task was cancelled before there was a reply."
    case .gone: "The soup is gone."
    }
  }
}
