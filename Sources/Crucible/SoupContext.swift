import CCrucible

/// What the typed interface knows of a soup, as long as the soup's contents live.
final class SoupContext: @unchecked Sendable {
  let onError: Soup.ErrorHandler?
  let placement: Placement
  // Written only while the soup is being defined.
  private(set) var reactions: [ReactionBody] = []
  private(set) var stations: [Station] = []

  init(onError: Soup.ErrorHandler?, placement: Placement) {
    self.onError = onError
    self.placement = placement
  }

  /// Of a soup that is held.
  static func of(_ core: OpaquePointer) -> SoupContext {
    Unmanaged<SoupContext>.fromOpaque(crucible_soup_context(core)!).takeUnretainedValue()
  }

  static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    Unmanaged<SoupContext>.fromOpaque(context!).release()
  }

  func add(_ reaction: ReactionBody) {
    reactions.append(reaction)
    if let station = reaction.station, !stations.contains(where: { $0 === station }) { stations.append(station) }
  }

  /// Before the definition ends: calls of these names have to look at where they are made.
  func prepareCalls(in core: OpaquePointer) {
    if stations.isEmpty { return }
    for index in 0..<crucible_soup_name_count(core) {
      let name: OpaquePointer = crucible_soup_name(core, index)
      if crucible_name_kind(name) == CRUCIBLE_FAST { crucible_name_set_special(name, true) }
    }
  }

  /// The place on which the calling thread is and which it would block, if only reactions that need it to be free consume `name`.
  func blocked(calling name: OpaquePointer) -> Station? {
    var found: Station?
    for reaction in reactions where reaction.consumed.contains(name) {
      guard let station = reaction.station, reaction.isAsync, station.isSerial, station.isCurrent else { return nil }
      found = station
    }
    return found
  }
}
