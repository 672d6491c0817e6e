public import CCrucible

/// What the core does with the keys of one name, as functions of raw memory. They are made where the types are known.
/// The core has the object as their context.
@usableFromInline
final class Keying {
  @usableFromInline typealias Memory = UnsafeMutableRawPointer

  /// The core's options, but for the context and its functions.
  private let type: UnsafeRawPointer
  private let size: Int, alignment: Int
  private let areWords: Bool
  /// Compares two keys.
  private let areEqual: (UnsafeRawPointer, UnsafeRawPointer) -> Bool
  /// Ends a key; nil: nothing needs to be done.
  private let destroy: ((Memory) -> Void)?
  /// Copies a key.
  private let copy: (UnsafeRawPointer) -> any Hashable & Sendable
  /// Writes the key of a value, and returns its hash. Not an optional, because calls of those take a detour.
  private let read: (_ value: Memory, _ key: Memory) -> UInt64
  /// Makes the value of a state; nil: not a state.
  private var make: ((_ key: UnsafeRawPointer, _ cell: Memory) -> Void)?
  /// Whether the value of a state may go; nil: it stays.
  private var forgets: ((_ cell: UnsafeRawPointer, _ key: UnsafeRawPointer) -> Bool)?
  /// The most molecules of a key that wait, and the most keys of which one waits; 0: any number.
  var capacity = 0, keys = 0
  /// Of a soup of a controlled run: the numbers of its keys, which stand for hashes.
  var numbers: KeyNumbers?
  /// The action when one of them is reached, and the name that gets what is dropped.
  var whenFull = (policy: CRUCIBLE_REFUSE, into: OpaquePointer?.none)

  @inlinable
  convenience init<Key: Hashable & Sendable>(_: Key.Type, read: @escaping (_ value: Memory, _ key: Memory) -> UInt64) {
    self.init(
      KeyMemory<Key>.type, MemoryLayout<Key>.size, MemoryLayout<Key>.alignment, KeyMemory<Key>.areWords, read,
      areEqual: { KeyMemory.key($0).pointee == KeyMemory<Key>.key($1).pointee },
      destroy: _isPOD(Key.self) ? nil : { $0.assumingMemoryBound(to: Key.self).deinitialize(count: 1) },
      copy: { KeyMemory<Key>.key($0).pointee })
  }

  @usableFromInline
  init(
    _ type: UnsafeRawPointer, _ size: Int, _ alignment: Int, _ areWords: Bool,
    _ read: @escaping (Memory, Memory) -> UInt64,
    areEqual: @escaping (UnsafeRawPointer, UnsafeRawPointer) -> Bool, destroy: ((Memory) -> Void)?,
    copy: @escaping (UnsafeRawPointer) -> any Hashable & Sendable
  ) {
    (self.type, self.size, self.alignment, self.areWords) = (type, size, alignment, areWords)
    (self.read, self.areEqual, self.destroy, self.copy) = (read, areEqual, destroy, copy)
  }

  private static func of<Result>(_ context: Memory, _ body: (Keying) -> Result) -> Result {
    Unmanaged<Keying>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
  }

  /// Returns the key of a molecule of the name. Nil: it has none.
  static func key(of value: UnsafeRawPointer?, _ name: OpaquePointer) -> (any Hashable & Sendable)? {
    guard let value, let options = crucible_name_key(name)?.pointee, options.read != nil else { return nil }
    return of(options.context) { keying in
      withUnsafeTemporaryAllocation(byteCount: max(1, keying.size), alignment: keying.alignment) { memory in
        let key = memory.baseAddress!
        _ = keying.read(Memory(mutating: value), key)
        defer { keying.destroy?(key) }
        return keying.copy(key)
      }
    }
  }

  private typealias Read = @convention(c) (Memory, UnsafeRawPointer, Memory) -> UInt64
  private static let readHashed: Read = { context, value, key in
    Keying.of(context) { $0.read(Memory(mutating: value), key) }
  }
  private static let readNumbered: Read = { context, value, key in
    Keying.of(context) { keying in
      _ = keying.read(Memory(mutating: value), key)
      let copy = keying.copy(key)
      // A name that the numbers keep must not keep its soup.
      let name = (copy as? any Soup.Name)?._name
      return keying.numbers!.number(of: name.map { AnyHashable($0) } ?? AnyHashable(copy))
    }
  }

  static func copy(_ key: UnsafeRawPointer, _ name: OpaquePointer) -> any Hashable & Sendable {
    of(crucible_name_key(name)!.pointee.context) { $0.copy(key) }
  }

  /// The core's options, which own the object.
  func options() -> crucible_key_options {
    crucible_key_options(
      type: type, size: size, alignment: alignment, context: Unmanaged.passRetained(self).toOpaque(),
      release: { Unmanaged<Keying>.fromOpaque($0).release() },
      read: make != nil ? nil : areWords || numbers == nil ? Keying.readHashed : Keying.readNumbered,
      equal: areWords ? nil : { context, key, other in Keying.of(context) { $0.areEqual(key, other) } },
      destroy: destroy == nil ? nil : { context, key in Keying.of(context) { $0.destroy!(key) } },
      make: make == nil ? nil : { context, key, cell in Keying.of(context) { $0.make!(key, cell) } },
      forgets: forgets == nil ? nil : { context, key, cell in Keying.of(context) { $0.forgets!(cell, key) } },
      capacity: UInt64(capacity), keys: UInt64(keys), when_full: whenFull.policy,
      full_into: whenFull.into)
  }
}

/// The keys of a soup, numbered in the order in which they appear. Hashes differ from process to process, and so does
/// the order of keys that they decide.
final class KeyNumbers: @unchecked Sendable {
  private let numbers = Guarded<[AnyHashable: UInt64]>([:])

  func number(of key: AnyHashable) -> UInt64 {
    numbers.withLock { numbers in
      if let number = numbers[key] { return number }
      numbers[key] = UInt64(numbers.count)
      return UInt64(numbers.count - 1)
    }
  }
}

/// Keys of a type in raw memory.
@usableFromInline
enum KeyMemory<Key: Hashable> {
  /// What identifies the type in the core.
  @inlinable static var type: UnsafeRawPointer {
    UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(Key.self)))!
  }
  /// Whether keys are integers of a word: equal ones have equal bytes, and the core makes a hash of these.
  @inlinable static var areWords: Bool { MemoryLayout<Key>.size == 8 && Key.self is any FixedWidthInteger.Type }

  @inlinable static func key(_ key: UnsafeRawPointer) -> UnsafePointer<Key> { key.assumingMemoryBound(to: Key.self) }

  /// Returns the hash of a key, which the core spreads.
  @inlinable
  static func hash(_ key: UnsafeRawPointer, _ areWords: Bool) -> UInt64 {
    areWords ? key.load(as: UInt64.self) : UInt64(bitPattern: Int64(Self.key(key).pointee.hashValue))
  }

  /// Writes a key, and returns its hash.
  @inlinable
  static func put(_ key: Key, at memory: UnsafeMutableRawPointer, _ areWords: Bool) -> UInt64 {
    memory.initializeMemory(as: Key.self, to: key)
    return hash(memory, areWords)
  }
}

extension Keying {
  /// Reads the keys of molecules from their values.
  @inlinable
  static func ofValues<Value, Key: Hashable & Sendable>(_ keyOf: @escaping (Value) -> Key) -> Keying {
    let areWords = KeyMemory<Key>.areWords
    return Keying(Key.self) { value, key in KeyMemory.put(keyOf(Payload<Value>.read(value)), at: key, areWords) }
  }

  /// Reads the keys of calls from their inputs. A call that is being injected may have no token yet, and may be a
  /// branch of a select.
  @inlinable
  static func ofCalls<Input: Sendable, Output: Sendable, Key: Hashable & Sendable>(
    _: Output.Type, _ keyOf: @escaping (Input) -> Key
  ) -> Keying {
    let areWords = KeyMemory<Key>.areWords
    return Keying(Key.self) { value, key in
      let value = UnsafeMutableRawPointer(mutating: crucible_branch_value(value))
      if Payload<Call<Input, Output>>.isBoxed {
        return KeyMemory.put(keyOf(Payload<Call<Input, Output>>.read(value).input), at: key, areWords)
      }
      let input = value + max(MemoryLayout<ReplyToken>.size, MemoryLayout<Input>.alignment)
      return KeyMemory.put(keyOf(input.assumingMemoryBound(to: Input.self).pointee), at: key, areWords)
    }
  }

  /// Makes the values of a state by a closure.
  static func ofState<Value: ~Copyable & SendableMetatype, Key: Hashable & Sendable>(
    _ initially: @escaping (Key) -> Value, forgetting: Soup.Forgetting<Value>
  ) -> Keying {
    let keying = Keying(Key.self) { _, _ in fatalError("a state") }
    keying.make = { $1.assumingMemoryBound(to: Value.self).initialize(to: initially(KeyMemory.key($0).pointee)) }
    if let decides = forgetting.decides {
      keying.forgets = { cell, key in
        decides(cell.assumingMemoryBound(to: Value.self).pointee) { initially(KeyMemory.key(key).pointee) }
      }
    }
    return keying
  }
}

/// The destructor of a state with keys. A restart forgets the values.
final class KeyedState<Value: ~Copyable>: StateDestructor<Value> {
  override var resets: Bool { true }
}
