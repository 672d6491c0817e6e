import CCrucible

extension ReactionBody {
  /// The function that the core calls.
  var body: crucible_body {
    if endsOrigins { return ReactionBody.callAndEndOrigins }
    return recovery.limit > 0 && !carriesValues ? ReactionBody.callAndCount : ReactionBody.call
  }

  static let callAndEndOrigins: crucible_body = { context, inputs in
    of(context)._withUnsafeGuaranteedRef { reaction in
      if reaction.station != nil {
        callAndCount(context, inputs)
        reaction.endOrigins(inputs)
      } else {
        reaction.runInContext(inputs)
      }
    }
  }

  static let callAndCount: crucible_body = { context, inputs in
    of(context)._withUnsafeGuaranteedRef { reaction in
      let before = reaction.failures
      call(context, inputs)
      if before != 0 && reaction.failures == before { reaction.endFailures() }
    }
  }

  static let submit: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer) -> Void = { context, firing in
    let reaction = of(context).takeUnretainedValue()
    let (station, isAsync) = reaction.placed
    if isAsync { station.place(async: firing, of: reaction) } else { station.place(firing, of: reaction) }
  }

  /// Begins a firing on this thread, if the thread belongs to the station. Returns false otherwise.
  static let enter: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer) -> Bool = { context, firing in
    let reaction = of(context).takeUnretainedValue()
    let (station, isAsync) = reaction.placed
    if !station.isCurrent { return false }
    if isAsync { station.enter(async: firing, of: reaction) } else { station.enter(firing) }
    return true
  }

  /// Whether its molecules are taken only when a firing begins.
  var takesLate: Bool { station?.isSerial == true && crucible_soup_reaction(core, index).input_count == 1 }

  /// Returns the greatest number of times that any one of the inputs was put back.
  static func attempts(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) -> Int {
    Int(bitPattern: UnsafeRawPointer(inputs).load(fromByteOffset: -8, as: UInt.self))
  }
}
