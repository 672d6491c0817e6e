public import Crucible

/// Shares a few connections, or other things that are costly to make, among many callers. It cannot be restarted once
/// it has been stopped.
///
/// ```swift
/// let pool = ConnectionPool(limit: 8) { try await Connection.open(url) } close: { await $0.close() }
/// let rows = try await pool.withConnection { connection in try await connection.query(text) }
/// ```
///
/// A ``ConnectionPolicy`` closes connections that are idle or old, keeps a minimum open, and limits the callers that
/// wait. `check` then tells which idle connections still work:
///
/// ```swift
/// let policy = ConnectionPolicy(minimum: 2, dials: 2, waiting: 100, idle: .seconds(60), keepAlive: .seconds(10))
/// let pool = ConnectionPool(limit: 8, policy: policy) {
///   try await Connection.open(url)
/// } check: { connection in
///   try await connection.ping()
/// } close: { connection in
///   await connection.close()
/// }
/// ```
///
/// The definition. The state decides, and `waiting` has the callers for which no connection is idle:
///
/// ```
/// soup.react(state: hold, take) { hold, call in /* reply with one that is idle, or: */ waiting(call); dial() }
/// soup.react(dial) { host in dialled(try await make()) }
/// soup.react(state: hold, dialled) { hold, connection in /* idle, or, if a caller waits: */ ready(connection) }
/// soup.react(state: hold, giveBack) { hold, connection in /* likewise */ }
/// soup.react(waiting, ready) { call, connection in call.reply(connection) }
/// ```
///
/// The pool serves callers in the order in which they came, each with the connection that is there first: a new one, or
/// one that another caller gives back. If a caller gives up, its call is withdrawn, and a connection that was made for
/// it becomes idle.
///
/// If `make` throws, one caller gets the error: the one that waits longest. If no caller needs the connection, because
/// others came meanwhile or because it is for the minimum, the `onError` of the options gets the error. `make`, `check`
/// and the uses of a connection need limits of their own, so that a server which is silent does not hold them.
///
/// At most `limit` connections are open at any time. One that is being closed counts until `close` has returned.
///
/// `close` gets each connection once: when it is broken, too old, too long idle or dead by `check`, and at a drain.
/// After a stop, or when the pool is gone, tasks on the library's pool close those that are idle at once, and the
/// others when they are made or come back. Then nobody gets the errors of `close`. A drain serves the callers that
/// wait, and takes the connections back first. A clear begins anew: it closes idle connections, and forgets those in
/// use, which are closed when they come back.
///
/// - Complexity: O(1), and with a policy O(idle connections) when a connection is checked or its time is over.
public struct ConnectionPool<Connection: Sendable>: Compound {
  /// A connection while a caller has it.
  public typealias Lease = Compounds.Lease<Void, Connection>

  /// Waits for a connection: the one that a caller gave back last, or a new one.
  ///
  /// ```swift
  /// let lease = try await pool.take(within: .seconds(1))
  /// do {
  ///   _ = try await lease.connection.query(text)
  ///   pool.giveBack(lease)
  /// } catch {
  ///   pool.discard(lease)               // it is broken
  /// }
  /// ```
  ///
  /// - Throws: `CallError.failed` with the error of `make`, or with ``TooManyWaiting``.
  public let take: FastInjector<Void, Lease>
  /// Gives a connection back. Does not block, and may be called on any thread. Does not own the pool.
  ///
  /// A connection that no caller has, because it was given back before, ends the program. Returns false if the pool is
  /// stopped or gone. Then the connection is closed once the lease is dropped.
  public let giveBack: Injector<Lease>
  /// Gives a connection back that is broken, and closes it. Otherwise as ``giveBack``.
  public let discard: Injector<Lease>
  public let control: Soup.Control

  /// Makes a pool of at most `limit` connections, 1 or more, each of which is made when no other is idle.
  ///
  /// - Parameters:
  ///   - limit: the most connections that are open at a time.
  ///   - label: the name in messages.
  ///   - policy: how many connections are kept, for how long, and how many callers may wait.
  ///   - options: those of the soup. The closures run on their placement, and their `onError` gets errors that no
  ///     caller gets.
  ///   - file: the caller's file.
  ///   - line: the caller's line.
  ///   - make: makes a connection.
  ///   - check: returns whether an idle connection still works; see ``ConnectionPolicy/keepAlive``. One for which it
  ///     throws is closed, too.
  ///   - close: closes a connection.
  @inlinable
  public init(
    limit: Int, _ label: String = "connections", policy: ConnectionPolicy = ConnectionPolicy(),
    options: Soup.Options = Soup.Options(), file: StaticString = #fileID, line: UInt = #line,
    make: @escaping @Sendable () async throws -> Connection,
    check: (@Sendable (Connection) async throws -> Bool)? = nil,
    close: @escaping @Sendable (Connection) async throws -> Void = { _ in }
  ) {
    let madeAt = MadeAt("connections", label, file, line)
    policy.require(limit, madeAt)
    let names = Soup.define(label, with: options, file: file, line: line) { soup in
      let parts = PoolParts<Void, Connection>(
        in: soup, limit: limit, policy, checks: check != nil, close: close,
        soup.slow("waiting", of: Call<Void, Lease>.self), soup.slow("ready", of: PoolParts.Grant.self),
        soup.slow("late"))
      soup.refuseRestarts()
      return parts.declare(
        in: soup, madeAt, start: (), stock: { OneHost(parts) }, make: { try await make() }, check: check)
    }
    // Names that own the soup would be refused while it drains.
    (take, giveBack, discard, control) = (names.take, names.giveBack.weak, names.discard.weak, names.control)
  }

  /// Runs `body` with a connection. Gives the connection back when the body has returned, and discards it when the body
  /// has thrown: the pool closes it.
  ///
  /// Any error counts as a broken connection, also a cancellation. If an error leaves the connection usable, `body`
  /// must not throw it; return it as a value.
  ///
  /// ```swift
  /// let rows = try await pool.withConnection(within: .seconds(1)) { connection in
  ///   do { return try await connection.query(text) } catch is SyntaxError { return [] }
  /// }
  /// ```
  ///
  /// The limit covers the wait for a connection, not the body.
  ///
  /// - Throws: the error of `body`. `CallError` if the call did not get a connection; then `body` has not run.
  @inlinable
  nonisolated(nonsending)
    public func withConnection<Result>(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ body: nonisolated(nonsending) (Connection) async throws -> Result
    ) async throws -> Result
  {
    let lease = try await take(within: limit, file: file, line: line)
    var end = discard
    defer { end(lease) }
    let result = try await body(lease.connection)
    end = giveBack
    return result
  }
}

extension Blocking {
  /// Blocks the thread until there is a connection, and runs `body` with it; see
  /// ``ConnectionPool/withConnection(within:file:line:_:)``.
  ///
  /// - Throws: the error of `body`. `CallError` if the call did not get a connection; then `body` has not run.
  @available(*, noasync, message: "await withConnection(within:) instead of blocking a thread of Swift concurrency")
  @inlinable
  public func withConnection<Connection, Result>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: (Connection) throws -> Result
  ) throws -> Result where Blocked == ConnectionPool<Connection> {
    let lease = try compound.take.blocking(within: limit, file: file, line: line)
    var end = compound.discard
    defer { end(lease) }
    let result = try body(lease.connection)
    end = compound.giveBack
    return result
  }
}
