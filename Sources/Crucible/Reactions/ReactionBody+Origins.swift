import CCrucible

extension ReactionBody {
  /// Whether there are origins by which no firing runs, or which may be needed for inputs that are put back.
  var endsOrigins: Bool { origins.count > (station == nil ? 0 : 1) }

  /// Takes the remaining origins of a firing.
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

  /// Ends the remaining origins of a firing.
  func endOrigins(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) {
    for origin in takeOrigins(inputs).values { origin.end() }
  }
}
