/// A slow molecule of a shared soup, for code outside of its definition.
///
/// ```swift
/// try await shop.order(order)                                          // returns when the engine has it
/// try await shop.reminder(order.id, after: .seconds(3600))
/// try await shop.payment.inject(contentsOf: file, once: "import-7")    // one step; a second run changes nothing
/// ```
///
/// The acknowledgement survives the end of any process, and what ``Engine/Durability`` says.
public struct SharedInjector<Value: Codable & Sendable>: Sendable {
  let link: Link
  let index: Int
  private let rules: NameRules<Value>

  init(_ name: InnerInjector<Value>, _ link: Link) {
    self.link = link
    index = name.index
    rules = name.rules
  }

  /// Injects a molecule. It is there `delay` after the acknowledgement.
  ///
  /// - Throws: ``EngineError``, or the error of the value's encoder. Then the engine does not have the molecule, or the
  ///   error says that the step may have happened.
  /// - Complexity: one step of the engine, which the tasks that inject at the same time share. Suspends while a thread
  ///   of the engine waits for the disk. A cancelled task waits, too.
  public func callAsFunction(_ value: Value, after delay: Duration = .zero) async throws {
    try await link.injections.inject([try rules.injection(of: value, as: link.names[index], delay)])
  }

  /// Injects molecules in one step, in their order.
  ///
  /// With `once`, the soup remembers the tag for ever, and a second injection with it changes nothing.
  ///
  /// - Returns: false if the tag has been used before, and nothing was injected.
  /// - Throws: as for one molecule. Then the engine has none of them.
  /// - Complexity: O(values), one step of the engine, during which no other process writes: some thousands of values
  ///   are a good size. Suspends as for one molecule.
  @discardableResult
  public func inject(contentsOf values: some Sequence<Value>, once tag: String? = nil) async throws -> Bool {
    let injections = try values.map { try rules.injection(of: $0, as: link.names[index], .zero) }
    if let tag { return try await inject(injections, .once(tag)) }
    try await link.injections.inject(injections)
    return true
  }

  /// Injects a molecule of a producer that numbers what it sends, and may send it again.
  ///
  /// ```swift
  /// for try await record in records {
  ///   try await shop.order.inject(record.order, producer: "log-3", number: record.offset)
  /// }
  /// ```
  ///
  /// The soup remembers the last number of each producer. Requires: the producer's numbers grow.
  ///
  /// - Returns: false if the number is not above the producer's last one, and nothing was injected.
  /// - Throws: as for one molecule.
  /// - Complexity: as for one molecule, and suspends likewise.
  @discardableResult
  public func inject(_ value: Value, producer: String, number: Int64) async throws -> Bool {
    try await inject(
      [try rules.injection(of: value, as: link.names[index], .zero)], .numbered(producer: producer, number))
  }

  private func inject(_ injections: [Injection], _ repetition: Repetition) async throws -> Bool {
    try await link.engine.run { [link] _ in try link.inject(injections, repetition) }
  }

  /// Injects a molecule, and blocks the thread until the engine has it.
  ///
  /// ```swift
  /// try shop.order.blocking(order)
  /// ```
  ///
  /// - Throws: as for one molecule.
  /// - Complexity: one step of the engine. Blocks while the engine waits for the disk.
  @available(*, noasync, message: "await the injection instead of blocking a thread of Swift concurrency")
  public func blocking(_ value: Value, after delay: Duration = .zero) throws {
    let injection = try rules.injection(of: value, as: link.names[index], delay)
    _ = try link.inject([injection])
  }

  /// Injects molecules in one step, and blocks the thread until the engine has them.
  ///
  /// - Returns: as ``inject(contentsOf:once:)``.
  /// - Throws: as for one molecule.
  /// - Complexity: as ``inject(contentsOf:once:)``. Blocks while the engine waits for the disk.
  @available(*, noasync, message: "await the injection instead of blocking a thread of Swift concurrency")
  @discardableResult
  public func blocking(contentsOf values: some Sequence<Value>, once tag: String? = nil) throws -> Bool {
    let injections = try values.map { try rules.injection(of: $0, as: link.names[index], .zero) }
    return try link.inject(injections, tag.map { .once($0) })
  }
}

extension SharedInjector where Value == Nothing {
  /// Injects a molecule without a value.
  public func callAsFunction(after delay: Duration = .zero) async throws { try await self(Nothing(), after: delay) }
}
