extension NeuronGraph {
  /// What happened in a run: a signal came from outside, or a dendrite has ended.
  ///
  /// A dendrite that has sent several signals has a response for each of them.
  public struct Response: Sendable {
    /// The neuron of the dendrite; `nil`: the signal came from outside.
    public var neuron: String?
    /// The signal that came, or those that the dendrite has handled.
    public let inputs: [Signal]
    /// What the dendrite has sent.
    public var output: Signal?
    /// What the dendrite has thrown, or why its signal was not delivered.
    public var error: (any Error)?
    /// How many dendrites of the run wait or run, and how many responses follow at once. The run ends with 0.
    public let queueLength: Int
  }

  /// What became of a run.
  public struct Report: Sendable {
    /// How many dendrites have run.
    public internal(set) var dendrites = 0
    /// How many signals they have sent.
    public internal(set) var hops = 0
    /// The signals by collaterals that no dendrite has, in their order: the results of the run.
    public internal(set) var results: [Signal] = []
    /// How many signals were left waiting for others, at dendrites that join.
    public internal(set) var unjoined = 0

    /// The results by one collateral, in their order.
    public func values<Value>(of collateral: Collateral<Value>) -> [Value] {
      results.compactMap { $0.value(of: collateral) }
    }
  }

  /// Dendrites have failed in a run, which has gone on without what they would have sent.
  public struct Failure: Error, CustomStringConvertible {
    /// What became of the run besides.
    public let report: Report
    /// What failed, in its order; one or more.
    public let faults: [Fault]

    public var description: String { faults.map(\.description).joined(separator: "\n") }
  }

  /// A dendrite has failed.
  public struct Fault: Sendable, CustomStringConvertible {
    /// The neuron of the dendrite.
    public let neuron: String
    /// What it handled.
    public let inputs: [Signal]
    /// What it has thrown, or why a signal of it was not delivered.
    public let error: any Error

    public var description: String {
      "Neuron '\(neuron)' failed on \(inputs.map(\.description).joined(separator: ", ")): \(error)"
    }
  }

  /// A signal was not delivered, because the dendrites of the run had sent as many as it allows.
  public struct TooManyHops: Error, Hashable, CustomStringConvertible {
    /// How many it allows.
    public let limit: Int

    public var description: String { "The run has more than \(limit) hops." }
  }

  /// A mistake in a graph, or in its use.
  public enum Mistake: Error, Hashable, CustomStringConvertible {
    /// Two neurons have this name.
    case duplicateNeuron(String)
    /// A collateral with this label is in two axons, or two collaterals have this label.
    case duplicateCollateral(String)
    /// A dendrite of this neuron has a collateral that is in no axon of the graph.
    case unownedCollateral(String, neuron: String)
    /// A dendrite of this neuron has no collateral.
    case noCollateral(neuron: String)
    /// The dendrites that join have so many collaterals together, more than the limit.
    case tooManyJoins(inputs: Int, limit: Int)
    /// A signal by a collateral that is in no axon of the graph.
    case foreign(String)

    public var description: String {
      switch self {
      case .duplicateNeuron(let name): "Two neurons are called '\(name)'."
      case .duplicateCollateral(let label): "The collateral '\(label)' is in the graph twice."
      case .unownedCollateral(let label, let neuron):
        "A dendrite of neuron '\(neuron)' has the collateral '\(label)', which no axon of the graph has."
      case .noCollateral(let neuron): "A dendrite of neuron '\(neuron)' has no collateral."
      case .tooManyJoins(let inputs, let limit):
        "The dendrites that join have \(inputs) collaterals together, more than \(limit)."
      case .foreign(let label): "No axon of the graph has the collateral '\(label)'."
      }
    }
  }
}
