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
  /// Two separate replies leave a gap: the second caller may give up after the first one has its answer.
  ///
  /// - Returns: whether both callers get their replies. False if one of them had ended already. Then the other one
  ///   still waits, unless it has given up as well.
  /// - Complexity: as ``reply(_:)``, for both. Does not block.
  @discardableResult
  public func reply<OtherInput: Sendable, OtherOutput: Sendable>(
    _ output: Output, with other: Call<OtherInput, OtherOutput>, _ otherOutput: OtherOutput
  ) -> Bool {
    if !token.hold() { return false }
    if !other.token.hold() {
      token.endHold()
      return false
    }
    token.claimHeld()
    other.token.claimHeld()
    answer.pointee.put(output)
    other.answer.pointee.put(otherOutput)
    token.end(Outcome.replied)
    other.token.end(Outcome.replied)
    return true
  }
}

extension ReplyToken {
  /// Keeps all other threads from ending the call. Returns false if it has ended.
  fileprivate func hold() -> Bool {
    if stage.load(ordering: .relaxed) != ReplyToken.open { return false }
    guard let caller else {
      return stage.compareExchange(
        expected: ReplyToken.open, desired: ReplyToken.claimed, ordering: .relaxed
      ).exchanged
    }
    if caller.hold() { return true }
    endClaimed()
    return false
  }

  /// Lets other threads end the call again.
  fileprivate func endHold() {
    if let caller { caller.endHold() } else { stage.store(ReplyToken.open, ordering: .relaxed) }
  }

  /// Claims the call that this thread holds, for a reply.
  fileprivate func claimHeld() { caller?.claimHeld(for: Outcome.replied) }
}
