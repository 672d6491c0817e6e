public import Crucible

/// Lets many readers in at a time, or one writer alone, in the order in which they came. It cannot be restarted once it
/// has been stopped.
///
/// ```swift
/// let lock = ReadWriteLock()
/// let user = try await lock.withReading { users[id] }
/// try await lock.withWriting { users[id] = nil }
/// ```
///
/// The definition. Readers and writers come by one name, which keeps their order. The oldest one needs the `turn`. A
/// reader passes it on at once. A writer keeps it while it waits for the readers inside and while it writes, so no
/// later caller enters before it:
///
/// ```
/// soup.react(state: room, turn, enter) { room, _, call in … }
/// soup.react(state: room, leave) { room, access in … }
/// soup.react(state: room, next, empty) { room, writer, _ in room.isWriting = writer.reply() }
/// soup.react(state: room, gaveUp) { room, _ in turn() }
/// ```
///
/// If a caller gives up, its call is withdrawn. A writer that gives up while it has the turn passes it on (`gaveUp`).
///
/// - Complexity: O(1), without allocation where the caller need not wait.
public struct ReadWriteLock: Compound {
  /// The kind of access that a caller has.
  public enum Access: Sendable {
    /// Holds the room together with other readers.
    case reading
    /// Holds the room alone.
    case writing
  }

  /// Waits until the access is possible, and begins it. A limit of zero tries.
  ///
  /// ```swift
  /// try await lock.enter(.reading, within: .milliseconds(50))
  /// defer { lock.leave(.reading) }
  /// ```
  public let enter: FastInjector<Access, Void>
  /// Ends an access. Does not block, and may be called on any thread. Ending an access that no caller has ends the
  /// program.
  public let leave: Injector<Access>
  public let control: Soup.Control

  /// The tasks inside, and whether a writer is next.
  struct Room {
    var readers = 0
    var isWriting = false
    var hasNext = false
    /// Whether `empty` waits for the writer that is next.
    var isEmpty = false
  }

  /// Makes a lock without readers or a writer.
  public init(
    _ label: String = "read-write lock", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    let madeAt = MadeAt("read-write lock", label, file, line)
    (enter, leave, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let enter = soup.fast("enter", of: Access.self, returning: Void.self)
      let leave = soup.slow("leave", of: Access.self)
      let gaveUp = soup.slow("gave up").weak
      let turn = soup.slow("turn")
      // The writer that is next is a molecule, and not in the state, so that a stop ends its call.
      let next = soup.slow("next", of: Call<Access, Void>.self)
      let empty = soup.slow("empty")
      let late = soup.slow("late")
      let room = soup.state("room") { Room() }

      soup.react(state: room, turn, enter, on: .inline) { room, _, call in
        if call.input == .reading {
          if call.reply() { room.readers += 1 }
          turn()
        } else if room.readers == 0 {
          room.isWriting = call.reply()
          if !room.isWriting { turn() }
        } else {
          room.hasNext = true
          call.onAbandoned { gaveUp() }
          next(call)
        }
      }
      soup.react(state: room, leave, on: .inline) { room, access in
        if access == .writing {
          if !room.isWriting { madeAt.misuse("left by a writer while none is inside") }
          room.isWriting = false
          turn()
          return
        }
        if room.readers == 0 { madeAt.misuse("left by a reader while none is inside") }
        room.readers -= 1
        if room.readers == 0 && room.hasNext {
          room.isEmpty = true
          empty()
        }
      }
      soup.react(state: room, next, empty, on: .inline) { room, writer, _ in
        (room.hasNext, room.isEmpty) = (false, false)
        room.isWriting = writer.reply()  // false: then `gaveUp` will pass the turn on
      }
      soup.react(state: room, gaveUp, on: .inline) { room, _ in
        if room.isEmpty { late() }  // before `turn`, so that no later writer meets this `empty`
        (room.hasNext, room.isEmpty) = (false, false)
        turn()
      }
      soup.react(late, empty, on: .inline) { _, _ in }

      soup.refuseRestarts()
      turn()
      return (enter, leave, soup.control)
    }
  }

  /// Runs `body` as a reader. Other readers may run at the same time.
  ///
  /// The limit covers the wait, not the body.
  ///
  /// - Throws: the error of `body`. `CallError` if the wait ended otherwise; then `body` has not run.
  @inlinable
  nonisolated(nonsending)
    public func withReading<Result>(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result
  {
    try await enter(.reading, within: limit, file: file, line: line)
    defer { leave(.reading) }
    return try await body()
  }

  /// Runs `body` as the only writer, without readers; otherwise as ``withReading(within:file:line:_:)``.
  ///
  /// - Throws: as ``withReading(within:file:line:_:)``.
  @inlinable
  nonisolated(nonsending)
    public func withWriting<Result>(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result
  {
    try await enter(.writing, within: limit, file: file, line: line)
    defer { leave(.writing) }
    return try await body()
  }
}

extension Blocking where Blocked == ReadWriteLock {
  /// Blocks the thread until the caller may read, and runs `body`; see
  /// ``ReadWriteLock/withReading(within:file:line:_:)``.
  @available(*, noasync, message: "await withReading(within:) instead of blocking a thread of Swift concurrency")
  @inlinable
  public func withReading<Result>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Result
  ) throws -> Result {
    try compound.enter.blocking(.reading, within: limit, file: file, line: line)
    defer { compound.leave(.reading) }
    return try body()
  }

  /// Blocks the thread until the caller may write, and runs `body`; see
  /// ``ReadWriteLock/withWriting(within:file:line:_:)``.
  @available(*, noasync, message: "await withWriting(within:) instead of blocking a thread of Swift concurrency")
  @inlinable
  public func withWriting<Result>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Result
  ) throws -> Result {
    try compound.enter.blocking(.writing, within: limit, file: file, line: line)
    defer { compound.leave(.writing) }
    return try body()
  }
}
