import CCrucible

/// Calls within a value that a soup has refused or dropped, or that a timer has lost.
///
/// The body that made the value mostly still has a copy of each call, and may answer it. So the calls do not end with
/// the value. Their tokens note the reason, which becomes the outcome if no other copy answers.
///
/// The search is that of `Mirror`: it enters structs, enums, tuples and collections, but neither objects, which another
/// thread may change, nor closures. A call in one of those ends with the reason if the value has its last copy.
enum LostCalls {
  /// The most parts of a value that a search visits, because a lost value may be a large array.
  private static let most = 1000

  /// Notes the outcome in all calls in the value. Returns the number of parts searched in vain, nil if it found a call.
  @discardableResult
  static func note<Value>(in value: Value, _ outcome: UInt32) -> Int? {
    if _isPOD(Value.self) || outcome == Outcome.dropped { return 0 }
    var (found, left) = (false, most)
    visit((value as? any AnyBox)?.content ?? value, outcome, &found, &left)
    return found ? nil : most - left
  }

  private static func visit<Part>(_ part: Part, _ outcome: UInt32, _ found: inout Bool, _ left: inout Int) {
    left -= 1
    if _isPOD(Part.self) { return }
    if let call = part as? any AnyCall {
      call.token.note(loss: outcome)
      found = true
      return
    }
    if type(of: part as Any) is AnyClass { return }
    for child in Mirror(reflecting: part).children {
      if left <= 0 { return }
      visit(child.value, outcome, &found, &left)
    }
  }
}

/// A box of a value that cannot be moved bit by bit.
@usableFromInline
protocol AnyBox {
  var content: Any { get }
}

extension ReplyToken {
  /// Notes why a soup has refused or dropped a copy of the call. Nil: a soup takes the call after that.
  func note(loss outcome: UInt32?) {
    let loss = UInt8(outcome ?? 0) << 2
    if stage.load(ordering: .relaxed) & ~ReplyToken.kept != loss { _ = move { $0 & ReplyToken.kept | loss } }
  }

  /// The outcome that is noted in a stage. No loss has the outcome 0, which is that of a reply.
  func loss(at stage: UInt8) -> UInt32? { stage >> 2 == 0 ? nil : UInt32(stage >> 2) }
}

extension crucible_reason {
  /// The reason for the destruction of a value that a soup has refused.
  init(refusal: crucible_status) {
    self =
      switch refusal {
      case CRUCIBLE_NOT_RUNNING: CRUCIBLE_STOPPED_SOUP
      case CRUCIBLE_GONE_SOUP: CRUCIBLE_GONE
      default: CRUCIBLE_DISCARDED
      }
  }
}
