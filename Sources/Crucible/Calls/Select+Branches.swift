import CCrucible

// The branches of one select. A branch has the layout of a blocking call: its value names a frame that receives the
// reply, and the frame's waiter is suspended from the beginning. So each reply resumes the frame's waiter, which tells
// observers and signals the waiter of the select.

struct OpenBranch<Result: Sendable> {
  let call: OpenCall
  /// Returns the reply, or throws the reason why there is none. The caller must call this once, after the signal.
  let result: () throws(CallError) -> Result
}

/// The call of a branch. It belongs to one select, which destroys it when no code uses it any more.
class OpenCall: @unchecked Sendable {
  let name: OpaquePointer
  let owns: Bool
  /// The value that the body gets if this branch reacts.
  let value: UnsafeMutableRawPointer
  fileprivate var select: UnsafeMutablePointer<crucible_waiter>?

  init(_ name: OpaquePointer, owns: Bool, _ value: UnsafeMutableRawPointer) {
    self.name = name
    self.owns = owns
    self.value = value
  }

  /// Makes the reply signal this waiter. The waiter exists until the reply.
  func connect(to waiter: UnsafeMutablePointer<crucible_waiter>) {}
  /// Destroys the value. Requires: no body got it.
  func discard() {}
}

final class CallOfBranch<Input: Sendable, Output: Sendable>: OpenCall, @unchecked Sendable {
  private typealias Argument = Call<Input, Output>

  private let handle: SoupHandle
  private let frame = UnsafeMutablePointer<CallFrame<Output>>.allocate(capacity: 1)
  /// The token of a call in a box.
  private var token: ReplyToken?

  init(_ input: Input, _ injector: FastInjector<Input, Output>) {
    handle = injector.handle
    super.init(
      injector.name, owns: injector.owns,
      .allocate(byteCount: Payload<Argument>.size, alignment: max(16, Payload<Argument>.alignment)))
    frame.initialize(to: CallFrame())
    if Payload<Argument>.isBoxed {
      let made = ReplyToken.make(at: UnsafeMutableRawPointer(frame), offsetOfAnswer: CallFrame<Output>.offsetOfAnswer)
      let token = Unmanaged<ReplyToken>.fromOpaque(made).takeRetainedValue()
      Payload.put(Argument(input: input, token: token), at: value)
      self.token = token
    } else {
      Argument.lay(input, UInt(bitPattern: frame) | Caller.blocks, at: value)
    }
  }

  deinit {
    frame.deinitialize(count: 1)
    frame.deallocate()
    value.deallocate()
  }

  private var waiter: UnsafeMutablePointer<crucible_waiter> {
    UnsafeMutableRawPointer(frame).assumingMemoryBound(to: crucible_waiter.self)
  }

  override func connect(to waiter: UnsafeMutablePointer<crucible_waiter>) {
    select = waiter
    // The select keeps this branch until the caller has the answer.
    self.waiter.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    self.waiter.pointee.resume = {
      let branch = Unmanaged<OpenCall>.fromOpaque($0.pointee.context!)
      let (name, select) = branch._withUnsafeGuaranteedRef { ($0.name, $0.select!) }
      SoupContext.tell($0.pointee.outcome, of: name)
      crucible_waiter_signal(select, Outcome.replied)
    }
    _ = crucible_waiter_suspend(self.waiter)
  }

  func result() throws(CallError) -> Output {
    token = nil
    return try frame.pointee.answer.get(waiter.pointee.outcome)
  }

  override func discard() {
    guard let token else {
      (value + Argument.offsetOfInput).assumingMemoryBound(to: Input.self).deinitialize(count: 1)
      return
    }
    token.waiter = nil  // no caller waits for its result
    self.token = nil
    _ = Payload<Argument>.take(value)
  }
}
