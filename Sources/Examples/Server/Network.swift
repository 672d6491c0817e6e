// Lines over TCP, on the loopback interface. Dispatch reads and writes, so no thread waits for a client.

import Compounds
import Dispatch
import Foundation
import Synchronization

struct NetworkError: Error { let code = errno }

/// A client of the server. Its lines come one after the other, and so do its answers.
final class Client: @unchecked Sendable {
  /// The most bytes of answers that wait for a client. One that does not read is given up.
  private static let mostUnsent = 1 << 20

  private let queue = DispatchQueue(label: "client")
  private let socket: Int32
  private let channel: DispatchIO
  let end: CountDownLatch
  // Only the queue uses these.
  private var rest: [UInt8] = []
  private var unsent = 0
  private var isLast = false
  private var hasEnded = false

  /// `end` counts the end of the connection.
  init(_ socket: Int32, end: CountDownLatch) {
    (self.socket, self.end) = (socket, end)
    channel = DispatchIO(type: .stream, fileDescriptor: socket, queue: queue) { _ in
      close(socket)
      end.countDown()
    }
    channel.setLimit(lowWater: 1)
  }

  /// Nothing will answer the client any more. What is on its way is sent first.
  deinit { channel.close() }

  /// Calls `act` with each line, until the client closes its side.
  func read(_ act: @escaping @Sendable (Client, String) -> Void) {
    channel.read(offset: 0, length: .max, queue: queue) { [self] isDone, data, _ in
      rest += isLast ? [] : Array(data ?? .empty)
      while !isLast, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        act(self, String(decoding: rest[..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self))
        rest.removeFirst(end + 1)
      }
      if rest.count > 4_096 { channel.close(flags: .stop) }  // no line is that long
      if isDone {
        hasEnded = true
        endIfSent()
      }
    }
  }

  /// Sends a line. Does not wait.
  func send(_ line: String) { queue.async { [self] in write(line) } }

  /// Sends a line, and then nothing more. Requires: `act` of `read` calls it.
  func sendLast(_ line: String) {
    write(line)
    finishSending()
  }

  private func write(_ line: String) {
    if isLast { return }
    let bytes = Array("\(line)\n".utf8)
    unsent += bytes.count
    if unsent > Self.mostUnsent { return channel.close(flags: .stop) }
    channel.write(offset: 0, data: bytes.withUnsafeBytes { DispatchData(bytes: $0) }, queue: queue) {
      [self] isDone, _, error in
      if !isDone { return }
      unsent -= bytes.count
      endIfSent()
    }
  }

  private func finishSending() {
    isLast = true
    endIfSent()
  }

  /// Tells the client that no answer follows, and closes the socket once the client has closed its side. Otherwise the
  /// system would drop what the client has not read yet.
  private func endIfSent() {
    if !isLast || unsent > 0 { return }
    if hasEnded { channel.close() } else { shutdown(socket, Int32(SHUT_WR)) }
  }

  /// Sends what is left, and waits until the client has closed its side, or until the limit is over.
  func finish(within limit: Duration) async {
    queue.async { [self] in finishSending() }
    if (try? await end.wait(within: limit)) == nil { channel.close(flags: .stop) }
  }
}

/// Accepts clients, until it ends.
final class Listener: @unchecked Sendable {
  /// The number of a socket from which on clients are turned away, so that there are files for all others.
  private static let most = 500

  private struct Connected {
    weak var client: Client?
    let end: CountDownLatch
  }

  let port: UInt16
  private let source: any DispatchSourceRead
  private let clients = Mutex<[Int32: Connected]>([:])

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
      if socket >= 0 { self?.add(socket, act) }
    }
    source.resume()
  }

  /// A client stays as long as it sends lines, or a job refers to it.
  private func add(_ socket: Int32, _ act: @escaping @Sendable (Client, String) -> Void) {
    let client: Client? = clients.withLock { clients in
      // The system gives the lowest free number, so an older client of this number has ended.
      if socket >= Self.most { return nil }
      let end = CountDownLatch(1, "client")
      let client = Client(socket, end: end)
      clients[socket] = Connected(client: client, end: end)
      return client
    }
    if let client { client.read(act) } else { close(socket) }
  }

  /// Accepts no more clients. Those that are connected stay.
  func end() { source.cancel() }

  /// Sends what is left to be sent, and waits until all clients have closed their sides, or until the limit is over.
  func finish(within limit: Duration) async {
    let clients = clients.withLock { Array($0.values) }
    await withTaskGroup { group in
      for connected in clients {
        group.addTask {
          if let client = connected.client { return await client.finish(within: limit) }
          try? await connected.end.wait(within: limit)
        }
      }
    }
  }
}
