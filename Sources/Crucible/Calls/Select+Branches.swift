import CCrucible

// The branches of one select. A branch has the layout of a blocking call: its value names a frame that receives the
// reply, and the frame's waiter is suspended from the beginning. So each reply resumes the frame's waiter, which
// signals the waiter of the select.

/// A call of a select that has begun. It belongs to one select, which destroys it when no code uses it any more.
class OpenBranch<Result: Sendable>: @unchecked Sendable {
  var name: OpaquePointer { fatalError("a branch has to say its name") }
  var owns: Bool { fatalError("a branch has to say whether it owns") }
  /// The value that the body gets if this branch reacts.
  var value: UnsafeMutableRawPointer { fatalError("a branch has to say its value") }

  /// Makes the reply signal this waiter. The waiter exists until the reply.
  func connect(to waiter: UnsafeMutablePointer<crucible_waiter>) {}
  /// Returns the reply, or throws the reason why there is none. The caller must call this once, after the signal of the
  /// waiter.
  func result() throws(CallError) -> Result { fatalError("a branch has to say its result") }
  /// Destroys the value. Requires: no body got it.
  func discard() {}
}

final class MappedBranch<Original: Sendable, Result: Sendable>: OpenBranch<Result>, @unchecked Sendable {
  private let original: OpenBranch<Original>
  private let transform: @Sendable (Original) -> Result

  init(_ original: OpenBranch<Original>, _ transform: @escaping @Sendable (Original) -> Result) {
    self.original = original
    self.transform = transform
  }

  override var name: OpaquePointer { original.name }
  override var owns: Bool { original.owns }
  override var value: UnsafeMutableRawPointer { original.value }
  override func connect(to waiter: UnsafeMutablePointer<crucible_waiter>) { original.connect(to: waiter) }
  override func result() throws(CallError) -> Result { transform(try original.result()) }
  override func discard() { original.discard() }
}

final class CallBranch<Input: Sendable, Output: Sendable>: OpenBranch<Output>, @unchecked Sendable {
  private typealias Argument = Call<Input, Output>

  private let injector: FastInjector<Input, Output>
  private let frame = UnsafeMutablePointer<CallFrame<Output>>.allocate(capacity: 1)
  private let call: UnsafeMutableRawPointer
  /// The token of a call in a box.
  private var token: ReplyToken?

  init(_ input: Input, _ injector: FastInjector<Input, Output>) {
    self.injector = injector
    call = .allocate(byteCount: Payload<Argument>.size, alignment: max(16, Payload<Argument>.alignment))
    super.init()
    frame.initialize(to: CallFrame())
    if Payload<Argument>.isBoxed {
      let made = ReplyToken.make(at: UnsafeMutableRawPointer(frame), offsetOfAnswer: CallFrame<Output>.offsetOfAnswer)
      let token = Unmanaged<ReplyToken>.fromOpaque(made).takeRetainedValue()
      Payload.put(Argument(input: input, token: token), at: call)
      self.token = token
    } else {
      Argument.lay(input, UInt(bitPattern: frame) | Caller.blocks, at: call)
    }
  }

  deinit {
    frame.deinitialize(count: 1)
    frame.deallocate()
    call.deallocate()
  }

  override var name: OpaquePointer { injector.name }
  override var owns: Bool { injector.owns }
  override var value: UnsafeMutableRawPointer { call }

  private var waiter: UnsafeMutablePointer<crucible_waiter> {
    UnsafeMutableRawPointer(frame).assumingMemoryBound(to: crucible_waiter.self)
  }

  override func connect(to waiter: UnsafeMutablePointer<crucible_waiter>) {
    self.waiter.pointee.context = UnsafeMutableRawPointer(waiter)
    self.waiter.pointee.resume = {
      crucible_waiter_signal($0.pointee.context!.assumingMemoryBound(to: crucible_waiter.self), Outcome.replied)
    }
    _ = crucible_waiter_suspend(self.waiter)
  }

  override func result() throws(CallError) -> Output {
    token = nil
    return try frame.pointee.answer.get(waiter.pointee.outcome)
  }

  override func discard() {
    guard let token else {
      (call + Argument.offsetOfInput).assumingMemoryBound(to: Input.self).deinitialize(count: 1)
      return
    }
    token.waiter = nil  // no caller waits for its result
    self.token = nil
    _ = Payload<Argument>.take(call)
  }
}

/// The branches of a select, with their types.
final class SelectContents<Result: Sendable>: AnySelectContents, @unchecked Sendable {
  private var branches: [OpenBranch<Result>]

  private init(_ branches: [OpenBranch<Result>]) {
    self.branches = branches
    super.init(branches.map(\.name))
    for branch in branches { branch.connect(to: waiter) }
  }

  private var calls: [crucible_branch] {
    branches.map { crucible_branch(name: $0.name, value: $0.value, owns: $0.owns) }
  }

  /// Brings the branches into a random order, by the seed of the first one's soup. Requires: the select has not begun.
  private func shuffle() {
    let soup: OpaquePointer = crucible_name_soup(names[0])
    for last in stride(from: branches.count - 1, to: 0, by: -1) {
      branches.swapAt(last, Int(crucible_soup_choose(soup, UInt32(last + 1))))
    }
    names = branches.map(\.name)
  }

  override func end(winner: Int) {
    for (index, branch) in branches.enumerated() where index != winner { branch.discard() }
  }

  /// Creates a select.
  ///
  /// - Parameter objection: the reason why no reaction could ever answer a call of that name. If no call could be
  ///   answered, this throws.
  static func begin(
    _ branches: [Soup.Branch<Result>], _ preference: Soup.Preference, objection: (OpaquePointer) -> CallError?
  ) throws(CallError) -> (SelectContents, WaitingSelect) {
    let contents = SelectContents(branches.map { $0.begin() })
    let objections = contents.names.compactMap(objection)
    var refusal = refusal(of: contents.calls)
    if refusal == nil && objections.count == branches.count { refusal = objections[0] }
    if refusal == nil && preference == .none { contents.shuffle() }
    guard refusal == nil, let select = contents.create(contents.calls) else {
      contents.end(winner: branches.count)
      throw refusal ?? .failed(NoMemory())
    }
    let waiting = WaitingSelect(select, contents)
    try waiting.begin()
    return (contents, waiting)
  }

  private static func refusal(of calls: [crucible_branch]) -> CallError? {
    var culprits: [OpaquePointer?] = [nil, nil]
    let status = crucible_select_check(calls, calls.count, &culprits)
    switch status {
    case CRUCIBLE_OK: return nil
    case CRUCIBLE_NO_BRANCHES: return .failed(SelectError(cause: .noBranches))
    case CRUCIBLE_NOT_FROZEN: return .failed(SelectError(cause: .isBeingDefined(labelOfName(culprits[0]!))))
    default: return .failed(SelectError(cause: .sharedReaction(labelOfName(culprits[0]!), labelOfName(culprits[1]!))))
    }
  }

  /// The result of the select, after the wait.
  func result(_ waiting: WaitingSelect) throws(CallError) -> Result {
    guard let winner = waiting.winner else { throw CallError(outcome: waiter.pointee.outcome) }
    return try branches[winner].result()
  }
}
