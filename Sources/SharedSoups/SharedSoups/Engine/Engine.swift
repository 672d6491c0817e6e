import Dispatch

/// The place where the molecules of shared soups live: a file of SQLite, a Redis server, or memory for tests.
///
/// ```swift
/// let engine = try await Engine.sqlite("shop.db")
/// let shop = try await Soup.share("shop", on: engine) { soup in … }
/// ```
///
/// An engine holds any number of soups. All processes of one machine may open the same file, which must be on a local
/// file system. Those of several machines share a server. An engine in memory ends with its last user.
public struct Engine: Sendable {
  /// The events that an acknowledgement survives.
  public enum Durability: Sendable {
    /// A loss of power: each acknowledgement waits for the disk.
    case full
    /// The end of any process, but not a loss of power, which may undo the last acknowledgements. It never damages the
    /// file, and never undoes a part of a step.
    case normal
  }

  let store: any Store
  private let queue: DispatchQueue

  init(_ store: any Store) {
    self.store = store
    queue = DispatchQueue(label: "Crucible.Engine")
  }

  /// Opens a file of SQLite, or creates it.
  ///
  /// ```swift
  /// let engine = try await Engine.sqlite("shop.db", durability: .normal)
  /// ```
  ///
  /// Files are beside it: `-wal` and `-shm` of SQLite, `-turn`, `-lives` and `-bell`. Copy it by
  /// `sqlite3 shop.db .backup`.
  ///
  /// - Throws: ``EngineError``, if the file cannot be opened.
  /// - Complexity: O(1). Suspends while a thread of the engine waits for the disk, and for other processes that write.
  public static func sqlite(_ path: String, durability: Durability = .full) async throws -> Engine {
    Engine(try await awaitOwnThread { try SQLiteStore(path: path, durability: durability) })
  }

  /// Makes an engine in the memory of this process, for tests. It ends with its last user.
  ///
  /// ```swift
  /// let engine = try Engine.memory()
  /// ```
  ///
  /// - Throws: ``EngineError``, if the system has no memory.
  /// - Complexity: O(1). Its operations are slower than those of SQLite with many molecules.
  public static func memory() throws -> Engine { Engine(try Model()) }

  /// Runs blocking operations on the engine's thread, and suspends meanwhile.
  ///
  /// They are short, so a task that is cancelled waits for their end: it must know what the engine has.
  func run<Result: Sendable>(_ body: @escaping @Sendable (any Store) throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      begin { store in continuation.resume(with: Swift.Result { try body(store) }) }
    }
  }

  /// Begins to run blocking operations on the engine's thread.
  func begin(_ body: @escaping @Sendable (any Store) -> Void) { queue.async { [store] in body(store) } }
}
