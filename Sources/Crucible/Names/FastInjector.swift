public import CCrucible

/// The name of a fast molecule: calling it injects a molecule and waits for the reply of the reaction that consumes it.
///
/// ```swift
/// let double = Soup.define { soup in
///   let double = soup.fast("double", of: Int.self, returning: Int.self)
///   soup.react(double) { call in call.reply(2 * call.input) }
///   return double
/// }
/// let four  = try await double(2)                                // suspends the task
/// let eight = try await double(4, within: .milliseconds(50))     // or throws .timedOut, and the molecule is gone
/// ```
///
/// ``Soup/Control/explain()`` shows each caller that waits, with the line of its call.
///
/// A call ends in exactly one way, which <doc:Outcomes> lists.
public struct FastInjector<Input: Sendable, Output: Sendable>: @unchecked Sendable, Consumable, Soup.Name {
  @usableFromInline let name: OpaquePointer
  @usableFromInline let handle: SoupHandle
  @usableFromInline let owns: Bool

  @inlinable
  init(name: OpaquePointer, handle: SoupHandle) {
    self.name = name
    self.handle = handle
    owns = handle.owns
  }

  /// Injects a molecule and suspends the task until a reaction replies to it.
  ///
  /// If a reaction placed ``Placement/inline`` can fire, it runs before the task suspends. If it replies at once, the
  /// task does not suspend at all. When the task is cancelled, the wait ends with ``CallError/cancelled``: a molecule
  /// that still waits is withdrawn, so that no reaction sees it any more. A cancelled task injects nothing.
  ///
  /// The limit counts from the call on, by the soup's clock, ``Soup/Options/clock``. With a limit of zero or less, the
  /// call ends with a reply only if that comes at once. <doc:Outcomes> says what the limit covers.
  ///
  /// - Throws: ``CallError/neverReplied`` if the reaction that consumed the molecule dropped the call.
  ///   ``CallError/failed(_:)`` if the reaction threw before it replied, or with ``NoMemory`` or ``Deadlock``.
  ///   ``CallError/stopped``, ``CallError/cleared`` or ``CallError/gone`` if that happened to the soup.
  ///   ``CallError/cancelled``. With a limit, ``CallError/timedOut``.
  /// - Complexity: as ``Injector/callAsFunction(_:)``; mostly allocates nothing. Never blocks on ``Soup/Matcher/word``.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func callAsFunction(
      _ input: Input, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError) -> Output
  {
    if let limit { return try await call(input, within: limit, file, line) }
    do throws(CallError) {
      let pending = try begin(input, mayBeVisited: true, file, line)
      if !pending.isAnswered { await pending.wait(handle, file, line) }
      return try PendingCall.take(Output.self, from: pending)
    } catch {
      throw error.of(name, file, line)
    }
  }

  @inlinable
  nonisolated(nonsending)
    func call(
      _ input: Input, within limit: Duration, _ file: StaticString, _ line: UInt
    ) async throws(CallError) -> Output
  {
    let deadline = Deadline(after: limit, calling: name)
    do throws(CallError) {
      let pending = try begin(input, mayBeVisited: false, file, line)
      if !pending.isAnswered { await pending.wait(handle, until: deadline, file, line) }
      return try PendingCall.take(Output.self, from: pending)
    } catch {
      throw error.of(name, file, line)
    }
  }

  /// Injects the call of a task: at once, if that fires a reaction on this thread. Then the call may already be
  /// answered. A body that visits its caller keeps no limit.
  @inlinable @inline(__always)
  func begin(
    _ input: Input, mayBeVisited: Bool, _ file: StaticString, _ line: UInt
  ) throws(CallError) -> PendingCall {
    let mayBeAtOnce = !Payload<Argument>.isBoxed && PendingCall.isUsual(Output.self)
    if isTaskCancelled() { throw .cancelled }
    let kind = crucible_call_await(name, owns)
    if kind == CRUCIBLE_CALL_AT_ONCE && mayBeAtOnce {
      if let pending = beginAtOnce(input, visited: false) { return pending }
    } else if kind == CRUCIBLE_CALL_SPECIAL {
      if let deadlock = CallError.deadlock(awaiting: name, file, line) { throw deadlock }
    } else if kind == CRUCIBLE_CALL_VISITED && mayBeVisited && mayBeAtOnce {
      if let pending = beginVisited(input) { return pending }
    }
    return try inject(input)
  }

  @inlinable @inline(__always)
  func beginAtOnce(_ input: Input, visited: Bool) -> PendingCall? {
    let pending = PendingCall.takeAtOnce(name)
    pending.result.initializeMemory(as: Answer<Output>.self, to: Answer<Output>())
    let isInjected = Argument.injectAtOnce(input, of: pending, into: name, visited: visited)
    withExtendedLifetime(handle) {}
    if isInjected { return pending }
    saveAtOnce(pending)
    return nil
  }

  /// A function of its own, so that a call of a name whose callers are not visited does not pay for it.
  @inlinable @inline(never)
  func beginVisited(_ input: Input) -> PendingCall? { beginAtOnce(input, visited: true) }

  /// Injects a call whose caller may give up.
  @inlinable
  func inject(_ input: Input) throws(CallError) -> PendingCall {
    typealias Result = Answer<Output>
    let pending = PendingCall.make(
      name, size: MemoryLayout<Result>.size, alignment: MemoryLayout<Result>.alignment,
      takeBack: Argument.withdraw)
    pending.result.initializeMemory(as: Result.self, to: Result())
    let isInjected = Argument.inject(input, of: pending, owns: owns)
    withExtendedLifetime(handle) {}
    // A refused call has no answer to destroy.
    if !isInjected { throw .refused }
    return pending
  }

  /// Injects a molecule and blocks the thread until a reaction replies to it.
  ///
  /// If the thread is one of the pool, the pool replaces it while it sleeps.
  ///
  /// ```swift
  /// let four = try double.blocking(2)
  /// let eight = try double.blocking(4, within: .milliseconds(50))
  /// ```
  ///
  /// - Throws: as ``callAsFunction(_:within:file:line:)``, except ``CallError/cancelled``.
  /// - Complexity: as ``Injector/callAsFunction(_:)``; mostly allocates nothing.
  @available(*, noasync, message: "await the call instead of blocking a thread of Swift concurrency")
  @inlinable @inline(__always)
  public func blocking(
    _ input: Input, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) throws(CallError) -> Output {
    limit == nil ? try blocking(input, file, line) : try blockingSpecially(input, within: limit, file, line)
  }

  @inlinable
  func blocking(_ input: Input, _ file: StaticString, _ line: UInt) throws(CallError) -> Output {
    var state: OpaquePointer?
    var kind = CRUCIBLE_CALL_PLAIN
    let end = CallFrame<Output>.with { frame, waiter in
      kind = crucible_call_begin(name, waiter, &state)
      if kind != CRUCIBLE_CALL_PLAIN { return false }
      defer { withExtendedLifetime(handle) {} }
      if !Argument.inject(input, waitingAt: frame, into: name, owns: owns) { return false }
      if !crucible_waiter_is_signalled(waiter) { WaitingCall.block(waiter, name, handle, file, line) }
      return true
    }
    if let end {
      do throws(CallError) { return try end.answer.get(end.waiter.outcome) } catch { throw error.of(name, file, line) }
    }
    switch kind {
    case CRUCIBLE_CALL_PLAIN: throw CallError.refused.of(name, file, line)
    case CRUCIBLE_CALL_HOPELESS: throw CallError.deadlock(calling: name, state!)
    case CRUCIBLE_CALL_VISITED: return try blockingVisited(input, file, line)
    default: return try blockingSpecially(input, within: nil, file, line)
    }
  }

  /// Calls a name whose callers may be visited by bodies of the pool.
  @inlinable @inline(never)
  func blockingVisited(_ input: Input, _ file: StaticString, _ line: UInt) throws(CallError) -> Output {
    let end = CallFrame<Output>.with { frame, waiter in
      var state: OpaquePointer?
      let isVisited = crucible_call_begin(name, waiter, &state) == CRUCIBLE_CALL_VISITED && owns
      defer { withExtendedLifetime(handle) {} }
      let isInjected =
        isVisited && Argument.injectVisited(input, waitingAt: frame, into: name)
        || Argument.inject(input, waitingAt: frame, into: name, owns: owns)
      if isInjected && !crucible_waiter_is_signalled(waiter) { WaitingCall.block(waiter, name, handle, file, line) }
      return isInjected
    }
    do throws(CallError) {
      guard let end else { throw .refused }
      return try end.answer.get(end.waiter.outcome)
    } catch {
      throw error.of(name, file, line)
    }
  }

  /// Calls with a time limit, or on a thread that may itself be the place of the reactions that could answer.
  @usableFromInline
  func blockingSpecially(
    _ input: Input, within limit: Duration?, _ file: StaticString, _ line: UInt
  ) throws(CallError) -> Output {
    defer { withExtendedLifetime(handle) {} }
    let deadline = limit.map { Deadline(after: $0, calling: name) }
    if let deadlock = CallError.deadlock(blocking: name, at: StaticSource(file, line)) { throw deadlock }
    noteCalls(of: name, at: StaticSource(file, line))
    do throws(CallError) {
      let pending: PendingCall = try inject(input)
      pending.waitBlocking(until: deadline, file, line)
      return try PendingCall.take(Output.self, from: pending)
    } catch {
      throw error.of(name, file, line)
    }
  }

  public static func _own(_ name: UnsafeMutableRawPointer) { AnyName.own(name) }

  public typealias Argument = Call<Input, Output>
  @inlinable public var _name: OpaquePointer? { name }
  @inlinable @inline(__always)
  public static func _take(_ inputs: inout Soup._Inputs) -> Call<Input, Output> {
    Call<Input, Output>.take(inputs.take())
  }
  @inlinable @inline(__always)
  public static func _finish(_ argument: consuming Call<Input, Output>) { (consume argument).finish() }
  public static func _stays(_ argument: Call<Input, Output>) { argument.token.stays() }
  public static func _failed(_ argument: Call<Input, Output>) -> [AnyObject] { [FailedCall(argument)] }
}

extension FastInjector where Input == Void {
  /// Injects a molecule without a value and suspends the task until a reaction replies to it.
  @inlinable @inline(__always)
  nonisolated(nonsending)
    public func callAsFunction(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError) -> Output
  { try await callAsFunction((), within: limit, file: file, line: line) }

  /// Injects a molecule without a value and blocks the thread until a reaction replies to it.
  @available(*, noasync, message: "await the call instead of blocking a thread of Swift concurrency")
  @inlinable @inline(__always)
  public func blocking(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) throws(CallError) -> Output { try blocking((), within: limit, file: file, line: line) }
}
