import Foundation
import Synchronization

struct RedisError: Error, CustomStringConvertible {
  let description: String

  /// The error of the last call of the system.
  static func system(_ call: String) -> RedisError {
    RedisError(description: "\(call): \(String(cString: strerror(errno)))")
  }
}

/// A connection to a Redis. Its calls block the thread, for two seconds at most. One thread at a time may use it.
final class Redis: @unchecked Sendable {
  /// The number of connections that are open, and the most there ever were.
  static let open = Atomic<Int>(0), most = Atomic<Int>(0)

  /// The number of the server.
  let server: Int
  private let socket: Int32
  private var read: [UInt8] = []

  init(port: UInt16, server: Int) throws {
    self.server = server
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if socket < 0 { throw RedisError.system("socket") }
    Self.most.max(Self.open.add(1, ordering: .sequentiallyConsistent).newValue, ordering: .sequentiallyConsistent)
    var limit = timeval(tv_sec: 2, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    var address = Self.loopback(port)
    let isConnected = withUnsafeBytes(of: &address) { bytes in
      connect(socket, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count)) == 0
    }
    if isConnected { return }
    let error = RedisError.system("connect")
    close()
    throw error
  }

  /// Requires: this is the first call of it.
  func close() {
    Glibc.close(socket)
    Self.open.subtract(1, ordering: .sequentiallyConsistent)
  }

  /// Sends a command, and returns the reply as text.
  func command(_ words: String...) throws -> String {
    let request = words.reduce("*\(words.count)\r\n") { "\($0)$\($1.utf8.count)\r\n\($1)\r\n" }
    let sent = Array(request.utf8).withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if sent != request.utf8.count { throw RedisError.system("send") }
    let line = try line()
    switch line.first {
    case "-": throw RedisError(description: line)
    case "$":
      let text = try take(Int(line.dropFirst())! + 2)
      return String(decoding: text.dropLast(2), as: UTF8.self)
    default: return String(line.dropFirst())
    }
  }

  private func line() throws -> String {
    while true {
      if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
        return String(decoding: try take(end + 1).dropLast(2), as: UTF8.self)
      }
      try receive()
    }
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while read.count < count { try receive() }
    defer { read.removeFirst(count) }
    return Array(read.prefix(count))
  }

  private func receive() throws {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(socket, &buffer, buffer.count, 0)
    if count == 0 { throw RedisError(description: "recv: the server has closed the connection") }
    if count < 0 { throw RedisError.system("recv") }
    read += buffer[..<count]
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return address
  }

  /// Returns a port of the loopback that is free.
  static func freePort() throws -> UInt16 {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(socket) }
    var address = loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isFound = withUnsafeMutableBytes(of: &address) { bytes in
      let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!
      return bind(socket, address, size) == 0 && getsockname(socket, address, &size) == 0
    }
    if !isFound { throw RedisError.system("bind") }
    return UInt16(bigEndian: address.sin_port)
  }
}
