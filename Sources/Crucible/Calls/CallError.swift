import CCrucible

/// The reason why a fast call has no reply. The caller gets exactly one outcome: a reply, or one of these errors.
///
/// ```swift
/// do throws(CallError) {
///   print(try value.blocking())
/// } catch .failed(let error) {
///   print("the reaction threw \(error)")
/// } catch {
///   print(error)
/// }
/// ```
///
/// Each error but ``failed(_:)`` has the call that it is about, ``call``, and its ``description`` names soup, molecule
/// and line. Patterns need not mention it, as in `catch .timedOut`, and it does not count for `==`.
public enum CallError: Error, Sendable {
  /// The reaction that consumed the molecule dropped the call without replying.
  case neverReplied(CallSite?)
  /// The reaction that consumed the molecule threw this error before it replied, or ended the call with
  /// ``Call/fail(_:)``. If nothing was injected, the error is ``NoMemory`` or ``Deadlock``.
  case failed(any Error)
  /// The soup was stopped before the call, or while the molecule waited in it.
  case stopped(CallSite?)
  /// The soup was cleared while the molecule waited in it.
  case cleared(CallSite?)
  /// The call's time was over before a reply came.
  case timedOut(CallSite?)
  /// The task that made the call was cancelled before a reply came.
  case cancelled(CallSite?)
  /// The soup was gone before the call, or ended while the molecule waited in it.
  case gone(CallSite?)

  /// The error ``neverReplied(_:)`` of no call, to compare with.
  @inlinable public static var neverReplied: CallError { .neverReplied(nil) }
  /// The error ``stopped(_:)`` of no call, to compare with.
  @inlinable public static var stopped: CallError { .stopped(nil) }
  /// The error ``cleared(_:)`` of no call, to compare with.
  @inlinable public static var cleared: CallError { .cleared(nil) }
  /// The error ``timedOut(_:)`` of no call, to compare with.
  @inlinable public static var timedOut: CallError { .timedOut(nil) }
  /// The error ``cancelled(_:)`` of no call, to compare with.
  @inlinable public static var cancelled: CallError { .cancelled(nil) }
  /// The error ``gone(_:)`` of no call, to compare with.
  @inlinable public static var gone: CallError { .gone(nil) }

  /// The call that the error is about. Nil for ``failed(_:)``, and for an error that no call has thrown.
  public var call: CallSite? {
    switch self {
    case .failed: nil
    case .neverReplied(let call), .stopped(let call), .cleared(let call), .timedOut(let call), .cancelled(let call),
      .gone(let call):
      call
    }
  }

  private func of(_ call: CallSite) -> CallError {
    switch self {
    case .failed: self
    case .neverReplied: .neverReplied(call)
    case .stopped: .stopped(call)
    case .cleared: .cleared(call)
    case .timedOut: .timedOut(call)
    case .cancelled: .cancelled(call)
    case .gone: .gone(call)
    }
  }

  /// Returns the same error of a call of `name`. Requires: the name's shell is kept.
  @usableFromInline @inline(never)
  func of(_ name: OpaquePointer, _ file: StaticString, _ line: UInt) -> CallError {
    if case .failed = self { return self }
    return of(CallSite([name], StaticSource(file, line)))
  }

  func of(_ names: [OpaquePointer], _ file: StaticString, _ line: UInt) -> CallError {
    names.isEmpty ? self : of(CallSite(names, StaticSource(file, line)))
  }

  /// Makes the error of an outcome that is nothing but its number.
  init(outcome: UInt32) {
    switch outcome {
    case Outcome.destroyed: self = .gone
    case Outcome.stopped: self = .stopped
    case Outcome.cleared: self = .cleared
    case Outcome.timedOut: self = .timedOut
    case Outcome.cancelled: self = .cancelled
    case Outcome.noMemory: self = .failed(NoMemory())
    case Outcome.loopGone: self = .failed(LoopGone())
    default: self = .neverReplied
    }
  }

  /// Returns the deadlock of a call of `name`, if only reactions that need `state` could serve it, which a body on this
  /// thread's stack, or the body of its task, has.
  @usableFromInline
  static func deadlock(calling name: OpaquePointer, _ state: OpaquePointer) -> CallError {
    .failed(Deadlock(calling: name, .state(labelOfName(state)), Deadlock.Body.all(upToHolderOf: state)))
  }

  /// Returns the deadlock of a blocking call of `name` on this thread, if only reactions on this thread could serve it.
  static func deadlock(blocking name: OpaquePointer, at call: StaticSource) -> CallError? {
    var state: OpaquePointer?
    if crucible_call_kind(name, &state) == CRUCIBLE_CALL_HOPELESS { return deadlock(calling: name, state!) }
    let core: OpaquePointer = crucible_name_soup(name)
    guard crucible_name_is_special(name), crucible_soup_hold(core) else { return nil }
    defer { crucible_soup_release(core) }
    let isFrozen = crucible_soup_is_frozen(core)
    if !isFrozen && crucible_soup_is_defined_here(core) {
      return .failed(Deadlock(calling: name, .definition(call.description)))
    }
    if let deadlock = deadlock(awaiting: name, blocks: true) { return deadlock }
    // Before the definition has ended, no thread may read its reactions.
    guard isFrozen, let station = SoupContext.known(of: core)?.blocked(calling: name) else { return nil }
    return .failed(Deadlock(calling: name, .placement(station.label)))
  }

  /// Returns the deadlock of a call of `name` that the body of this task awaits, if it needs a state of that body.
  static func deadlock(awaiting name: OpaquePointer, blocks: Bool = false) -> CallError? {
    var state: OpaquePointer?
    guard let task = RunningTask.current, let firing = crucible_firing_of(task),
      crucible_call_is_hopeless_in(name, firing, blocks, &state)
    else { return nil }
    return deadlock(calling: name, state!)
  }

  /// Returns the deadlock of a call of a special name that the body of this task awaits. If there is none, the call is
  /// about to be injected.
  @usableFromInline
  static func deadlock(awaiting name: OpaquePointer, _ file: StaticString, _ line: UInt) -> CallError? {
    if let deadlock = deadlock(awaiting: name) { return deadlock }
    noteCalls(of: name, at: StaticSource(file, line))
    return nil
  }

  /// The reason for which the soup refused this thread's last injection.
  @usableFromInline
  static var refused: CallError {
    let refusal = crucible_last_refusal()
    if refusal != CRUCIBLE_HOPELESS { return CallError(outcome: Outcome.of(refusal)) }
    var state: OpaquePointer?
    let name = crucible_last_hopeless(&state)
    return deadlock(calling: name, state!)
  }
}

extension CallError: Equatable {
  /// Two ``failed(_:)`` values are equal if their errors have one `Equatable` type and are equal. All others are equal
  /// if they are of one case, whatever the call was.
  public static func == (a: CallError, b: CallError) -> Bool {
    switch (a, b) {
    case (.failed(let a), .failed(let b)): areEqual(a, b)
    case (.failed, _), (_, .failed): false
    default: a.reason == b.reason
    }
  }
}

private func areEqual(_ a: any Error, _ b: any Error) -> Bool {
  guard type(of: a) == type(of: b), let a = a as? any Equatable else { return false }
  func equals<Value: Equatable>(_ a: Value) -> Bool { b as? Value == a }
  return equals(a)
}

extension CallError: CustomStringConvertible {
  /// A sentence for people. It begins with the call, if the error has one.
  public var description: String {
    if case .failed = self { return reason }
    if let call { return "\(call): \(reason)" }
    return reason.prefix(1).uppercased() + reason.dropFirst() + "."
  }

  private var reason: String {
    switch self {
    case .neverReplied: "the reaction dropped the call without a reply"
    // A body threw the error of a call that it made itself.
    case .failed(CallError.failed(let error)): "\(CallError.failed(error))"
    case .failed(let error): "The call failed: \(error)"
    case .stopped: "the soup was stopped"
    case .cleared: "the soup was cleared while the call waited"
    case .timedOut: "there was no reply in time"
    case .cancelled: "the task was cancelled before there was a reply"
    case .gone: "the soup is gone"
    }
  }
}
