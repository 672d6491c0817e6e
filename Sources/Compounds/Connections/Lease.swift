import Crucible

/// A connection of a pool while a caller has it.
///
/// ```swift
/// let lease = try await connections.take()
/// let rows = try await lease.connection.query(text)
/// connections.giveBack(lease)
/// ```
///
/// If the program drops all copies of a lease that it has not given back, the pool closes the connection.
public struct Lease<Key: Sendable, Connection: Sendable>: Sendable {
  @usableFromInline let held: Held<Key, Connection>

  @inlinable init(_ held: Held<Key, Connection>) { self.held = held }

  /// The connection. Requires: a copy of the lease lives until its last use.
  ///
  /// - Complexity: O(1).
  @inlinable public var connection: Connection { held.connection }
}

/// A connection that is open. If the pool has not closed it, its end does: after a stop, at the end of the pool, and if
/// a caller drops its lease.
///
/// Only bodies with the state of the pool use what changes, the body that closes it, and the end of the object.
@usableFromInline
final class Held<Key: Sendable, Connection: Sendable>: @unchecked Sendable {
  @usableFromInline let connection: Connection
  @usableFromInline let pool: PoolParts<Key, Connection>
  @usableFromInline let madeAt: Duration
  /// The time at which a caller gave it back, or it was made.
  @usableFromInline var usedAt: Duration
  /// The time at which it was last known to work.
  @usableFromInline var seenAt: Duration
  /// The host of the caller that has the connection. Nil while no caller has it.
  @usableFromInline var lender: Host<Key, Connection>?
  @usableFromInline var isClosed = false

  @inlinable
  init(_ connection: Connection, _ pool: PoolParts<Key, Connection>) {
    (self.connection, self.pool) = (connection, pool)
    madeAt = pool.now
    (usedAt, seenAt) = (madeAt, madeAt)
  }

  @inlinable deinit { end() }

  /// Closes it in a task, because the soup is stopped or gone, and with it the place for errors.
  @usableFromInline
  func end() {
    if isClosed { return }
    isClosed = true
    Task.detached(executorPreference: Soup.Pool.executor) { [connection, pool, lender] in
      try? await pool.close(connection)
      if let lender { pool.event(.lost(lender)) }
    }
  }
}
