public import Crucible

/// What all hosts of a pool have in common: the names that their decisions inject, the limits, and the clock.
@usableFromInline
final class PoolParts<Key: Sendable, Connection: Sendable>: Sendable {
  @usableFromInline typealias Host = Compounds.Host<Key, Connection>
  @usableFromInline typealias Held = Compounds.Held<Key, Connection>
  @usableFromInline typealias Lease = Compounds.Lease<Key, Connection>

  /// A change of a host, besides the calls of the program.
  @usableFromInline
  enum Event: Sendable {
    case start(Key)
    case dialled(Host, Result<Held, any Error>)
    case checked(Host, Held, isAlive: Bool)
    case closed(Host)
    case lost(Host)
    case gaveUp(Host)
    case alarm(Host)

    @inlinable var host: Host? {
      switch self {
      case .start: nil
      case .dialled(let host, _), .checked(let host, _, _), .closed(let host), .lost(let host), .gaveUp(let host),
        .alarm(let host):
        host
      }
    }
  }

  /// The answer for a caller that waits.
  @usableFromInline
  struct Grant: Sendable {
    @usableFromInline let key: Key
    @usableFromInline let result: Result<Lease, any Error>

    @inlinable init(_ key: Key, _ result: Result<Lease, any Error>) { (self.key, self.result) = (key, result) }
  }

  /// A connection that is being checked or closed.
  @usableFromInline typealias Job = (host: Host, held: Held)

  @usableFromInline let limit: Int, policy: ConnectionPolicy
  /// The time after which an idle connection is checked; nil: never.
  @usableFromInline let keepAlive: Duration?
  /// Nil if nothing depends on the time.
  @usableFromInline let clock: Soup.ClockReader?
  @usableFromInline let close: @Sendable (Connection) async throws -> Void
  @usableFromInline let event: Injector<Event>, dial: Injector<Host>, checking: Injector<Job>, closing: Injector<Job>
  @usableFromInline let waiting: Injector<Call<Key, Lease>>, ready: Injector<Grant>, late: Injector<Key>

  /// Declares the names in a soup. `waiting`, `ready` and `late` have keys if the pool has.
  @inlinable
  init(
    in soup: Soup, limit: Int, _ policy: ConnectionPolicy, checks: Bool,
    close: @escaping @Sendable (Connection) async throws -> Void,
    _ waiting: Injector<Call<Key, Lease>>, _ ready: Injector<Grant>, _ late: Injector<Key>
  ) {
    (self.limit, self.policy, self.close) = (limit, policy, close)
    (self.waiting, self.ready, self.late) = (waiting, ready, late)
    keepAlive = checks ? policy.keepAlive : nil
    let isTimed = checks || policy.minimum > 0 || policy.idle != nil || policy.life != nil
    clock = isTimed ? soup.clock : nil
    event = soup.slow("event", of: Event.self).weak
    dial = soup.slow("making", of: Host.self)
    checking = soup.slow("checking", of: Job.self)
    closing = soup.slow("closing", of: Job.self)
  }

  @inlinable var now: Duration { clock?.now ?? .zero }

  @inlinable
  func isOld(_ held: Held, at now: Duration) -> Bool { policy.life.map { now - held.madeAt >= $0 } ?? false }

  /// Whether a connection may be used without a check.
  @inlinable
  func isFresh(_ held: Held, at now: Duration) -> Bool {
    !isOld(held, at: now) && (keepAlive.map { now - held.seenAt < $0 } ?? true)
  }
}
