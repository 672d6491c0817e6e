public import CCrucible

// A call in a soup. While a call waits, no code has a copy of it, so the call needs no token yet. The token's place
// holds the address of the caller's frame, with a tag. The thread whose reaction consumes the call makes the token.
// Afterwards it usually saves the token for the next call, so a token stays with its thread. An alternative in which
// callers made the tokens lost: at each call the token's cache line and memory moved to the answering thread.

/// The frame on the stack of a caller that blocks until the call is answered.
@usableFromInline
struct CallFrame<Output> {
  @usableFromInline var waiter = crucible_waiter()
  @usableFromInline var answer = Answer<Output>()

  @inlinable init() {}

  /// Calls `body` with a frame, in one cache line if it fits. Returns the frame if `body` has written an answer to it.
  @inlinable @inline(__always)
  static func with(
    _ body: (UnsafeMutablePointer<CallFrame>, UnsafeMutablePointer<crucible_waiter>) -> Bool
  ) -> CallFrame? {
    if MemoryLayout<CallFrame>.size > 64 {
      var frame = CallFrame()
      let isWritten = withUnsafeMutablePointer(to: &frame) { frame in
        body(frame, UnsafeMutableRawPointer(frame).assumingMemoryBound(to: crucible_waiter.self))
      }
      return isWritten ? frame : nil
    }
    return _withUnprotectedUnsafeTemporaryAllocation(byteCount: 64 + 48, alignment: 16) { memory in
      let line = UnsafeMutableRawPointer(bitPattern: (UInt(bitPattern: memory.baseAddress!) + 48) & ~63)!
      let frame = line.initializeMemory(as: CallFrame.self, to: CallFrame())
      return body(frame, line.assumingMemoryBound(to: crucible_waiter.self)) ? frame.move() : nil
    }
  }

  /// The waiter is the first member.
  @inlinable static var offsetOfAnswer: Int {
    roundedUp(MemoryLayout<crucible_waiter>.size, to: MemoryLayout<Answer<Output>>.alignment)
  }
}

extension Call {
  @inlinable static var offsetOfInput: Int {
    roundedUp(MemoryLayout<ReplyToken>.size, to: MemoryLayout<Input>.alignment)
  }

  /// Injects the call of a caller that waits at `frame`. Returns false if the soup refuses it.
  @inlinable
  static func inject(
    _ input: Input, waitingAt frame: UnsafeMutablePointer<CallFrame<Output>>, into name: OpaquePointer, owns: Bool
  ) -> Bool {
    if Payload<Call>.isBoxed {
      let token = ReplyToken.make(at: UnsafeMutableRawPointer(frame), offsetOfAnswer: CallFrame<Output>.offsetOfAnswer)
      let call = Call(input: input, token: Unmanaged<ReplyToken>.fromOpaque(token).takeRetainedValue())
      return Payload<Call>.inject(call, into: name, owns: owns)
    }
    return inject(input, UInt(bitPattern: frame) | Caller.blocks) { call in
      owns ? crucible_inject(name, call) : crucible_inject_unowned(name, call)
    }
  }

  /// Injects the call of a caller that blocks at `frame`, if that fires a reaction on this thread. Else returns false.
  @inlinable
  static func injectVisited(
    _ input: Input, waitingAt frame: UnsafeMutablePointer<CallFrame<Output>>, into name: OpaquePointer
  ) -> Bool {
    if Payload<Call>.isBoxed { return false }
    return inject(input, UInt(bitPattern: frame) | Caller.blocks) { call in
      crucible_call_visit(name, call, UnsafeMutableRawPointer(frame).assumingMemoryBound(to: crucible_waiter.self))
    }
  }

  /// Injects the call of a caller that may give up, with its own token, if the injection fires a reaction on this
  /// thread. Returns false if it did not inject the call.
  @inlinable @inline(__always)
  static func injectAtOnce(
    _ input: Input, of pending: PendingCall, into name: OpaquePointer, visited: Bool
  ) -> Bool {
    let token = pending.ownToken.unsafelyUnwrapped
    pending.ownToken = nil  // until a body returns it
    return inject(input, UInt(bitPattern: token.toOpaque())) { call in
      let isInjected =
        visited
        ? crucible_call_visit(name, call, pending.waiter) : crucible_call_at_once(name, call, pending.waiter)
      if !isInjected {
        pending.ownToken = token
      } else if pending.ownToken == nil {
        pending.hasLeftToken(takeBack: withdraw)
      }
      return isInjected
    }
  }

  /// Injects the call of a caller that may give up. Returns false if the soup refuses it. Then the answer is unchanged.
  @inlinable
  static func inject(_ input: Input, of pending: PendingCall, owns: Bool) -> Bool {
    if Payload<Call>.isBoxed {
      let token = makeToken(for: Unmanaged.passRetained(pending))
      let call = Call(input: input, token: Unmanaged<ReplyToken>.fromOpaque(token).takeRetainedValue())
      return Payload<Call>.lend(call) { pending.inject($0, owns: owns) }
    }
    let caller = Unmanaged.passRetained(pending)
    let isInjected = inject(input, UInt(bitPattern: caller.toOpaque()) | Caller.mayGiveUp) { call in
      pending.inject(call, owns: owns)
    }
    if !isInjected { caller.release() }
    return isInjected
  }

  /// Lays a call out on the stack, and injects it by `act`. Destroys its input if `act` returns false.
  @inlinable @inline(__always)
  static func inject(_ input: Input, _ caller: UInt, by act: (UnsafeMutableRawPointer) -> Bool) -> Bool {
    _withUnprotectedUnsafeTemporaryAllocation(of: Call.self, capacity: 1) { buffer in
      let call = UnsafeMutableRawPointer(buffer.baseAddress!)
      lay(input, caller, at: call)
      let isInjected = act(call)
      if !isInjected { Payload<Input>.discard((call + offsetOfInput).assumingMemoryBound(to: Input.self)) }
      return isInjected
    }
  }

  @inlinable
  static func lay(_ input: Input, _ caller: UInt, at pointer: UnsafeMutableRawPointer) {
    pointer.storeBytes(of: caller, as: UInt.self)
    (pointer + offsetOfInput).initializeMemory(as: Input.self, to: input)
  }

  /// Moves a call out of a soup. From now on copies of it may exist. A call that was put back has its token.
  @inlinable @inline(__always)
  static func take(_ pointer: UnsafeMutableRawPointer) -> Call {
    if !Payload<Call>.isBoxed {
      let caller = pointer.load(as: UInt.self)
      if caller & Caller.tags != 0 {
        let token = ReplyToken.make(for: caller, offsetOfAnswer: CallFrame<Output>.offsetOfAnswer)
        pointer.storeBytes(of: token, as: UnsafeMutableRawPointer.self)
      }
    }
    return Payload<Call>.take(pointer)
  }

  /// Withdraws a call that still waits, and destroys it. Returns false if it no longer waits.
  @usableFromInline
  static func withdraw(from name: OpaquePointer, ticket: crucible_ticket) -> Bool {
    var ticket = ticket
    return _withUnprotectedUnsafeTemporaryAllocation(byteCount: Payload<Call>.size, alignment: Payload<Call>.alignment)
    { buffer in
      let waits = crucible_withdraw(name, &ticket, buffer.baseAddress!)
      if waits { _ = take(buffer.baseAddress!) }
      return waits
    }
  }
}

/// The tags of the address that is stored in the token's place.
@usableFromInline
enum Caller {
  /// The tag of a `CallFrame`.
  @inlinable static var blocks: UInt { 1 }
  /// The tag of a `PendingCall`. The address is a reference to it.
  @inlinable static var mayGiveUp: UInt { 2 }
  @inlinable static var tags: UInt { 3 }

  /// The address of the caller that waits for the call at `value`, which has no token yet.
  static func address(inCallAt value: UnsafeRawPointer) -> UnsafeRawPointer? {
    UnsafeRawPointer(bitPattern: value.load(as: UInt.self) & ~tags)
  }
}

extension ReplyToken {
  /// Returns a token for the call of the caller at that address. The code that calls this must consume the reference.
  @inlinable @inline(__always)
  static func make(for caller: UInt, offsetOfAnswer: Int) -> UnsafeMutableRawPointer {
    let address = UnsafeMutableRawPointer(bitPattern: caller & ~Caller.tags).unsafelyUnwrapped
    if caller & Caller.blocks != 0 { return make(at: address, offsetOfAnswer: offsetOfAnswer) }
    return makeToken(for: Unmanaged<PendingCall>.fromOpaque(address))
  }

  @inlinable @inline(__always)
  static func make(at frame: UnsafeMutableRawPointer, offsetOfAnswer: Int) -> UnsafeMutableRawPointer {
    make(waiter: frame.assumingMemoryBound(to: crucible_waiter.self), result: frame + offsetOfAnswer)
  }
}

/// Returns a token for the call of the caller, and consumes a reference to the caller. It is not a member of the token,
/// because then each reaction would need the token's type, and a register for it.
@usableFromInline
func makeToken(for caller: Unmanaged<PendingCall>) -> UnsafeMutableRawPointer {
  caller._withUnsafeGuaranteedRef { pending in
    crucible_waiter_set_taken(pending.waiter, true)
    let token = ReplyToken.make(waiter: pending.waiter, result: pending.result)
    Unmanaged<ReplyToken>.fromOpaque(token)._withUnsafeGuaranteedRef { $0.keptCaller.store(caller, ordering: .relaxed) }
    return token
  }
}

@inlinable
func roundedUp(_ size: Int, to alignment: Int) -> Int { (size + alignment - 1) & ~(alignment - 1) }
