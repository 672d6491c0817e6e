public import CCrucible

/// The storage of values of a type in a bag: in place, and moved bit by bit. The few values that cannot be moved so,
/// because they hold a weak reference, are in a box.
@usableFromInline
enum Payload<Value> {
  @usableFromInline
  final class Box: AnyBox {
    @usableFromInline let value: Value
    @usableFromInline var content: Any { value }
    @inlinable init(_ value: Value) { self.value = value }
  }

  @inlinable static var isBoxed: Bool { !_isBitwiseTakable(Value.self) }
  @inlinable static var size: Int { isBoxed ? MemoryLayout<Box>.size : MemoryLayout<Value>.size }
  @inlinable static var alignment: Int { isBoxed ? MemoryLayout<Box>.alignment : MemoryLayout<Value>.alignment }

  /// Moves the value out of a bag or out of the memory that the injector passed.
  @inlinable
  static func take(_ pointer: UnsafeMutableRawPointer) -> Value {
    if isBoxed { return pointer.assumingMemoryBound(to: Box.self).move().value }
    return pointer.assumingMemoryBound(to: Value.self).move()
  }

  /// Copies the value, and leaves the original in place.
  @inlinable
  static func read(_ pointer: UnsafeMutableRawPointer) -> Value {
    if isBoxed { return pointer.assumingMemoryBound(to: Box.self).pointee.value }
    return pointer.assumingMemoryBound(to: Value.self).pointee
  }

  /// Injects `value`. Destroys it if the soup refuses it.
  @inlinable
  static func inject(_ value: consuming Value, into name: OpaquePointer, owns: Bool) -> Bool {
    if isBoxed { return Payload<Box>.inject(Box(value), into: name, owns: owns) }
    // Moved through an optional, because a closure cannot consume a captured value, and a copy would hold a reference.
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
  /// Destroys a refused value. The calls in it end with the reason for the refusal, unless another copy of them
  /// answers. The destruction may run any code, and this code may have an injection refused for another reason. So the
  /// reason of this refusal is saved and restored.
  @usableFromInline
  static func discard(_ pointer: UnsafeMutablePointer<Value>) { discard(pointer, because: crucible_last_refusal()) }

  static func discard(_ pointer: UnsafeMutablePointer<Value>, because why: crucible_status) {
    LostCalls.note(in: pointer.pointee, Outcome.of(why))
    let outer = crucible_thread_begin_destroying(crucible_reason(refusal: why))
    pointer.deinitialize(count: 1)
    crucible_thread_end_destroying(outer)
    crucible_set_last_refusal(why)
  }

  /// Lends `value` to `act`, which moves it into the core, or returns false if the soup refuses it. Then destroys it.
  @usableFromInline
  static func lend(_ value: consuming Value, to act: (UnsafeMutableRawPointer) -> Bool) -> Bool {
    if isBoxed { return Payload<Box>.lend(Box(value), to: act) }
    var moving: Value? = consume value
    return _withUnprotectedUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
      let pointer = buffer.baseAddress!
      pointer.initialize(to: moving.take().unsafelyUnwrapped)
      let isInjected = act(pointer)
      if !isInjected { discard(pointer) }
      return isInjected
    }
  }
}
