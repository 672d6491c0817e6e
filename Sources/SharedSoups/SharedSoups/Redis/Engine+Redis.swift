import FoundationEssentials

extension Engine {
  /// The point at which a step of an engine on Redis counts as done: an injection, a take, a commit.
  public enum Acknowledgement: Sendable, Hashable {
    /// The server has it in memory. The server's own settings say what a crash of it loses.
    case memory
    /// So many replicas have it in memory, too. A failover to one of them loses nothing.
    case replicas(Int)
    /// The server's disk has it. Refused unless the server has `appendonly yes` and `appendfsync always`.
    case disk
  }

  /// Connects to a Redis server of version 7 or later, which the processes of many machines may share.
  ///
  /// ```swift
  /// let engine = try await Engine.redis("redis://worker:secret@redis-1:6379", acknowledge: .disk)
  /// let shop = try await Soup.share("shop", on: engine) { soup in … }
  /// ```
  ///
  /// The address is `redis://user:password@host:port/database` or `unix:///path?db=1`. After a broken connection, the
  /// engine connects again and repeats the step, which takes effect once. When `patience` is over, it throws. The step
  /// may then have taken effect all the same.
  ///
  /// - Throws: ``EngineError``, if the server does not answer in this time, is older, belongs to a cluster, may evict
  ///   keys, or has no such durability.
  /// - Complexity: O(1). Suspends while a thread of the engine waits for the server.
  public static func redis(
    _ address: String, acknowledge: Acknowledgement = .memory, patience: Duration = .seconds(10)
  ) async throws -> Engine {
    let address = try RedisAddress(address)
    return Engine(try await awaitOwnThread { try RedisStore(address, acknowledge, patience.nanoseconds) })
  }
}

/// The place of a server, and how to log in.
struct RedisAddress: Sendable, CustomStringConvertible {
  /// A host, or a path if there is no port.
  let host: String
  let port: String?
  let login: [String]
  let database: Int

  var description: String { "Redis at \(host)" + (port.map { ":\($0)" } ?? "") }

  init(_ text: String) throws {
    // The text may contain a password, so errors do not repeat it.
    guard let url = URLComponents(string: text), let scheme = url.scheme else {
      throw EngineError(.system, "the address of Redis is not a URL")
    }
    if scheme == "rediss" {
      throw EngineError(.system, "rediss: this engine has no TLS; use a tunnel or a private network")
    }
    let isPath = scheme == "unix"
    let number = isPath ? url.queryItems?.first { $0.name == "db" }?.value : String(url.path.dropFirst())
    guard isPath || scheme == "redis", let database = Int(number.flatMap { $0.isEmpty ? nil : $0 } ?? "0"),
      let host = isPath ? url.path : url.host, !host.isEmpty
    else { throw EngineError(.system, "an address of Redis is redis://host:port/database or unix:///path?db=1") }
    (self.host, port, self.database) = (host, isPath ? nil : String(url.port ?? 6379), database)
    login = url.password.map { [url.user ?? "", $0].filter { !$0.isEmpty } } ?? []
  }
}
