import CKernel

/// A request of the Redis protocol: an array of byte strings.
struct RedisRequest {
  private var body: [UInt8] = []
  private var count = 0
  var bytes: [UInt8] { Array("*\(count)\r\n".utf8) + body }

  init(_ words: String...) { for word in words { put(word) } }

  mutating func put(_ bytes: some Collection<UInt8>) {
    body.append(contentsOf: "$\(bytes.count)\r\n".utf8)
    body.append(contentsOf: bytes)
    body.append(contentsOf: "\r\n".utf8)
    count += 1
  }
  mutating func put(_ text: String) { put(text.utf8) }
  mutating func put(_ number: some BinaryInteger) { put("\(number)") }
  mutating func put(_ call: ClientID?) { put(call.map { "\($0.client):\($0.number)" } ?? "") }
  mutating func put<Element>(_ list: [Element], _ body: (inout RedisRequest, Element) -> Void) {
    put(list.count)
    for element in list { body(&self, element) }
  }
}

/// A reply of the Redis protocol.
enum RedisValue: Sendable {
  case none
  case number(Int64)
  case bytes([UInt8])
  case list([RedisValue])
  case error(String)

  var text: String? {
    if case .bytes(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
  }
}

/// The values of a list, one after the other. They come from functions of this library, so another shape is an error.
struct RedisFields {
  private var rest: ArraySlice<RedisValue>

  init(_ value: RedisValue) throws {
    guard case .list(let values) = value else { throw RedisFields.error }
    rest = values[...]
  }

  static let error = EngineError(.system, "Redis has sent a reply that this program does not know")
  var isEmpty: Bool { rest.isEmpty }

  mutating func next() throws -> RedisValue {
    guard let value = rest.popFirst() else { throw RedisFields.error }
    return value
  }
  mutating func bytesOrNil() throws -> [UInt8]? {
    switch try next() {
    case .bytes(let bytes): return bytes
    case .none: return nil
    default: throw RedisFields.error
    }
  }
  mutating func bytes() throws -> [UInt8] {
    guard let bytes = try bytesOrNil() else { throw RedisFields.error }
    return bytes
  }
  mutating func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }
  mutating func numberOrNil() throws -> Int64? {
    switch try next() {
    case .number(let number): return number
    case .none: return nil
    default: throw RedisFields.error
    }
  }
  mutating func number() throws -> Int64 {
    guard let number = try numberOrNil() else { throw RedisFields.error }
    return number
  }
  mutating func int() throws -> Int { Int(try number()) }
  mutating func fields() throws -> RedisFields { try RedisFields(next()) }
  mutating func list<Element>(_ body: (inout RedisFields) throws -> Element) throws -> [Element] {
    var (fields, list) = (try fields(), [Element]())
    while !fields.isEmpty { list.append(try body(&fields)) }
    return list
  }
  /// The id of a firing or a call.
  mutating func id() throws -> ClientID {
    let parts = try text().split(separator: ":").compactMap { Int64($0) }
    if parts.count != 2 { throw RedisFields.error }
    return ClientID(client: parts[0], number: parts[1])
  }
}

/// The connection has failed, or the server cannot answer now. The same call may be sent again.
struct RedisIsAway: Error { let reason: EngineError }

/// A connection to a server. Requires: one thread reads at a time, and one writes.
final class RedisConnection: @unchecked Sendable {
  private let socket: Int32
  private let place: String
  private var buffer: [UInt8] = []
  private var position = 0

  init(_ address: RedisAddress, until deadline: Int64) throws {
    place = address.description
    socket = shared_socket_open(address.host, address.port, deadline)
    if socket < 0 { throw RedisIsAway(reason: EngineError("connecting to \(place)")) }
  }

  deinit { closeFile(socket) }

  /// Ends the waits of another thread for this connection.
  func shut() { shutSocket(socket) }

  func send(_ request: RedisRequest, until deadline: Int64) throws {
    var bytes = request.bytes[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { move(UnsafeMutableRawBufferPointer(mutating: $0), isSent: true, deadline) }
      if count < 0 { throw RedisIsAway(reason: EngineError("sending to \(place)")) }
      bytes.removeFirst(count)
    }
  }

  private func move(_ bytes: UnsafeMutableRawBufferPointer, isSent: Bool, _ deadline: Int64) -> Int {
    shared_socket_move(socket, bytes.baseAddress, bytes.count, isSent ? 1 : 0, deadline)
  }

  /// Sends a request, and waits for its reply. Throws if that is an error.
  func ask(_ request: RedisRequest, until deadline: Int64) throws -> RedisValue {
    try send(request, until: deadline)
    let reply = try receive(until: deadline)
    guard case .error(let text) = reply else { return reply }
    let passing = ["LOADING", "BUSY", "TRYAGAIN", "READONLY", "MASTERDOWN", "NOREPLICAS"]
    let error = EngineError(.system, "\(place): \(text)")
    if passing.contains(where: { text.hasPrefix($0) }) { throw RedisIsAway(reason: error) }
    throw error
  }

  /// Whether something arrives by the deadline.
  func hasReply(until deadline: Int64) -> Bool {
    buffer.count > position || shared_socket_wait(socket, Int16(shared_socket_input), deadline) == 0
  }

  func receive(until deadline: Int64) throws -> RedisValue {
    let line = try line(deadline)
    let rest = String(decoding: line.dropFirst(), as: UTF8.self)
    switch (line.first, Int64(rest)) {
    case (UInt8(ascii: "+"), _): return .bytes(Array(rest.utf8))
    case (UInt8(ascii: "-"), _): return .error(rest)
    case (UInt8(ascii: ":"), let number?): return .number(number)
    case (UInt8(ascii: "$"), -1), (UInt8(ascii: "*"), -1): return .none
    case (UInt8(ascii: "$"), let count?) where count >= 0:
      try fill(Int(count) + 2, deadline)
      defer { position += Int(count) + 2 }
      return .bytes(Array(buffer[position..<position + Int(count)]))
    case (UInt8(ascii: "*"), let count?) where count >= 0:
      return .list(try (0..<count).map { _ in try receive(until: deadline) })
    default: throw RedisIsAway(reason: RedisFields.error)  // out of step
    }
  }

  private func line(_ deadline: Int64) throws -> [UInt8] {
    var length = 1
    while true {
      try fill(length, deadline)
      if buffer[position + length - 1] == UInt8(ascii: "\n") { break }
      length += 1
    }
    defer { position += length }
    return Array(buffer[position..<position + max(0, length - 2)])
  }

  /// Reads until so many bytes are there.
  private func fill(_ count: Int, _ deadline: Int64) throws {
    while buffer.count - position < count {
      buffer.removeFirst(position)
      position = 0
      var part = [UInt8](repeating: 0, count: 16_384)
      let received = part.withUnsafeMutableBytes { move($0, isSent: false, deadline) }
      if received < 0 { throw RedisIsAway(reason: EngineError("receiving from \(place)")) }
      buffer.append(contentsOf: part.prefix(received))
    }
  }
}
