public import CCrucible
import Synchronization

/// Operations on the values of one name outside of reactions. The core has the object as the name's context. It
/// contains no closures. A destructor without members serves all soups of a site.
@usableFromInline
class Destructor {
  @usableFromInline init() {}

  /// Destroys a value that no reaction will consume.
  @usableFromInline func destroy(_ value: UnsafeMutableRawPointer, _ reason: crucible_reason) {}

  var handsCallsOn: Bool { false }
  /// Injects such a value. Returns false if the soup refuses it. Then the caller owns what is at `value`: the call, or,
  /// if it came too late for a stop, another one that is refused.
  func carry(_ value: UnsafeMutableRawPointer) -> Bool { false }
  /// Stores the name. Called once after the declaration.
  func begin(_ name: OpaquePointer) {}
  /// Injects a call again that a firing had taken, if the firing does not take place. Consumes the call.
  func putBack(_ value: UnsafeMutableRawPointer, as name: OpaquePointer, time: Int) {}

  /// Returns the value as a text for a person, or nil if it says nothing.
  func text(of value: UnsafeMutableRawPointer) -> String? { nil }
  /// Returns the reply in an answer as a text.
  func text(ofAnswer answer: UnsafeRawPointer) -> String? { nil }

  final func text<Shown>(_ value: Shown) -> String? {
    value is Void ? nil : (value as? String)?.debugDescription ?? "\(value)"
  }

  /// Whether the destructor can replace a state's value by its first value.
  @usableFromInline var resets: Bool { false }
  @usableFromInline func reset(_ cell: UnsafeMutableRawPointer) {}

  /// The number of the values that a state holds, once after each stop. Requires: as for `crucible_soup_visit_states`.
  func takeHeld(in cell: UnsafeMutableRawPointer) -> Int { 0 }
  /// The number of values, beyond one for each molecule, that stops have dropped since the last call.
  func takeFurther() -> Int { 0 }

  static func of(_ name: OpaquePointer) -> Destructor? {
    crucible_name_context(name).map { Unmanaged<Destructor>.fromOpaque($0).takeUnretainedValue() }
  }

  static let call: crucible_destroy = { value, context, reason in
    let outer = crucible_thread_begin_destroying(reason)
    Unmanaged<Destructor>.fromOpaque(context!)._withUnsafeGuaranteedRef { $0.destroy(value, reason) }
    crucible_thread_end_destroying(outer)
  }

  static let carry: @convention(c) (OpaquePointer, UnsafeMutableRawPointer) -> Bool = { name, value in
    Unmanaged<Destructor>.fromOpaque(crucible_name_context(name)!)._withUnsafeGuaranteedRef { $0.carry(value) }
  }

  static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    Unmanaged<Destructor>.fromOpaque(context!).release()
  }
}

@usableFromInline
class ValueDestructor<Value>: Destructor {
  /// The number of parts that were searched in vain for calls since a value with a call. A stop may drop a million
  /// values, so after too many the others are not searched. A count that two threads raise at once may lose a step.
  private let inVain = Atomic<Int>(0)
  private static var mostInVain: Int { 10_000 }

  @usableFromInline override init() {}

  /// The class for plain values, which nothing destroys: a controlled run shows them.
  @usableFromInline static var ofPlain: Destructor.Type? { ControlledThread.currentRun == nil ? nil : Self.self }

  override func text(of value: UnsafeMutableRawPointer) -> String? { Payload<Value>.with(value) { text(copy $0) } }

  @usableFromInline override func destroy(_ value: UnsafeMutableRawPointer, _ reason: crucible_reason) {
    let value = Payload<Value>.take(value)
    // Nearly every soup ends with values, and no body of it has a copy of their calls any more.
    if reason == CRUCIBLE_GONE { return }
    let before = inVain.load(ordering: .relaxed)
    if before >= Self.mostInVain { return }
    let parts = LostCalls.note(in: value, Outcome.ofDrop)
    inVain.store(parts.map { before + $0 } ?? 0, ordering: .relaxed)
  }
}

/// The destructor of slow molecules that counts values beyond one for each molecule.
class CountingDestructor<Value>: ValueDestructor<Value>, @unchecked Sendable {
  private let further = Atomic<Int>(0)

  final func note(_ count: Int = 1) { further.wrappingAdd(count, ordering: .relaxed) }

  // A report is complete once the soup is quiet, and a check for that acquires what droppers did before they left.
  override final func takeFurther() -> Int { further.exchange(0, ordering: .relaxed) }
}

/// The destructor of slow molecules that hold several values each.
final class HoldingDestructor<Value>: CountingDestructor<Value>, @unchecked Sendable {
  private let count: (borrowing Value) -> Int

  init(counting count: @escaping (borrowing Value) -> Int) { self.count = count }

  override func destroy(_ value: UnsafeMutableRawPointer, _ reason: crucible_reason) {
    if reason == CRUCIBLE_STOPPED_SOUP {
      let held = Payload<Value>.with(value) { count($0) }
      note(max(held, 1) - 1)
    }
    super.destroy(value, reason)
  }
}

/// The destructor of molecules that are calls. It signals their callers.
@usableFromInline
class CallDestructor<Input: Sendable, Output: Sendable>: Destructor {
  @usableFromInline override init() {}

  @usableFromInline override func destroy(_ call: UnsafeMutableRawPointer, _ reason: crucible_reason) {
    if crucible_branch_destroy(call, reason) { return }
    let token = Call<Input, Output>.take(call).token
    if reason == CRUCIBLE_WITHDRAWN { tellWithdrawn(token) }
    token.refuse(Outcome.of(reason))
  }

  override func text(of value: UnsafeMutableRawPointer) -> String? {
    let value = UnsafeMutableRawPointer(mutating: crucible_branch_value(value))
    if Payload<Call<Input, Output>>.isBoxed { return Payload<Call<Input, Output>>.with(value) { text($0.input) } }
    return text((value + Call<Input, Output>.offsetOfInput).assumingMemoryBound(to: Input.self).pointee)
  }

  override func text(ofAnswer answer: UnsafeRawPointer) -> String? {
    answer.assumingMemoryBound(to: Answer<Output>.self).pointee.output.flatMap { text($0) }
  }

  func tellWithdrawn(_ token: ReplyToken) { token.caller?.wasWithdrawn() }

  override func putBack(_ value: UnsafeMutableRawPointer, as name: OpaquePointer, time: Int) {
    let call = Call<Input, Output>.take(value)
    SoupContext.countTaken(name)
    if call.token.hasEnded {
      crucible_inject_withdrawn(name)
      tellWithdrawn(call.token)
      return
    }
    let input = FailedCall(call)
    let batch = Together(owns: false, arePutBack: true)
    _ = input.putBack(as: name, time: time, into: batch)  // the caller of a refused call has been signalled
    if let refusal = batch.inject() { input.refuse(Outcome.of(refusal)) }
  }
}

/// The destructor of a state whose first value cannot be made again.
@usableFromInline
class StateDestructor<Value: ~Copyable>: Destructor {
  @usableFromInline override init() {}

  @usableFromInline override func destroy(_ cell: UnsafeMutableRawPointer, _ reason: crucible_reason) {
    cell.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
  }

  fileprivate final func exchange(_ cell: UnsafeMutableRawPointer, for value: consuming Value) {
    let outer = crucible_thread_begin_destroying(CRUCIBLE_STOPPED_SOUP)
    cell.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
    crucible_thread_end_destroying(outer)
    cell.assumingMemoryBound(to: Value.self).initialize(to: value)
  }
}

/// The destructor of a state of plain bytes. The first value follows the object in memory.
@usableFromInline
final class PlainState<Value>: StateDestructor<Value> {
  @usableFromInline override init() {}

  @inlinable
  static func keepFirst(_ cell: UnsafeMutableRawPointer) {
    (cell + MemoryLayout<Value>.stride).copyMemory(from: cell, byteCount: MemoryLayout<Value>.size)
  }

  @usableFromInline override var resets: Bool { true }
  @usableFromInline override func reset(_ cell: UnsafeMutableRawPointer) {
    cell.copyMemory(from: cell + MemoryLayout<Value>.stride, byteCount: MemoryLayout<Value>.size)
  }
}

/// The destructor of a state whose first value a closure makes.
final class MadeState<Value: ~Copyable>: StateDestructor<Value> {
  private let initially: () -> Value
  private let count: ((borrowing Value) -> Int)?
  // Changed under the soup's lock, or by a restart, which excludes that.
  @exclusivity(unchecked) private var isTold = false

  init(_ initially: @escaping () -> Value, counting count: ((borrowing Value) -> Int)? = nil) {
    self.initially = initially
    self.count = count
  }

  override var resets: Bool { true }
  override func reset(_ cell: UnsafeMutableRawPointer) {
    exchange(cell, for: initially())
    isTold = false
  }

  override func takeHeld(in cell: UnsafeMutableRawPointer) -> Int {
    guard let count, !isTold else { return 0 }
    isTold = true
    return count(cell.assumingMemoryBound(to: Value.self).pointee)
  }
}
