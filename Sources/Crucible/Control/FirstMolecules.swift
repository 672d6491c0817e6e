import CCrucible
import Synchronization

/// The injections that a definition makes first, and that a restart makes once more.
///
/// One restart at a time has the right to inject. It acquires the right before it restarts the soup, and ends it after
/// the last injection. So no molecule of one restart is left for the next one: a stop in between drops or refuses it.
final class FirstMolecules: @unchecked Sendable {
  // Only the defining thread writes it, before the definition has ended.
  @exclusivity(unchecked) fileprivate var injections: [@Sendable () -> Void] = []
  private let isRestarting = Atomic(false)

  /// Acquires the right to inject. Returns false if another thread has it.
  func begin() -> Bool { !isRestarting.exchange(true, ordering: .acquiring) }
  func end() { isRestarting.store(false, ordering: .releasing) }

  func inject() {
    for inject in injections { inject() }
  }
}

extension Soup {
  /// Injects the first molecules: runs the closure now, and again after each ``Soup/Control/restart(within:)``.
  ///
  /// ```swift
  /// let (take, give, control) = Soup.define("permits") { soup in
  ///   let take = soup.fast("take", returning: Void.self), permit = soup.slow("permit")
  ///   soup.react(take, permit) { call, _ in call.reply() }
  ///   soup.initially { permit.inject(count: 3) }
  ///   return (take, permit, soup.control)
  /// }
  /// ```
  ///
  /// A restart calls the closure on its own thread, after the soup has begun to accept injections. Molecules from
  /// elsewhere may come before. Requires: the closure only injects. It must not wait.
  ///
  /// - Complexity: O(1), and an allocation, besides the closure.
  public func initially(_ inject: @escaping @Sendable () -> Void) {
    let context = SoupContext.of(core)
    let first = context.firstMolecules ?? FirstMolecules()
    first.injections.append(inject)
    context.firstMolecules = first
    inject()
  }

  /// Makes ``Soup/Control/restart(within:)`` throw ``RestartError/refused`` once the soup has been stopped or drained.
  ///
  /// ```swift
  /// soup.refuseRestarts()       // a holder from before the stop could release the lock of a later one
  /// ```
  ///
  /// - Complexity: O(1).
  public func refuseRestarts() { crucible_soup_refuse_restarts(core) }
}

extension Soup.All {
  static func toRestart() -> [Soup.Control] {
    defined().filter { crucible_soup_is_stopped($0.core) && !crucible_soup_refuses_restarts($0.core) }
  }
}
