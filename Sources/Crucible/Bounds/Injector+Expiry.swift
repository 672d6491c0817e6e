import CCrucible

extension Injector {
  /// Injects a molecule that may wait for a shorter time than the others of its name.
  ///
  /// ```swift
  /// let question = soup.slow("question", of: String.self, expires: .seconds(60))
  /// question("why?", expires: .seconds(1))
  /// ```
  ///
  /// The shorter of both times counts, by the soup's clock. At zero or less, the molecule expires as soon as possible.
  /// The name `into` of the declaration gets its value. A molecule that a failed body or a lost select puts back has
  /// the time of its name.
  ///
  /// - Returns: false if the soup refuses the molecule, as for ``callAsFunction(_:)``.
  /// - Requires: the name is declared with `expires` (`Soup.slow(_:of:expires:into:)`), and without a `capacity` or a
  ///   `capacityOfAll`. Its values are not calls.
  /// - Complexity: as ``callAsFunction(_:)``. A molecule that does not react at once needs an allocation and an alarm.
  ///   Both stay until that time, even if it reacts earlier.
  @discardableResult
  public func callAsFunction(
    _ value: Value, expires lifetime: Duration, file: StaticString = #fileID, line: UInt = #line
  ) -> Bool {
    defer { withExtendedLifetime(handle) {} }
    guard let expiry = crucible_name_expiry(name) else {
      let what = "'\(self)' must be declared with 'expires:', without calls or a capacity, if one molecule may expire"
      fatalError("Crucible: \(what)", file: file, line: line)
    }
    var ticket = crucible_ticket()
    let isInjected = Payload.lend(value) { crucible_inject_tracked(name, $0, 0, owns, &ticket) }
    // The name may not own the soup.
    guard isInjected, crucible_soup_hold(handle.core) else { return isInjected }
    if crucible_still_waits(name, &ticket) {
      Unmanaged<Expiry>.fromOpaque(expiry.pointee.context).takeUnretainedValue().begin(ticket, after: lifetime)
    }
    crucible_soup_release(handle.core)
    return true
  }
}
