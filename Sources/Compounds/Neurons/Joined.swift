/// An input of a dendrite: a ``Collateral``, or several collaterals that are ``Joined``.
///
/// ```swift
/// func log<Input>(_ source: some Receptor<Input>, in neuron: Neuron.Definition<NoAxon, Void>) {
///   neuron.dendrite(source) { input, _ in
///     print(input)
///     return []
///   }
/// }
/// ```
public protocol Receptor<Input>: Sendable {
  /// The type of the value that a dendrite gets.
  associatedtype Input
  /// The collaterals. A dendrite gets one value of each.
  var joined: Joined<Input> { get }
}

/// A group of collaterals. A dendrite gets one value of each, as a tuple or an array.
///
/// ```swift
/// cashier.dendrite(Joined(placed, paid)) { joined, axon in
///   let (order, payment) = joined
///   return [axon.receipt(Receipt(order, payment))]
/// }
/// ```
///
/// Once all values are there, the dendrite gets the oldest value of each that no earlier firing has had. A collateral
/// that is named twice gives two values.
///
/// - Complexity: O(collaterals).
public struct Joined<Input>: Receptor {
  let inputs: [CollateralIdentity]
  let take: @Sendable ([NeuronGraph.Signal]) -> Input

  /// Joins collaterals of any types; a dendrite gets a tuple.
  public init<each Value: Sendable>(_ collaterals: repeat Collateral<each Value>) where Input == (repeat each Value) {
    var inputs: [CollateralIdentity] = []
    for collateral in repeat each collaterals { inputs.append(collateral.identity) }
    self.inputs = inputs
    take = { signals in
      var values = Values(signals: signals)
      return (repeat values.next((each Value).self))
    }
  }

  /// Joins collaterals of one type; a dendrite gets an array.
  public init<Value: Sendable>(all collaterals: [Collateral<Value>]) where Input == [Value] {
    inputs = collaterals.map(\.identity)
    take = { signals in signals.map { $0.value as! Value } }
  }

  init(_ input: CollateralIdentity, _ take: @escaping @Sendable ([NeuronGraph.Signal]) -> Input) {
    inputs = [input]
    self.take = take
  }

  public var joined: Joined { self }

  private struct Values {
    let signals: [NeuronGraph.Signal]
    private var index = 0

    init(signals: [NeuronGraph.Signal]) { self.signals = signals }

    mutating func next<Value>(_: Value.Type) -> Value {
      index += 1
      return signals[index - 1].value as! Value
    }
  }
}

extension Collateral: Receptor {
  public var joined: Joined<Value> { Joined(identity) { $0[0].value as! Value } }
}
