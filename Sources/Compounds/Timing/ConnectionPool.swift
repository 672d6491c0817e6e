public import Crucible

/// Shares a few connections, or other things that are costly to make, among many callers. It cannot be restarted once
/// it has been stopped.
///
/// ```swift
/// let pool = ConnectionPool(limit: 8) { try await Connection.open(url) } close: { await $0.close() }
/// let rows = try await pool.withConnection { connection in try await connection.query(text) }
/// ```
///
/// The definition. A permit stands for a connection that a caller has, or waits for. `stock` has the idle connections:
///
/// ```
/// soup.react(state: stock, take, permit) { stock, call, _ in /* reply with one that is idle, or: */ waiting(call) }
/// soup.react(making) { _ in if try await made(make()) { ready(new) } }
/// soup.react(waiting, ready) { call, connection in call.reply(connection) }
/// soup.react(state: stock, giveBack) { stock, connection in /* ready, if a caller waits, or idle */ permit() }
/// soup.react(state: stock, discard) { stock, connection in permit(); closing(connection) }
/// ```
///
/// The pool serves callers in the order in which they came, each with the connection that is there first: a new one, or
/// one that another caller gives back. If a caller gives up, its call is withdrawn, and a connection that was made for
/// it becomes idle.
///
/// A drain serves the callers that wait, takes the connections back, and closes them all. A stop closes none, and
/// counts those that are idle; connections that come back later are closed.
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
  ///   pool.discard(connection)          // it is broken
  /// }
  /// ```
  ///
  /// - Throws: `CallError.failed` with the error of `make`.
  public let take: FastInjector<Void, Connection>
  /// Gives a connection back. Does not block, and may be called on any thread. Does not own the pool.
  ///
  /// A call while no caller has a connection ends the program. A connection that is given back twice while others are
  /// in use goes to two callers, and ends the program once the others come back.
  ///
  /// Returns false if the pool is stopped or gone. Then the caller has to close the connection.
  public let giveBack: Injector<Connection>
  /// Gives a connection back that is broken, and closes it. Otherwise as ``giveBack``.
  public let discard: Injector<Connection>
  public let control: Soup.Control
  @usableFromInline let close: @Sendable (Connection) async throws -> Void

  /// The idle connections, and the numbers of others and of callers.
  @usableFromInline
  struct Stock {
    @usableFromInline var idle: [Connection] = []
    /// Connections that callers have, or that are ready for callers.
    @usableFromInline var taken = 0
    /// Connections that are being made.
    @usableFromInline var making = 0
    /// Callers with a permit for which no connection is ready.
    @usableFromInline var waiting = 0
    @usableFromInline var isDraining = false
    /// Whether the drain looks soon again whether a caller is left.
    @usableFromInline var looksAgain = false
    /// Whether the drain may end: no caller is left, and the connections are closed.
    @usableFromInline var isOver = false

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
  /// `make` and `close` run on the placement of the options. `close` gets each connection that is discarded, or that
  /// the pool has at a drain, once. The `onError` of the options gets its errors.
  @inlinable
  public init(
    limit: Int, _ label: String = "connections", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, make: @escaping @Sendable () async throws -> Connection,
    close: @escaping @Sendable (Connection) async throws -> Void = { _ in }
  ) {
    let madeAt = MadeAt("connections", label, file, line)
    madeAt.require("the limit", limit, in: 1...1 << 40)
    self.close = close
    let (take, giveBack, discard, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let take = soup.fast("take", returning: Connection.self)
      let giveBack = soup.slow("give back", of: Connection.self)
      let discard = soup.slow("discard", of: Connection.self)
      let permit = soup.slow("permit")
      let waiting = soup.slow("waiting", of: Call<Void, Connection>.self)
      let gaveUp = soup.slow("gave up").weak
      let making = soup.slow("making")
      let made = soup.fast("made", of: Result<Connection, any Error>.self, returning: Bool.self)
      let ready = soup.slow("ready", of: Result<Connection, any Error>.self)
      let late = soup.slow("late")
      let closing = soup.slow("closing", of: Connection.self)
      let draining = soup.slow("draining")
      let again = soup.slow("again")
      let lasting = soup.slow("lasting")
      let drained = soup.fast("drained", returning: Void.self)
      let over = soup.slow("over")
      let stock = soup.state("stock", holding: { $0.idle.count }) { Stock() }
      let control = soup.control

      // A soup that has been stopped refuses what a body hands on. Its connections are closed in tasks.
      @Sendable func closeSoon(_ connection: Connection) {
        if !closing(connection) { Task.detached { try await close(connection) } }
      }
      @Sendable func handOn(_ new: Result<Connection, any Error>) {
        if !ready(new), case .success(let connection) = new { closeSoon(connection) }
      }

      // Callers get what is there, and for the others connections are made. A drain ends once no caller is left.
      @Sendable func settle(_ stock: inout Stock) {
        while stock.waiting > 0, let connection = stock.idle.last, ready(.success(connection)) {
          stock.idle.removeLast()
          stock.waiting -= 1
          stock.taken += 1
        }
        while stock.making < stock.waiting {
          stock.making += 1
          making()
        }
        guard stock.isDraining, stock.taken + stock.making + stock.waiting == 0 else { return }
        if control.snapshot()[take] > 0 {  // that caller is served now, or gives up, of which nothing tells
          if !stock.looksAgain { stock.looksAgain = again() }
          return
        }
        for connection in stock.idle { closeSoon(connection) }
        stock.idle = []
        if !stock.isOver { over() }
        stock.isOver = true
      }
      soup.react(state: stock, take, permit, on: .inline) { stock, call, _ in
        if let connection = stock.idle.last {
          if call.reply(connection) {
            stock.idle.removeLast()
            stock.taken += 1
          } else {
            permit()
          }
        } else {
          stock.waiting += 1
          call.onAbandoned { gaveUp() }
          waiting(call)
        }
        settle(&stock)
      }
      soup.react(making) { _ async in
        let new: Result<Connection, any Error>
        do { new = .success(try await make()) } catch { new = .failure(error) }
        // In a separate task, because the task of `make` may be cancelled, and the connection must be counted anyway.
        let isWanted = await Task { try? await made(new) }.value
        // Without the state. So a caller that returns a connection and takes one gets the same connection again.
        if isWanted == true { handOn(new) }
        if isWanted == nil, case .success(let connection) = new { try? await close(connection) }
      }
      soup.react(state: stock, made, on: .inline) { stock, call in
        let isWanted: Bool
        switch call.input {
        case .success: isWanted = stock.waiting > 0
        case .failure: isWanted = stock.waiting >= stock.making  // otherwise another one is being made for each caller
        }
        stock.making -= 1
        if isWanted {
          stock.waiting -= 1
          if case .success = call.input { stock.taken += 1 }
        } else if case .success(let connection) = call.input {
          stock.idle.append(connection)
        }
        call.reply(isWanted)
        settle(&stock)
      }
      soup.react(waiting, ready, on: .inline) { call, new in
        switch new {
        case .success(let connection):
          if !call.reply(connection) { handOn(new) }
        case .failure(let error):
          if call.fail(error) { permit() } else { ready(new) }
        }
      }
      // If something is ready for the caller that gave up, it is withdrawn.
      soup.react(state: stock, gaveUp, on: .inline) { stock, _ in
        if stock.waiting == 0 {
          _ = late()
          return
        }
        stock.waiting -= 1
        permit()
        settle(&stock)
      }
      soup.react(late, ready, on: .inline) { _, new in
        if case .success(let connection) = new {
          if !giveBack(connection) { closeSoon(connection) }
        } else {
          permit()
        }
      }
      soup.react(state: stock, giveBack, on: .inline) { stock, connection in
        stock.end("gave back", madeAt)
        stock.idle.append(connection)
        permit()
        settle(&stock)
      }
      soup.react(state: stock, discard, on: .inline) { stock, connection in
        stock.end("discarded", madeAt)
        closeSoon(connection)
        permit()
        settle(&stock)
      }
      soup.react(closing) { connection async throws in try await close(connection) }
      soup.react(state: stock, draining, on: .inline) { stock, _ in
        if !stock.isDraining { lasting() }
        (stock.isDraining, stock.looksAgain) = (true, false)
        settle(&stock)
      }
      // Without the state, so that the caller can be served meanwhile.
      soup.react(again) { _ async in
        try? await Task.sleep(for: .milliseconds(10))
        draining()
      }
      // Its body keeps the drain from ending.
      soup.react(lasting) { _ async in try? await drained() }
      soup.react(drained, over, on: .inline) { call, _ in call.reply() }
      soup.whenDraining(draining)

      soup.refuseRestarts()
      permit.inject(count: limit)
      return (take, giveBack, discard, control)
    }
    // Names that own the soup would be refused while it drains.
    (self.take, self.giveBack, self.discard, self.control) = (take, giveBack.weak, discard.weak, control)
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
    let connection = try await take(within: limit, file: file, line: line)
    var end = discard
    defer { give(connection, to: end) }
    let result = try await body(connection)
    end = giveBack
    return result
  }

  /// Gives a connection back, or discards it. If the pool is stopped, closes it in a task.
  @inlinable
  func give(_ connection: Connection, to end: Injector<Connection>) {
    if end(connection) { return }
    Task.detached { [close] in try await close(connection) }
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
    let connection = try compound.take.blocking(within: limit, file: file, line: line)
    var end = compound.discard
    defer { compound.give(connection, to: end) }
    let result = try body(connection)
    end = compound.giveBack
    return result
  }
}
