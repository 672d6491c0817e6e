public import Crucible

/// Shares a few connections, or other things that are costly to make, among many callers. It cannot be restarted once it
/// has been stopped.
///
/// ```swift
/// let pool = ConnectionPool(limit: 8) { try await Connection.open(url) }
/// let rows = try await pool.withConnection { connection in try await connection.query(text) }
/// ```
///
/// The definition. A permit stands for a connection that may be in use. `stock` has the idle connections, and counts
/// those that callers have:
///
/// ```
/// soup.react(state: stock, take, permit) { stock, call, _ in /* reply with one that is idle, or have one made */ }
/// soup.react(making) { wish in let new = try await make(); count(); wish.call.reply(new) }
/// soup.react(state: stock, count) { stock, call in /* a caller has one more */ }
/// soup.react(state: stock, giveBack) { stock, connection in /* keep it */ permit() }
/// soup.react(state: stock, discard) { stock, _ in permit() }
/// ```
///
/// The pool serves callers in the order in which they came. If a caller gives up, its call is withdrawn, and a
/// connection that was made for it becomes idle.
///
/// - Complexity: O(1).
public struct ConnectionPool<Connection: Sendable>: Compound {
  /// Waits for a connection: the one that a caller gave back last, or a new one.
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
  /// - Throws: `CallError.failed` with the error of `make`.
  public let take: FastInjector<Void, Connection>
  /// Gives a connection back. Does not block, and may be called on any thread.
  ///
  /// A call while no caller has a connection ends the program. A connection that is given back twice while others are
  /// in use goes to two callers, and ends the program once the others come back.
  public let giveBack: Injector<Connection>
  /// Discards a connection that was taken and does not come back, because it is broken. The pool does not close the
  /// connection. Does not block, and may be called on any thread.
  ///
  /// A call while no caller has a connection ends the program.
  public let discard: Injector<Void>
  public let control: Soup.Control

  /// A call that is not withdrawn. It has a permit.
  @usableFromInline
  struct Wish: Sendable {
    @usableFromInline let call: Call<Void, Connection>

    @inlinable init(_ call: Call<Void, Connection>) { self.call = call }
  }

  /// The idle connections, and the number of those that callers have.
  @usableFromInline
  struct Stock {
    @usableFromInline var idle: [Connection] = []
    @usableFromInline var taken = 0

    @inlinable init() {}

    /// Counts a connection that a caller no longer has.
    @inlinable
    mutating func end(_ verb: StaticString, _ madeAt: MadeAt) {
      if taken == 0 { madeAt.misuse("\(verb) a connection while no caller has one") }
      taken -= 1
    }
  }

  /// Makes a pool of at most `limit` connections, 1 or more, each of which is made when no other is idle.
  ///
  /// `make` runs on the placement of the options.
  @inlinable
  public init(
    limit: Int, _ label: String = "connections", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, make: @escaping @Sendable () async throws -> Connection
  ) {
    let madeAt = MadeAt("connections", label, file, line)
    madeAt.require("the limit", limit, in: 1...1 << 40)
    (take, giveBack, discard, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let take = soup.fast("take", returning: Connection.self)
      let giveBack = soup.slow("give back", of: Connection.self)
      let discard = soup.slow("discard")
      let permit = soup.slow("permit")
      let making = soup.slow("making", of: Wish.self)
      let count = soup.fast("count", returning: Void.self)
      let stock = soup.state("stock") { Stock() }

      soup.react(state: stock, take, permit, on: .inline) { stock, call, _ in
        guard let connection = stock.idle.last else {
          making(Wish(call))
          return
        }
        if call.reply(connection) {
          stock.idle.removeLast()
          stock.taken += 1
        } else {
          permit()
        }
      }
      // The reply is made without the state. So a caller that returns a connection and takes one gets the same
      // connection again.
      @Sendable func hand(_ connection: Connection, to wish: Wish) async throws {
        // In a separate task, because the task of `make` may be cancelled, and the connection must be counted anyway.
        try await Task { try await count() }.value
        if !wish.call.reply(connection) { giveBack(connection) }
      }
      soup.react(making) { wish async in
        guard wish.call.isAwaited else {
          permit()
          return
        }
        do {
          let connection = try await make()
          try await hand(connection, to: wish)
        } catch {
          wish.call.fail(error)
          permit()
        }
      }
      soup.react(state: stock, count, on: .inline) { stock, call in
        stock.taken += 1
        call.reply()
      }
      soup.react(state: stock, giveBack, on: .inline) { stock, connection in
        stock.end("gave back", madeAt)
        stock.idle.append(connection)
        permit()
      }
      soup.react(state: stock, discard, on: .inline) { stock, _ in
        stock.end("discarded", madeAt)
        permit()
      }

      soup.refuseRestarts()
      permit.inject(count: limit)
      return (take, giveBack, discard, soup.control)
    }
  }

  /// Runs `body` with a connection. Gives the connection back when the body has returned, and discards it when the body
  /// has thrown.
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
    let connection = try compound.take.callBlocking((), upTo: limit, file, line)
    do {
      let result = try body(connection)
      compound.giveBack(connection)
      return result
    } catch {
      compound.discard()
      throw error
    }
  }
}
