public import Crucible

extension Soup {
  /// Defines a soup whose molecules live in an engine, so that they outlive this process, and other processes share
  /// them.
  ///
  /// ```swift
  /// let engine = try await Engine.sqlite("shop.db")
  /// let shop = try await Soup.share("shop", on: engine) { soup in
  ///   let order   = soup.slow("order", of: Order.self, key: \.id)
  ///   let payment = soup.slow("payment", of: Payment.self, key: \.order)
  ///   soup.react(order, payment) { order, payment in try await ship(order, payment) }
  ///   return (order: order, payment: payment, control: soup.control)
  /// }
  /// try await shop.order(o)                   // returns when the engine has it
  /// try await shop.control.work(atOnce: 8)    // this process runs bodies until the task is cancelled
  /// ```
  ///
  /// All processes define the soup by the same code. The first one stores the names, the reactions and the molecules
  /// that the scope injects; the engine refuses a definition that differs, unless it is an ``Upgrade/rolling``. The
  /// names inside the scope record the outputs of bodies. The result has the same names for all other code: its members
  /// are labelled as the tuple that the scope returns.
  ///
  /// - Throws: ``EngineError``, if the engine fails, or has a different definition.
  /// - Complexity: O(names + reactions). Suspends while a thread of the engine waits for the disk.
  nonisolated(nonsending) public static func share<Names: Sendable>(
    _ label: String, on engine: Engine, upgrade: Upgrade = .refused, file: StaticString = #fileID, line: UInt = #line,
    _ body: (SharedDefinition) -> Names
  ) async throws -> SharedSoup<Names> {
    let (names, link) = try await share(label, engine, upgrade, file, line, body)
    return SharedSoup(names: names, link: link)
  }

  /// Defines a shared soup of which one slow name leaves.
  nonisolated(nonsending) public static func share<Value: Codable & Sendable>(
    _ label: String, on engine: Engine, upgrade: Upgrade = .refused, file: StaticString = #fileID, line: UInt = #line,
    _ body: (SharedDefinition) -> InnerInjector<Value>
  ) async throws -> SharedInjector<Value> {
    let (name, link) = try await share(label, engine, upgrade, file, line, body)
    return SharedInjector(name, link)
  }

  /// Defines a shared soup of which one fast name leaves.
  nonisolated(nonsending) public static func share<Input: Codable & Sendable, Output: Codable & Sendable>(
    _ label: String, on engine: Engine, upgrade: Upgrade = .refused, file: StaticString = #fileID, line: UInt = #line,
    _ body: (SharedDefinition) -> InnerFastInjector<Input, Output>
  ) async throws -> SharedFastInjector<Input, Output> {
    let (name, link) = try await share(label, engine, upgrade, file, line, body)
    return SharedFastInjector(name, link)
  }

  /// Defines a shared soup that only works: no name leaves.
  nonisolated(nonsending) public static func share(
    _ label: String, on engine: Engine, upgrade: Upgrade = .refused, file: StaticString = #fileID, line: UInt = #line,
    _ body: (SharedDefinition) -> SharedControl
  ) async throws -> SharedControl {
    let (control, link) = try await share(label, engine, upgrade, file, line, body)
    return SharedControl(core: control.core, link: link)
  }

  nonisolated(nonsending) private static func share<Names>(
    _ label: String, _ engine: Engine, _ upgrade: Upgrade, _ file: StaticString, _ line: UInt,
    _ body: (SharedDefinition) -> Names
  ) async throws -> (Names, Link) {
    let core = DefinitionCore(label, Source(file: "\(file)", line: Int(line)))
    let definition = SharedDefinition(core)
    let names = body(definition)
    if definition.chemistry.reactions.isEmpty { core.fail("it has no reaction", file: file, line: line) }
    let (chemistry, bodies) = (definition.chemistry, definition.bodies)
    let initial = core.close(chemistry.names.map(\.label))
    let defined = try await engine.run { store in
      try store.define(chemistry, upgrade) { names in
        initial.map { injection in
          var injection = injection
          injection.name = names[Int(injection.name)]
          return injection
        }
      }
    }
    let link = Link(engine, chemistry, defined, bodies)
    core.connect(link)
    return (names, link)
  }
}

/// A shared soup, as the code outside of its definition uses it. It has the names that the definition returns.
///
/// ```swift
/// try await shop.order(Order(id: 7))
/// let order = shop[dynamicMember: \.order]   // the same as shop.order
/// print(try await shop.control.explain())
/// ```
///
/// It does not own the molecules: these stay in the engine until ``SharedControl/destroy()``.
@dynamicMemberLookup
public struct SharedSoup<Names: Sendable>: Sendable {
  let names: Names
  let link: Link

  /// The slow name of this label.
  ///
  /// - Complexity: O(1).
  public subscript<Value>(dynamicMember path: KeyPath<Names, InnerInjector<Value>>) -> SharedInjector<Value> {
    SharedInjector(names[keyPath: path], link)
  }

  /// The fast name of this label.
  ///
  /// - Complexity: O(1).
  public subscript<Input, Output>(
    dynamicMember path: KeyPath<Names, InnerFastInjector<Input, Output>>
  ) -> SharedFastInjector<Input, Output> { SharedFastInjector(names[keyPath: path], link) }

  /// The control.
  ///
  /// - Complexity: O(1).
  public subscript(dynamicMember path: KeyPath<Names, SharedControl>) -> SharedControl {
    SharedControl(core: names[keyPath: path].core, link: link)
  }
}
