import CCrucible
import Synchronization

extension Injector {
  /// Injects a molecule, and waits until all that it causes has ended.
  ///
  /// ```swift
  /// try await visit.completion(of: start)         // visits all pages that can be reached
  /// let pages = try await all()
  /// ```
  ///
  /// The molecule causes the body that takes its context from it (<doc:Placing>), and all that this body injects, arms
  /// and begins, and so on, in other soups that carry contexts. A molecule that waits has ended when it was consumed,
  /// withdrawn, dropped by control, or is gone with its soup. One that waits for ever for a partner, or a timer that
  /// repeats, keeps the completion waiting. So set a limit, which goes by the soup's clock.
  ///
  /// Requires: the name gives a body its context, because some body of its soup runs in a task, or by
  /// ``Soup/Options/carriesContext``. The wait suspends the task.
  ///
  /// - Throws: ``CallError/timedOut``; ``CallError/cancelled`` if the task is cancelled; ``CallError/stopped`` or
  ///   ``CallError/gone`` if the soup refuses the molecule.
  /// - Complexity: O(1), as an injection with a context.
  public func completion(
    of value: Value, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) async throws(CallError) {
    guard crucible_name_has_origins(name) else {
      fatalError(
        """
        Crucible: completion: no body takes its context from '\(self)' of soup \
        '\(labelOfSoup(crucible_name_soup(name)))', so nothing tells what it causes: define the soup with \
        carriesContext: true
        """, file: file, line: line)
    }
    let completion = Completion()
    if !completion.cause({ self(value) }) { throw CallError(outcome: Outcome.of(crucible_last_refusal())) }
    if let error = await completion.wait(within: limit, calling: name) { throw error }
  }
}

extension Injector where Value == Void {
  /// Injects a molecule, and waits until all that it causes has ended; see ``completion(of:within:file:line:)``.
  public func completion(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) async throws(CallError) {
    try await completion(of: (), within: limit, file: file, line: line)
  }
}

/// The wait for all that one injection causes.
///
/// Everything that carries the context of the injection keeps its task-local values: each origin and each task of a
/// body. One of these values is the cause, an object that only they keep. It is destroyed when the last of them has
/// ended, whether it was consumed, dropped, withdrawn or cancelled. So no step of the chemistry counts anything.
private final class Completion: GivingUp, @unchecked Sendable {
  private final class Cause: Sendable {
    @TaskLocal static var current: Cause?

    private let completion: Completion
    /// A completion around this one also waits for what this one causes.
    private let outer = Cause.current

    init(_ completion: Completion) { self.completion = completion }

    deinit { completion.giveUp(Outcome.replied) }
  }

  private let waiter = UnsafeMutablePointer<crucible_waiter>.allocate(capacity: 1)
  private let hasEnded = Atomic<Bool>(false)
  let alarm = UnsafeMutablePointer<crucible_alarm>.allocate(capacity: 1)

  init() { waiter.initialize(to: crucible_waiter()) }

  deinit {
    waiter.deallocate()
    alarm.deallocate()
  }

  /// Calls `act` as the cause. When this returns, only what `act` has caused keeps the cause.
  @inline(never)
  func cause(_ act: () -> Bool) -> Bool { Cause.$current.withValue(Cause(self), operation: act) }

  func giveUp(_ outcome: UInt32) {
    if !hasEnded.exchange(true, ordering: .acquiringAndReleasing) { crucible_waiter_signal(waiter, outcome) }
  }

  /// Suspends the task until all has ended. Returns the error if that does not happen in time.
  nonisolated(nonsending) func wait(within limit: Duration?, calling name: OpaquePointer) async -> CallError? {
    let clock = whileHeld(crucible_name_soup(name)) { SoupContext.known(of: crucible_name_soup(name))?.clock }
    let deadline = limit.map { Deadline(after: $0, by: clock ?? .continuous) }
    await suspend(waiter, until: deadline)
    return waiter.pointee.outcome == Outcome.replied ? nil : CallError(outcome: waiter.pointee.outcome)
  }
}
