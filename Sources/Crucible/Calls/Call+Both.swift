extension Call {
  /// Answers this caller and another one, or neither of them.
  ///
  /// ```swift
  /// soup.react(exchange, exchange) { a, b in
  ///   if !a.reply(b.input, with: b, a.input) {
  ///     for call in [a, b] where call.isAwaited { again(call) }      // the other one has given up
  ///   }
  /// }
  /// ```
  ///
  /// - Returns: whether both callers get their replies. False if one of them had ended already. Then the other one
  ///   still waits, unless it has given up as well.
  /// - Complexity: as ``reply(_:)``, for both. Does not block.
  @discardableResult
  public func reply<OtherInput: Sendable, OtherOutput: Sendable>(
    _ output: Output, with other: Call<OtherInput, OtherOutput>, _ otherOutput: OtherOutput
  ) -> Bool {
    guard let before = token.hold() else { return false }
    guard let otherBefore = other.token.hold() else {
      token.endHold(before)
      return false
    }
    token.claimHeld(before)
    other.token.claimHeld(otherBefore)
    answer.pointee.put(output)
    other.answer.pointee.put(otherOutput)
    token.end(Outcome.replied)
    other.token.end(Outcome.replied)
    return true
  }
}

extension ReplyToken {
  /// Keeps all other threads from ending the call. Returns the stage before, or nil if the call has ended.
  fileprivate func hold() -> UInt8? {
    guard let caller else { return move { _ in ReplyToken.claimed } }
    let before = stage.load(ordering: .relaxed)
    if ReplyToken.isClaimed(before) { return nil }
    if caller.hold() { return before }
    endClaimed(Outcome.replied)
    return nil
  }

  /// Lets other threads end the call again.
  fileprivate func endHold(_ before: UInt8) {
    if let caller { caller.endHold() } else { stage.store(before, ordering: .releasing) }
  }

  /// Claims the call that this thread holds, for a reply.
  fileprivate func claimHeld(_ before: UInt8) {
    if let caller { caller.claimHeld(for: Outcome.replied) } else if ReplyToken.isKept(before) { leaveHand() }
  }
}
