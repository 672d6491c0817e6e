/// The way by which signals of one kind travel: an output of a neuron, or an entrance of a graph.
///
/// ```swift
/// let placed = Collateral<Order>("placed")
/// let signal = placed(Order(3))
/// ```
///
/// A copy is the same collateral. Two collaterals that are made separately differ, even with the same label; a graph
/// refuses both.
///
/// - Complexity: O(1), and an allocation.
public struct Collateral<Value: Sendable>: Sendable, CustomStringConvertible {
  let identity: CollateralIdentity

  /// Makes a collateral. Messages call it by its label.
  public init(_ label: String) { identity = CollateralIdentity(label) }

  /// The label of the collateral.
  public var description: String { identity.label }

  /// Makes a signal, for ``NeuronGraph/stimulate(_:maxHops:concurrency:on:until:within:file:line:onResponse:)``.
  public func callAsFunction(_ value: Value) -> NeuronGraph.Signal { NeuronGraph.Signal(identity, value) }
}

extension Collateral where Value == Void {
  /// Makes a signal that carries nothing.
  public func callAsFunction() -> NeuronGraph.Signal { callAsFunction(()) }
}

/// The identity of a collateral.
final class CollateralIdentity: Sendable, Hashable {
  let label: String

  init(_ label: String) { self.label = label }

  static func == (a: CollateralIdentity, b: CollateralIdentity) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension NeuronGraph {
  /// A value on its way by a collateral.
  public struct Signal: Sendable, CustomStringConvertible {
    let identity: CollateralIdentity
    /// The value that the signal carries.
    public let value: any Sendable

    init(_ identity: CollateralIdentity, _ value: any Sendable) {
      self.identity = identity
      self.value = value
    }

    /// The label of its collateral.
    public var collateral: String { identity.label }

    /// The value that the signal carries, if it travels by this collateral.
    ///
    /// ```swift
    /// if let order = signal.value(of: placed) { print(order) }
    /// ```
    ///
    /// - Complexity: O(1).
    public func value<Value>(of collateral: Collateral<Value>) -> Value? {
      collateral.identity === identity ? value as? Value : nil
    }

    public var description: String { "\(collateral)(\(value))" }
  }
}
