import CCrucible

/// What the core does with the keys of one name. The core has the object as the context of its functions.
class Keying {
  /// Writes the key of a value, and returns its hash.
  func read(_ value: UnsafeMutableRawPointer, to key: UnsafeMutableRawPointer) -> UInt64 { fatalError("a state") }
  func areEqual(_ key: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool { fatalError("without keys") }
  func destroy(_ key: UnsafeMutableRawPointer) {}
  /// Makes the value of a state.
  func make(for key: UnsafeRawPointer, in cell: UnsafeMutableRawPointer) { fatalError("not a state") }
  /// How the molecules expire; nil: they do not.
  var expiry: Expiry? { nil }
  /// Whether the value of a state may go.
  func forgets(_ cell: UnsafeRawPointer, of key: UnsafeRawPointer) -> Bool { false }

  fileprivate static func of<Result>(_ context: UnsafeMutableRawPointer, _ body: (Keying) -> Result) -> Result {
    Unmanaged<Keying>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
  }
}

/// The same, for a type of keys.
class KeyingOf<Key: Hashable>: Keying {
  /// What identifies the type in the core.
  static var type: UnsafeRawPointer { UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(Key.self)))! }
  /// Whether keys are integers of a word: equal ones have equal bytes, and the core makes a hash of these.
  private static var areWords: Bool { MemoryLayout<Key>.size == 8 && Key.self is any FixedWidthInteger.Type }
  private let areWords = KeyingOf.areWords

  final func hash(_ key: UnsafeRawPointer) -> UInt64 {
    areWords ? key.load(as: UInt64.self) : UInt64(bitPattern: Int64(Self.key(key).pointee.hashValue))
  }
  static func key(_ key: UnsafeRawPointer) -> UnsafePointer<Key> { key.assumingMemoryBound(to: Key.self) }

  final override func areEqual(_ key: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    Self.key(key).pointee == Self.key(other).pointee
  }
  final override func destroy(_ key: UnsafeMutableRawPointer) {
    key.assumingMemoryBound(to: Key.self).deinitialize(count: 1)
  }

  /// The core's options, which own the object.
  func options(isState: Bool = false, forgets: Bool = false) -> crucible_key_options {
    crucible_key_options(
      type: Self.type, size: MemoryLayout<Key>.size, alignment: MemoryLayout<Key>.alignment,
      context: Unmanaged.passRetained(self).toOpaque(),
      release: {
        Keying.of($0) { $0.expiry?.end() }
        Unmanaged<Keying>.fromOpaque($0).release()
      },
      read: isState
        ? nil
        : { context, value, key in
          Keying.of(context) { $0.read(UnsafeMutableRawPointer(mutating: value), to: key) }
        },
      equal: Self.areWords ? nil : { context, key, other in Keying.of(context) { $0.areEqual(key, other) } },
      destroy: _isPOD(Key.self) ? nil : { context, key in Keying.of(context) { $0.destroy(key) } },
      make: isState ? { context, key, cell in Keying.of(context) { $0.make(for: key, in: cell) } } : nil,
      forgets: forgets ? { context, key, cell in Keying.of(context) { $0.forgets(cell, of: key) } } : nil,
      lifetime: expiry?.lifetime ?? 0,
      now: expiry == nil ? nil : { Keying.of($0) { $0.expiry!.clock.now } },
      waits: expiry == nil ? nil : { Keying.of($0) { $0.expiry!.begin() } },
      into: expiry?.into)
  }
}

/// The keys of molecules, which their values have.
final class ValueKeying<Value, Key: Hashable>: KeyingOf<Key> {
  private let keyOf: (Value) -> Key
  private let expires: Expiry?

  init(_ keyOf: @escaping (Value) -> Key, _ expiry: Expiry?) {
    self.keyOf = keyOf
    expires = expiry
  }

  override var expiry: Expiry? { expires }

  override func read(_ value: UnsafeMutableRawPointer, to key: UnsafeMutableRawPointer) -> UInt64 {
    key.initializeMemory(as: Key.self, to: keyOf(Payload<Value>.read(value)))
    return hash(key)
  }
}

/// The keys of calls, which their inputs have. A call that is being injected may have no token yet, and may be a branch
/// of a select.
final class CallKeying<Input: Sendable, Output: Sendable, Key: Hashable>: KeyingOf<Key> {
  private let keyOf: (Input) -> Key

  init(_ keyOf: @escaping (Input) -> Key) { self.keyOf = keyOf }

  override func read(_ value: UnsafeMutableRawPointer, to key: UnsafeMutableRawPointer) -> UInt64 {
    let value = UnsafeMutableRawPointer(mutating: crucible_branch_value(value))
    if Payload<Call<Input, Output>>.isBoxed {
      key.initializeMemory(as: Key.self, to: keyOf(Payload<Call<Input, Output>>.read(value).input))
    } else {
      let input = value + max(MemoryLayout<ReplyToken>.size, MemoryLayout<Input>.alignment)
      key.initializeMemory(as: Key.self, to: keyOf(input.assumingMemoryBound(to: Input.self).pointee))
    }
    return hash(key)
  }
}

/// The keys of a state, whose values a closure makes.
final class StateKeying<Value: ~Copyable & SendableMetatype, Key: Hashable>: KeyingOf<Key> {
  private let initially: (Key) -> Value
  private let forgetting: Soup.Forgetting<Value>

  init(_ initially: @escaping (Key) -> Value, forgetting: Soup.Forgetting<Value>) {
    self.initially = initially
    self.forgetting = forgetting
  }

  override func make(for key: UnsafeRawPointer, in cell: UnsafeMutableRawPointer) {
    cell.assumingMemoryBound(to: Value.self).initialize(to: initially(Self.key(key).pointee))
  }
  override func forgets(_ cell: UnsafeRawPointer, of key: UnsafeRawPointer) -> Bool {
    forgetting.decides!(cell.assumingMemoryBound(to: Value.self).pointee) { initially(Self.key(key).pointee) }
  }
}

/// The destructor of a state with keys. A restart forgets the values.
final class KeyedState<Value: ~Copyable>: StateDestructor<Value> {
  override var resets: Bool { true }
}
