import CrucibleTestSupport
import Foundation
import Synchronization
import Testing

/// The example `server`, with clients over TCP.
@Suite(.watched)
struct `The server` {
  struct Ends {
    var accepted = 0
    var refused = 0
    var done = 0
    var failed = 0
  }

  /// A server that runs, and what it printed.
  final class Running: @unchecked Sendable {
    let process = Process()
    let port: UInt16
    let journal: String
    private let pipe = Pipe()

    init(_ arguments: String...) throws {
      signal(SIGPIPE, SIG_IGN)  // a client may write to a server that has ended
      process.executableURL = program("server")
      process.arguments = ["0"] + arguments
      process.standardOutput = pipe
      try process.run()
      var line = ""
      while !line.hasSuffix("\n") {
        let byte = try pipe.fileHandleForReading.read(upToCount: 1)
        line += String(decoding: try #require(byte), as: UTF8.self)
      }
      let words = try #require(line.firstMatch(of: /:([0-9]+), journal (\S+)/)).output
      (port, journal) = (try #require(UInt16(words.1)), String(words.2))
    }

    deinit {
      if process.isRunning { process.terminate() }
      try? FileManager.default.removeItem(atPath: journal)
    }

    /// Waits for the end. Returns the last line.
    func end() throws -> String {
      let text = try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    func connect() throws -> FileHandle {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isConnected = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(client, $0, size) == 0 }
      }
      try #require(isConnected)
      return FileHandle(fileDescriptor: client, closeOnDealloc: true)
    }
  }

  /// Sends jobs, of which so many may be on their way, until all have ended or the server has.
  func run(
    _ server: Running, client: Int, jobs: Int, window: Int, later: Bool, onDone: @escaping @Sendable () -> Void
  ) throws -> Ends {
    let socket = try server.connect()
    let lines = fdopen(dup(socket.fileDescriptor), "r")!
    defer { fclose(lines) }
    var ends = Ends()
    var (sent, open) = (0, 0)
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while true {
      while sent < jobs && open < window {
        let line = later ? "later \(client).\(sent) \(sent) 5\n" : "job \(client).\(sent) \(sent)\n"
        if (try? socket.write(contentsOf: Data(line.utf8))) == nil { break }
        (sent, open) = (sent + 1, open + 1)
      }
      if open == 0 || getline(&line, &room, lines) < 0 { return ends }
      let words = String(cString: line!).split(whereSeparator: \.isWhitespace)
      switch words.first {
      case "accepted": ends.accepted += 1
      case "refused": (ends.refused, open) = (ends.refused + 1, open - 1)
      case "done":
        let number = try #require(words[1].split(separator: ".").last.flatMap { Int($0) })
        #expect(words[2] == "\(number * number)")
        (ends.done, open) = (ends.done + 1, open - 1)
        onDone()
      case "failed": (ends.failed, open) = (ends.failed + 1, open - 1)
      default: Issue.record("\(words)")
      }
    }
  }

  func run(
    _ server: Running, clients: Int, jobs: Int, window: Int, later: Bool = false, terminatingAfter most: Int = .max
  ) async throws -> Ends {
    let count = Atomic(0)
    let ends = try await onThreads(clients) { client in
      try run(server, client: client, jobs: jobs, window: window, later: later) {
        if count.add(1, ordering: .relaxed).newValue == most { server.process.terminate() }
      }
    }
    return ends.reduce(into: Ends()) { sum, ends in
      sum.accepted += ends.accepted
      sum.refused += ends.refused
      sum.done += ends.done
      sum.failed += ends.failed
    }
  }

  @Test func `Ten thousand jobs of twenty clients are done once, and the metrics count them`() async throws {
    let server = try Running()
    let ends = try await run(server, clients: 20, jobs: 500, window: 32)
    #expect(ends.accepted == 10_000 && ends.done == 10_000)
    let metrics = try server.connect()
    try metrics.write(contentsOf: Data("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    let answer = String(decoding: try metrics.readToEnd() ?? Data(), as: UTF8.self)
    #expect(answer.contains("crucible_molecules_consumed_total{soup=\"jobs\",name=\"job\"} 10000\n"))
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\n# EOF\n"))
    try metrics.close()
    server.process.terminate()
    #expect(try server.end() == "10000 accepted, 10000 done, 0 failed, 0 left")
    #expect(server.process.terminationStatus == 0)
    let rows = try String(contentsOfFile: server.journal, encoding: .utf8).split(separator: "\n")
    #expect(rows.count == 10_000 && Set(rows).count == 10_000)
  }

  @Test func `A signal in the middle of ten thousand jobs loses none that was accepted`() async throws {
    let server = try Running()
    let ends = try await run(server, clients: 20, jobs: 500, window: 32, terminatingAfter: 3_000)
    #expect(try server.end() == "\(ends.accepted) accepted, \(ends.accepted) done, 0 failed, 0 left")
    #expect(ends.done == ends.accepted && ends.done >= 3_000 && server.process.terminationStatus == 0)
  }

  @Test(arguments: [false, true])
  func `A server without time to finish says how many jobs are left, by its exit code too`(later: Bool) async throws {
    let server = try Running("1000", "20", "0")
    let ends = try await run(server, clients: 20, jobs: 200, window: 32, later: later, terminatingAfter: 100)
    let left = ends.accepted - ends.done - ends.failed
    #expect(
      try server.end() == "\(ends.accepted) accepted, \(ends.done) done, \(ends.failed) failed, \(left) left")
    #expect(left > 0 && server.process.terminationStatus == 1)
  }

  @Test func `A job that is not due at the end is reported`() async throws {
    let server = try Running()
    let client = try server.connect()
    try client.write(contentsOf: Data("later a 3 60000\n".utf8))
    #expect(try client.read(upToCount: 11) == Data("accepted a\n".utf8))
    server.process.interrupt()
    #expect(try client.readToEnd() ?? Data() == Data())
    try client.close()
    #expect(try server.end() == "1 accepted, 0 done, 0 failed, 1 left" && server.process.terminationStatus == 1)
  }
}

/// The program of an example, beside that of the tests.
func program(_ example: String) -> URL {
  URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(path: example)
}
