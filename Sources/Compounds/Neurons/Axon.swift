/// The collaterals by which one neuron sends, or by which signals enter a graph. They are the fields of a struct.
///
/// ```swift
/// struct Kitchen: Axon {
///   let cooked = Collateral<Dish>("cooked")
///   let burnt = Collateral<Fire>("burnt")
/// }
/// ```
///
/// A struct conforms by its first line alone. Collaterals may also lie in arrays, optionals, dictionaries, tuples and
/// structs among the fields. Each collateral belongs to one axon of a graph.
public protocol Axon: Sendable {}

/// The axon of a neuron that sends nothing.
public struct NoAxon: Axon {
  /// The axon.
  public init() {}
}

extension Axon {
  var collaterals: [CollateralIdentity] { identities(in: self) }
}

/// The collaterals in a value, in their order, except those that class instances and closures have.
private func identities(in value: Any) -> [CollateralIdentity] {
  if let collateral = value as? any AnyCollateral { return [collateral.identity] }
  let mirror = Mirror(reflecting: value)
  return mirror.displayStyle == .class ? [] : mirror.children.flatMap { identities(in: $0.value) }
}

protocol AnyCollateral {
  var identity: CollateralIdentity { get }
}

extension Collateral: AnyCollateral {}

extension Neuron {
  /// Makes the signals of a neuron, for its dendrites: `kitchen.cooked(dish)`.
  ///
  /// The collaterals of the neuron's axon are its members. So a dendrite cannot send by another neuron's collateral, or
  /// send a value of another type: such a program does not compile.
  ///
  /// ```swift
  /// let answer: @Sendable (Dish, Neuron.Outlets<Kitchen>) -> [Neuron.Output<Kitchen>] = { dish, kitchen in
  ///   [kitchen.cooked(dish)]
  /// }
  /// ```
  ///
  /// - Complexity: O(1).
  @dynamicMemberLookup
  public struct Outlets<Owner: Axon>: Sendable {
    let axon: Owner

    /// One of the neuron's collaterals.
    ///
    /// ```swift
    /// // or $0.cooked
    /// let outlet: @Sendable (Neuron.Outlets<Kitchen>) -> Neuron.Outlet<Kitchen, Dish> = {
    ///   $0[dynamicMember: \.cooked]
    /// }
    /// ```
    public subscript<Value>(dynamicMember path: KeyPath<Owner, Collateral<Value>>) -> Outlet<Owner, Value> {
      Outlet(collateral: axon[keyPath: path])
    }
  }

  /// A collateral in the hands of the neuron that owns it; see ``Neuron/Outlets``.
  ///
  /// ```swift
  /// let send: @Sendable (Neuron.Outlet<Kitchen, Dish>, Dish) -> [Neuron.Output<Kitchen>] = { cooked, dish in
  ///   [cooked(dish)]
  /// }
  /// ```
  ///
  /// - Complexity: O(1).
  public struct Outlet<Owner: Axon, Value: Sendable>: Sendable {
    let collateral: Collateral<Value>

    /// Makes a signal that a dendrite of this neuron may return.
    public func callAsFunction(_ value: Value) -> Output<Owner> { Output(signal: collateral(value)) }
  }

  /// A signal that a dendrite returns, by a collateral of its own neuron.
  public struct Output<Owner: Axon>: Sendable {
    let signal: NeuronGraph.Signal
  }
}

extension Neuron.Outlet where Value == Void {
  /// Makes a signal that carries nothing.
  public func callAsFunction() -> Neuron.Output<Owner> { callAsFunction(()) }
}
