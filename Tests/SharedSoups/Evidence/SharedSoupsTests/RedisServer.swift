import Foundation
import Synchronization

@testable import SharedSoups

/// A server of Redis that this process starts, on a socket in a folder of its own.
final class RedisServer: Sendable {
  /// The server of all tests. Each uses a database of its own.
  static let shared = Result { try RedisServer() }
  private static let databases = Atomic<Int>(0)
  private static let running = Mutex<[Int32: String]>([:])
  private static let ends = atexit {
    for (process, folder) in RedisServer.running.withLock({ $0 }) {
      kill(process, SIGKILL)
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  static func newDatabase() -> Int { databases.add(1, ordering: .relaxed).newValue }

  let folder: String
  let options: [String]
  private let process = Mutex<pid_t>(0)
  var address: String { "unix://\(folder)/redis" }

  /// Starts it, and waits until it answers.
  init(_ options: [String] = ["--appendonly", "no"]) throws {
    precondition(RedisServer.ends == 0)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("redis-\(UUID().uuidString)").path
    self.options = options
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try start()
  }

  deinit {
    end()
    try? FileManager.default.removeItem(atPath: folder)
  }

  func start() throws {
    let arguments =
      ["redis-server", "--port", "0", "--unixsocket", "\(folder)/redis", "--dir", folder, "--save", ""]
      + ["--databases", "1000", "--logfile", "\(folder)/log"] + options
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let status = posix_spawnp(&process, "redis-server", nil, nil, &words, environ)
    if status != 0 { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EIO) }
    self.process.withLock { $0 = process }
    RedisServer.running.withLock { $0[process] = folder }
    let address = try RedisAddress(address)
    let deadline = MachineClock.monotonic.now + 20_000_000_000
    while true {
      do {
        let connection = try address.open(until: deadline)
        _ = try connection.ask(RedisRequest("PING"), until: deadline)
        return
      } catch let error as RedisIsAway {
        if MachineClock.monotonic.now > deadline { throw error.reason }
        pause(5)
      }
    }
  }

  /// Ends it by SIGKILL.
  func end() {
    let process = process.withLock { process in
      defer { process = 0 }
      return process
    }
    if process == 0 { return }
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    RedisServer.running.withLock { $0[process] = nil }
  }

  /// Sends a command, and returns the reply.
  @discardableResult
  func ask(_ words: String...) throws -> RedisValue {
    var request = RedisRequest()
    for word in words { request.put(word) }
    let deadline = MachineClock.monotonic.now + 20_000_000_000
    return try RedisAddress(address).open(until: deadline).ask(request, until: deadline)
  }
}
