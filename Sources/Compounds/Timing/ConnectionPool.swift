public import Crucible

/// Shares a few connections, or other things that are costly to make, among many callers.
///
/// ```swift
/// let pool = ConnectionPool(limit: 8) { try await Connection.open(url) }
/// let rows = try await pool.withConnection { connection in try await connection.query(text) }
/// ```
///
/// The definition. A permit stands for a connection that may be in use; `idle` has those that are not:
///
/// ```
/// soup.react(state: idle, take, permit) { idle, call, _ in /* reply with one that is idle, or have one made */ }
/// soup.react(making) { wish in wish.call.reply(try await make()) }
/// soup.react(state: idle, giveBack) { idle, connection in idle.append(connection); permit() }
/// soup.react(discard) { _ in permit() }
/// ```
///
/// Callers are served in the order in which they came. One that gives up is withdrawn; a connection that was made for
/// it is idle then.
///
/// - Complexity: O(1).
public struct ConnectionPool<Connection: Sendable>: Compound {
  /// Waits for a connection: the one that was given back last, or a new one.
  ///
  /// ```swift
  /// let connection = try await pool.take(within: .seconds(1))
  /// do {
  ///   _ = try await connection.query(text)
  ///   pool.giveBack(connection)
  /// } catch {
  ///   pool.discard()          // it is broken
  /// }
  /// ```
  ///
  /// Blocks: `take()` suspends the task, `take.blocking()` blocks the thread.
  ///
  /// - Throws: `CallError.failed` with the error of `make`.
  public let take: FastInjector<Void, Connection>
  /// Gives a connection back. Does not block.
  public let giveBack: Injector<Connection>
  /// Says that a connection that was taken does not come back, because it is broken. The pool does not close the
  /// connection. Does not block.
  public let discard: Injector<Void>
  public let control: Soup.Control

  /// A call that is not withdrawn: it has a permit.
  @usableFromInline
  struct Wish: Sendable {
    @usableFromInline let call: Call<Void, Connection>

    @inlinable init(_ call: Call<Void, Connection>) { self.call = call }
  }

  /// Makes a pool of at most `limit` connections, 1 or more, each of which is made when no other is idle.
  ///
  /// Messages call the pool by its label. `make` runs on the placement of the options.
  @inlinable
  public init(
    limit: Int, _ label: String = "connections", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, make: @escaping @Sendable () async throws -> Connection
  ) {
    Origin("connections", label, file, line).require("the limit", limit, in: 1...1 << 40)
    (take, giveBack, discard, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let take = soup.fast("take", returning: Connection.self)
      let giveBack = soup.slow("give back", of: Connection.self)
      let discard = soup.slow("discard")
      let permit = soup.slow("permit")
      let making = soup.slow("making", of: Wish.self)
      let idle = soup.state("idle") { [Connection]() }

      soup.react(state: idle, take, permit, on: .inline) { idle, call, _ in
        guard let connection = idle.last else {
          making(Wish(call))
          return
        }
        if call.reply(connection) { idle.removeLast() } else { permit() }
      }
      soup.react(making) { wish async in
        guard wish.call.isAwaited else {
          permit()
          return
        }
        do {
          let connection = try await make()
          if !wish.call.reply(connection) { giveBack(connection) }
        } catch {
          wish.call.fail(error)
          permit()
        }
      }
      soup.react(state: idle, giveBack, on: .inline) { idle, connection in
        idle.append(connection)
        permit()
      }
      soup.react(discard, on: .inline) { _ in permit() }

      permit.inject(count: limit)
      return (take, giveBack, discard, soup.control)
    }
  }

  /// Runs `body` with a connection, which is given back when the body has returned, and discarded when it has thrown.
  ///
  /// Any error counts as a broken connection, a cancellation too. An error that leaves the connection usable must not
  /// leave `body`: return it as a value.
  ///
  /// ```swift
  /// let rows = try await pool.withConnection(within: .seconds(1)) { connection in
  ///   do { return try await connection.query(text) } catch is SyntaxError { return [] }
  /// }
  /// ```
  ///
  /// The limit is that of the wait for a connection, not of the body.
  ///
  /// - Throws: what `body` throws; `CallError` if there was no connection, and then `body` has not run.
  nonisolated(nonsending)
    public func withConnection<Result>(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ body: nonisolated(nonsending) (Connection) async throws -> Result
    ) async throws -> Result
  {
    let connection = try await take.call((), upTo: limit, file, line)
    do {
      let result = try await body(connection)
      giveBack(connection)
      return result
    } catch {
      discard()
      throw error
    }
  }
}
