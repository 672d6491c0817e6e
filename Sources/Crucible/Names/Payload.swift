public import CCrucible

/// How values of a type lie in a bag: in place, moved bit by bit; those few that cannot be moved so (they hold a weak
/// reference) in a box. Decided at compile time where the type is known.
@usableFromInline
enum Payload<Value> {
  @usableFromInline
  final class Box {
    @usableFromInline let value: Value
    @inlinable init(_ value: Value) { self.value = value }
  }

  @inlinable static var isBoxed: Bool { !_isBitwiseTakable(Value.self) }
  @inlinable static var size: Int { isBoxed ? MemoryLayout<Box>.size : MemoryLayout<Value>.size }
  @inlinable static var alignment: Int { isBoxed ? MemoryLayout<Box>.alignment : MemoryLayout<Value>.alignment }

  /// Moves the value out of a bag or out of the injector's hands.
  @inlinable
  static func take(_ pointer: UnsafeMutableRawPointer) -> Value {
    if isBoxed { return pointer.assumingMemoryBound(to: Box.self).move().value }
    return pointer.assumingMemoryBound(to: Value.self).move()
  }

  /// Copies the value, which stays where it is.
  @inlinable
  static func read(_ pointer: UnsafeMutableRawPointer) -> Value {
    if isBoxed { return pointer.assumingMemoryBound(to: Box.self).pointee.value }
    return pointer.assumingMemoryBound(to: Value.self).pointee
  }

  /// Injects `value`; destroys it if that fails.
  @inlinable
  static func inject(_ value: consuming Value, into name: OpaquePointer, owns: Bool) -> Bool {
    if isBoxed { return Payload<Box>.inject(Box(value), into: name, owns: owns) }
    // Moved by way of an optional, for a closure cannot consume what it captures; a copy would keep a reference
    // meanwhile.
    var moving: Value? = consume value
    return _withUnprotectedUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
      let pointer = buffer.baseAddress!
      pointer.initialize(to: moving.take().unsafelyUnwrapped)
      let injected = owns ? crucible_inject(name, pointer) : crucible_inject_unowned(name, pointer)
      if !injected { discard(pointer) }
      return injected
    }
  }
}

extension Payload {
  /// Destroys what was refused. That may run any code, which may inject and be refused for another reason: this one is
  /// kept.
  @usableFromInline
  static func discard(_ pointer: UnsafeMutablePointer<Value>) {
    let why = crucible_last_refusal()
    pointer.deinitialize(count: 1)
    crucible_set_last_refusal(why)
  }

  /// Injects `value` so that it can be withdrawn; destroys it if that fails.
  static func inject(
    _ value: consuming Value, into name: OpaquePointer, times: Int, owns: Bool, ticket: inout crucible_ticket
  ) -> Bool {
    if isBoxed { return Payload<Box>.inject(Box(value), into: name, times: times, owns: owns, ticket: &ticket) }
    var moving: Value? = consume value
    return _withUnprotectedUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
      let pointer = buffer.baseAddress!
      pointer.initialize(to: moving.take().unsafelyUnwrapped)
      let injected = crucible_inject_tracked(name, pointer, UInt64(times), owns, &ticket)
      if !injected { discard(pointer) }
      return injected
    }
  }
}
