public import Crucible

/// Shares a few connections of each host, user or database among many callers. It cannot be restarted once it has been
/// stopped.
///
/// ```swift
/// let hosts = KeyedConnectionPool<String, Connection>(limit: 4) { host in
///   try await Connection.open(host)
/// } close: { connection in
///   await connection.close()
/// }
/// let rows = try await hosts.withConnection("db-1") { connection in try await connection.query(text) }
/// ```
///
/// Each key has a pool as a ``ConnectionPool`` is, with a limit and a policy of its own, and the promises are the same.
/// Callers of one key do not wait for connections of another. A key takes memory only while it has a connection, or a
/// caller that waits.
///
/// The reactions are those of a ``ConnectionPool``. `waiting` and `ready` have keys, so an answer meets a caller of its
/// key.
///
/// - Complexity: as a ``ConnectionPool``, on average.
public struct KeyedConnectionPool<Key: Hashable & Sendable, Connection: Sendable>: Compound {
  /// A connection while a caller has it.
  public typealias Lease = Compounds.Lease<Key, Connection>

  /// Waits for a connection of a key: the one that a caller gave back last, or a new one.
  ///
  /// ```swift
  /// let lease = try await hosts.take("db-1", within: .seconds(1))
  /// if let rows = try? await lease.connection.query(text) {
  ///   print(rows)
  ///   hosts.giveBack(lease)
  /// } else {
  ///   hosts.discard(lease)
  /// }
  /// ```
  ///
  /// - Throws: `CallError.failed` with the error of `make`, or with ``TooManyWaiting``.
  public let take: FastInjector<Key, Lease>
  /// Gives a connection back, as ``ConnectionPool/giveBack`` does. The lease knows its key.
  public let giveBack: Injector<Lease>
  /// Gives a connection back that is broken, and closes it.
  public let discard: Injector<Lease>
  public let control: Soup.Control

  /// Makes a pool of at most `limit` connections of each key.
  ///
  /// The arguments are those of a ``ConnectionPool``. The policy must have no minimum: the pool would keep connections
  /// of each key that was ever used.
  @inlinable
  public init(
    limit: Int, _ label: String = "connections", policy: ConnectionPolicy = ConnectionPolicy(),
    options: Soup.Options = Soup.Options(), file: StaticString = #fileID, line: UInt = #line,
    make: @escaping @Sendable (Key) async throws -> Connection,
    check: (@Sendable (Connection) async throws -> Bool)? = nil,
    close: @escaping @Sendable (Connection) async throws -> Void = { _ in }
  ) {
    let madeAt = MadeAt("connections", label, file, line)
    policy.require(limit, madeAt)
    if policy.minimum > 0 { madeAt.misuse("a pool by key keeps no minimum, but this one has \(policy.minimum)") }
    let names = Soup.define(label, with: options, file: file, line: line) { soup in
      let parts = PoolParts<Key, Connection>(
        in: soup, limit: limit, policy, checks: check != nil, close: close,
        soup.slow("waiting", of: Call<Key, Lease>.self, key: { $0.input }),
        soup.slow("ready", of: PoolParts<Key, Connection>.Grant.self, key: { $0.key }),
        soup.slow("late", of: Key.self, key: { $0 }))
      soup.refuseRestarts()
      return parts.declare(in: soup, madeAt, start: nil, stock: { HostsByKey(parts) }, make: make, check: check)
    }
    // Names that own the soup would be refused while it drains.
    (take, giveBack, discard, control) = (names.take, names.giveBack.weak, names.discard.weak, names.control)
  }

  /// Runs `body` with a connection of a key; see ``ConnectionPool/withConnection(within:file:line:_:)``.
  ///
  /// - Throws: the error of `body`. `CallError` if the call did not get a connection; then `body` has not run.
  @inlinable
  nonisolated(nonsending)
    public func withConnection<Result>(
      _ key: Key, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ body: nonisolated(nonsending) (Connection) async throws -> Result
    ) async throws -> Result
  {
    let lease = try await take(key, within: limit, file: file, line: line)
    var end = discard
    defer { end(lease) }
    let result = try await body(lease.connection)
    end = giveBack
    return result
  }
}

extension Blocking {
  /// Blocks the thread until there is a connection of the key, and runs `body` with it; see
  /// ``KeyedConnectionPool/withConnection(_:within:file:line:_:)``.
  ///
  /// - Throws: the error of `body`. `CallError` if the call did not get a connection; then `body` has not run.
  @available(*, noasync, message: "await withConnection(_:within:) instead of blocking a thread of Swift concurrency")
  @inlinable
  public func withConnection<Key, Connection, Result>(
    _ key: Key, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: (Connection) throws -> Result
  ) throws -> Result where Blocked == KeyedConnectionPool<Key, Connection> {
    let lease = try compound.take.blocking(key, within: limit, file: file, line: line)
    var end = compound.discard
    defer { end(lease) }
    let result = try body(lease.connection)
    end = compound.giveBack
    return result
  }
}
