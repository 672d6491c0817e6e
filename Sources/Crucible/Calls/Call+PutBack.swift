import CCrucible
import Synchronization

// A call that is put back returns to the form it had in the bag: the caller's address replaces the token. So each
// attempt has its own token, and copies from an earlier attempt can no longer answer the call.
//
// A caller that gives up searches for its call in the list of the calls that were put back (`PendingCall.giveUp`).
// After a body puts a call back, it checks whether the caller has given up. Both use the list's lock, so one of the two
// finds the other.

extension Call {
  /// Puts the call back: its caller goes on waiting, and a later firing gets it again.
  ///
  /// ```swift
  /// let shelf = soup.state("shelf", [String: Int]()), put = soup.slow("put", of: (String, Int).self)
  /// let take = soup.fast("take", of: String.self, returning: Int.self, canPutBack: true)
  /// soup.react(state: shelf, take) { things, call in
  ///   if let thing = things.removeValue(forKey: call.input) { call.reply(thing) } else { call.putBack() }
  /// }
  /// soup.react(state: shelf, put) { things, thing in things[thing.0] = thing.1 }
  /// ```
  ///
  /// The body thereby loses its right to answer: no copy of the call can reply or fail from then on. A reply of another
  /// copy that is in progress may still end the call. When the body has ended, the call waits again, until another
  /// molecule of its component comes. <doc:Outcomes> says which molecules count, and what the call keeps and loses.
  ///
  /// A body that has several calls may put each of them back.
  ///
  /// Requires: the name is declared with `canPutBack`. The body that took the call must put it back before it ends, on
  /// its own thread or in its own task. Any other use ends the program with a message.
  ///
  /// - Returns: whether the call is put back. False if it was answered, or if its caller has given up.
  /// - Complexity: O(calls of the component that were put back). Blocks for a moment while other threads do the same.
  @discardableResult
  public func putBack(file: StaticString = #fileID, line: UInt = #line) -> Bool {
    guard token.putBack() else { return false }
    let caller = token.caller
    caller?.willBePutBack()
    let waiter = token.waiter!
    if !withReturned({ crucible_call_put_back(waiter, RunningTask.current, $0) }) {
      fatalError(
        "Crucible: putBack(): this body has not taken the call (of \(Call.self)), or the call's name is not declared "
          + "with canPutBack: true", file: file, line: line)
    }
    caller?.withdrawIfEnded()
    return true
  }

  /// Lends the call in the form that it has in a bag. If `body` returns true, it has moved the call. If it returns
  /// false, the program ends.
  private func withReturned(_ body: (UnsafeMutableRawPointer) -> Bool) -> Bool {
    _withUnprotectedUnsafeTemporaryAllocation(
      byteCount: Payload<Call>.size, alignment: max(16, Payload<Call>.alignment)
    ) { buffer in
      let value = buffer.baseAddress!
      let frame = UnsafeMutableRawPointer(token.waiter!)
      if Payload<Call>.isBoxed {
        let made =
          token.keptCaller.map { makeToken(for: $0.retain()) }
          ?? ReplyToken.make(at: frame, offsetOfAnswer: CallFrame<Output>.offsetOfAnswer)
        token.caller?.willBePutBack()
        Payload.put(Call(input: input, token: Unmanaged<ReplyToken>.fromOpaque(made).takeRetainedValue()), at: value)
      } else if let caller = token.keptCaller {
        Call.lay(input, UInt(bitPattern: caller.retain().toOpaque()) | Caller.mayGiveUp, at: value)
      } else {
        Call.lay(input, UInt(bitPattern: frame) | Caller.blocks, at: value)
      }
      return body(value)
    }
  }
}

extension ReplyToken {
  /// Ends the right to answer, and leaves the caller waiting. Returns false if the call has ended.
  func putBack() -> Bool {
    if caller?.hasEnded == true { return false }
    return stage.compareExchange(
      expected: ReplyToken.open, desired: ReplyToken.ended, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// The waiter of the caller. Null if no caller waits any more.
  var waiting: UnsafePointer<crucible_waiter>? { hasEnded ? nil : waiter.map { UnsafePointer($0) } }
}

extension Call {
  /// Returns the waiter of the call at `value`. Requires: the call is in a bag.
  static func waiter(of value: UnsafeMutableRawPointer) -> UnsafePointer<crucible_waiter>? {
    if !Payload<Call>.isBoxed {
      let word = value.load(as: UInt.self)
      let address = UnsafeMutableRawPointer(bitPattern: word & ~Caller.tags)!
      if word & Caller.blocks != 0 { return UnsafePointer(address.assumingMemoryBound(to: crucible_waiter.self)) }
      if word & Caller.mayGiveUp != 0 {
        return Unmanaged<PendingCall>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.waiting }
      }
    }
    return Payload<Call>.with(value) { $0.token.waiting }
  }
}

/// Registers, once for the process, the function by which the core finds the waiter of a call.
enum PuttingBack {
  static func prepare() { _ = isPrepared }

  private static let isPrepared: Bool = {
    crucible_set_waiter_of { name, value in
      Unmanaged<Destructor>.fromOpaque(crucible_name_context(name)!)
        ._withUnsafeGuaranteedRef { $0.waiter(of: UnsafeMutableRawPointer(mutating: value)) }
    }
    return true
  }()
}
