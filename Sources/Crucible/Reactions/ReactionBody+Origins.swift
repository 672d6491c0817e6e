import CCrucible

extension ReactionBody {
  /// Whether there are origins by which no firing runs, or which may be needed for inputs that are put back.
  var endsOrigins: Bool { origins.count > (station == nil ? 0 : 1) }

  /// Runs a body without a station in the context of a molecule that it consumed. Ends the other origins.
  ///
  /// The core runs the body on a thread whose task may be that of a stranger. Without an origin, the task is right: the
  /// molecule's injection is still in progress on this thread.
  func runInContext(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) {
    if let origin = takeOriginUnlessOwn(inputs) {
      origin.enterHere { ReactionBody.callAndCount(Unmanaged.passUnretained(self).toOpaque(), inputs) }
    } else {
      ReactionBody.callAndCount(Unmanaged.passUnretained(self).toOpaque(), inputs)
    }
    endOrigins(inputs)
  }

  private func takeOriginUnlessOwn(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) -> Origin? {
    guard let place = crucible_body_origin(core, index, inputs), let origin = place.pointee else { return nil }
    place.pointee = nil
    return Origin.takeUnlessOwn(origin, looksOwn: crucible_body_has_own_origin(origin))
  }

  func takeOrigins(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) -> [Int: Origin] {
    var taken: [Int: Origin] = [:]
    for index in origins {
      let place = crucible_input_origin(core, self.index, index, inputs)
      guard let place, let origin = place.pointee else { continue }
      place.pointee = nil
      taken[index] = Origin.take(origin)
    }
    return taken
  }

  func endOrigins(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) {
    for origin in takeOrigins(inputs).values { origin.end() }
  }
}
