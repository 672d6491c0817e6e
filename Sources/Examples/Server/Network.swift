// Lines over TCP, on the loopback interface. Dispatch reads and writes, so no thread waits for a client.

import Dispatch
import Foundation
import Synchronization

struct NetworkError: Error { let code = errno }

/// A client of the server. Its lines come one after the other.
final class Client: @unchecked Sendable {
  private let queue = DispatchQueue(label: "client")
  private let input: DispatchIO
  private let output: DispatchIO
  private let ends = DispatchGroup()
  // Only the queue uses this.
  private var rest: [UInt8] = []

  init(_ socket: Int32) {
    ends.enter()
    ends.enter()
    input = DispatchIO(type: .stream, fileDescriptor: socket, queue: queue) { _ in close(socket) }
    let copy = dup(socket)
    output = DispatchIO(type: .stream, fileDescriptor: copy, queue: queue) { [ends] _ in
      shutdown(copy, Int32(SHUT_WR))
      close(copy)
      ends.leave()
    }
    input.setLimit(lowWater: 1)
  }

  deinit { output.close() }

  /// Calls `act` with each line, until the client closes its side.
  func read(_ act: @escaping @Sendable (Client, String) -> Void, atEnd: @escaping @Sendable (Client) -> Void) {
    input.read(offset: 0, length: .max, queue: queue) { [self] isDone, data, _ in
      rest += data ?? .empty
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        act(self, String(decoding: rest[..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self))
        rest.removeFirst(end + 1)
      }
      if rest.count > 4_096 { input.close(flags: .stop) }  // no line is that long
      if !isDone { return }
      input.close()
      ends.leave()
      atEnd(self)
    }
  }

  /// Sends a line. Does not wait.
  func send(_ line: String) {
    let data = Data("\(line)\n".utf8).withUnsafeBytes { DispatchData(bytes: $0) }
    output.write(offset: 0, data: data, queue: queue) { _, _, _ in }
  }

  /// Sends what is left, and waits until the client has closed its side, or until the limit is over. If the server
  /// closed the socket earlier, the system would drop what the client has not read yet.
  func finish(within limit: Duration) async {
    output.close()
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [self] in
        if ends.wait(timeout: .now() + limit / .seconds(1)) == .timedOut {
          output.close(flags: .stop)
          input.close(flags: .stop)
        }
        continuation.resume()
      }
    }
  }
}

/// Accepts clients, until it ends.
final class Listener: @unchecked Sendable {
  let port: UInt16
  private let source: any DispatchSourceRead
  private let clients = Mutex<[ObjectIdentifier: Client]>([:])

  /// Listens on the loopback interface. Port 0 stands for any free one.
  init(port wanted: UInt16, _ act: @escaping @Sendable (Client, String) -> Void) throws {
    signal(SIGPIPE, SIG_IGN)
    let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = wanted.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listening, $0, size) == 0 && listen(listening, 128) == 0 && getsockname(listening, $0, &size) == 0
      }
    }
    if !isListening { throw NetworkError() }
    port = UInt16(bigEndian: address.sin_port)
    source = DispatchSource.makeReadSource(fileDescriptor: listening, queue: DispatchQueue(label: "listener"))
    source.setCancelHandler { close(listening) }
    source.setEventHandler { [weak self] in
      let socket = accept(listening, nil, nil)
      guard socket >= 0, let self else { return }
      let client = Client(socket)
      clients.withLock { $0[ObjectIdentifier(client)] = client }
      client.read(act) { [weak self] client in
        _ = self?.clients.withLock { $0.removeValue(forKey: ObjectIdentifier(client)) }
      }
    }
    source.resume()
  }

  /// Accepts no more clients. Those that are connected stay.
  func end() { source.cancel() }

  /// Sends what is left to be sent, and closes all connections.
  func finish(within limit: Duration) async {
    let clients = clients.withLock { $0.values.map { $0 } }
    await withTaskGroup { group in
      for client in clients { group.addTask { await client.finish(within: limit) } }
    }
  }
}
