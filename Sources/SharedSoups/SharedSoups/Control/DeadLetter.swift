import Synchronization

/// A firing that failed too often, with its inputs. It stays in the engine until it is retried or discarded.
///
/// ```swift
/// for letter in try await shop.control.deadLetters() {
///   print(letter)
///   if letter.error.contains("took longer") { try await letter.retry() } else { try await letter.discard() }
/// }
/// ```
public struct DeadLetter: Sendable, CustomStringConvertible {
  /// The id of the firing, which it keeps when it is retried.
  public let id: String
  /// The labels of the reaction's inputs.
  public let reaction: String
  /// The number of bodies that have thrown, and of workers that were lost.
  public let attempts: Int
  /// The description of the last error.
  public let error: String
  /// The consumed molecules, without states: the label, and the value as JSON.
  public let inputs: [(label: String, value: String)]
  private let firing: DeadFiring
  private let link: Link

  init(_ firing: DeadFiring, _ link: Link) {
    self.firing = firing
    self.link = link
    id = firing.id.description
    reaction = link.bodies[firing.reaction]?.label ?? "a reaction that this process does not have"
    attempts = firing.failures + firing.losses
    error = firing.error
    inputs = firing.inputs.map { input in
      let name = link.names.firstIndex(of: input.name).map { link.chemistry.names[$0].label }
      return (name ?? "a name that this process does not have", String(decoding: input.value, as: UTF8.self))
    }
  }

  /// The reaction, the attempts, the error and the inputs, in one line.
  public var description: String {
    "\(reaction) (\(id)) failed \(attempts) times: \(error); inputs: "
      + inputs.map { "\($0.label) \($0.value)" }.joined(separator: ", ")
  }

  /// Runs the firing again, with the same id, and counts its attempts anew.
  ///
  /// - Returns: false if the letter is gone: another process was first.
  /// - Throws: ``EngineError``.
  /// - Complexity: one step of the engine. Suspends for it.
  @discardableResult
  public func retry() async throws -> Bool { try await settle(retry: true) }

  /// Deletes the letter and its inputs.
  ///
  /// - Returns: false if the letter is gone: another process was first.
  /// - Throws: ``EngineError``.
  /// - Complexity: one step of the engine. Suspends for it.
  @discardableResult
  public func discard() async throws -> Bool { try await settle(retry: false) }

  private func settle(retry: Bool) async throws -> Bool {
    try await link.engine.run { [firing, soup = link.soup] in try $0.settleDead(firing.id, of: soup, retry: retry) }
  }
}

/// A flag that is set once.
final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
