// The values that travel between a process and its engine.

/// A random number of a client or a worker, and a number that it has used once.
///
/// Ids come from the clients: a counter in the engine would be used again after it is rolled back to an earlier moment.
struct ClientID: Hashable, Sendable, CustomStringConvertible {
  var client: Int64
  var number: Int64

  var description: String { "\(String(UInt64(bitPattern: client), radix: 16)):\(number)" }
}

/// The ids of one client. Requires: one thread uses it at a time.
final class Numbers {
  private let client: Int64
  private var last: Int64 = 0

  init(_ client: Int64) { self.client = client }

  /// Returns an id, the first of `count`. Their numbers are used up, whatever becomes of the step for which they are.
  func next(_ count: Int = 1) -> ClientID {
    defer { last += Int64(count) }
    return ClientID(client: client, number: last + 1)
  }
}

/// A molecule that the engine holds.
struct Molecule: Hashable, Sendable {
  var name: Int64
  /// The key in the form in which it is compared. Empty for a name without keys.
  var key: String
  /// The place in the order of the bag.
  var id: Int64
  var value: [UInt8]
  /// The call that waits for a reply, for a fast molecule.
  var call: ClientID?
  /// The time at which it leaves the soup unless it has reacted, by the soup's clock in nanoseconds.
  var expires: Int64?
}

/// A molecule on its way into the engine.
struct Injection: Hashable, Sendable {
  var name: Int64
  var key: String
  var value: [UInt8]
  var call: ClientID?
  var lifetime: Int64?
  /// The time until the molecule is there. Its lifetime begins then.
  var delay: Int64 = 0
}

/// Makes a resent injection harmless: the engine keeps the last number of each producer.
enum Repetition: Hashable, Sendable {
  case numbered(producer: String, Int64)
  case once(String)
}

/// The outcome of a call, as the engine keeps it until the caller has read it.
enum CallOutcome: Hashable, Sendable {
  case replied([UInt8])
  case failed(String)
  case neverReplied
  case stopped
  /// The engine has ended the call at its deadline, before the caller came to do so.
  case timedOut
}

// Inputs of a firing are one field of the engine: nothing looks for a molecule in there.
extension [Molecule] {
  var bytes: [UInt8] {
    var bytes = [UInt8]()
    func put(_ number: Int64) { Swift.withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) } }
    put(Int64(count))
    for molecule in self {
      put(molecule.name)
      put(molecule.id)
      put(molecule.call == nil ? 0 : 1)
      put(molecule.call?.client ?? 0)
      put(molecule.call?.number ?? 0)
      put(molecule.expires ?? Int64.min)
      put(Int64(molecule.key.utf8.count))
      bytes.append(contentsOf: molecule.key.utf8)
      put(Int64(molecule.value.count))
      bytes.append(contentsOf: molecule.value)
    }
    return bytes
  }

  /// Requires: the bytes are those of an array of molecules.
  init(bytes: [UInt8]) {
    var rest = bytes[...]
    func take(_ count: Int) -> ArraySlice<UInt8> {
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    func number() -> Int64 { take(8).reversed().reduce(0) { $0 << 8 | Int64($1) } }
    self = (0..<number()).map { _ in
      let (name, id, isCall) = (number(), number(), number() == 1)
      let call = ClientID(client: number(), number: number())
      let expires = number()
      let key = String(decoding: take(Int(number())), as: UTF8.self)
      let value = [UInt8](take(Int(number())))
      return Molecule(
        name: name, key: key, id: id, value: value, call: isCall ? call : nil,
        expires: expires == Int64.min ? nil : expires)
    }
  }
}
