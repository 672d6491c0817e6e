extension NeuronGraph {
  /// An event in a run: a signal came from outside, or a dendrite has ended.
  ///
  /// A dendrite that has sent several signals has a response for each of them.
  ///
  /// ```swift
  /// try await restaurant.stimulate(entrance.placed(order)) { (response: NeuronGraph.Response) in
  ///   print(response.neuron ?? "outside", response.inputs, response.queueLength)
  /// }
  /// ```
  public struct Response: Sendable {
    /// The neuron of the dendrite; `nil`: the signal came from outside.
    public var neuron: String?
    /// The signal that came, or the signals that the dendrite has handled.
    public let inputs: [Signal]
    /// The signal that the dendrite has sent.
    public var output: Signal?
    /// The error that the dendrite has thrown, or the reason why its signal was not delivered.
    public var error: (any Error)?
    /// The number of the run's dendrites that wait or run, and of responses that follow at once. The run ends with 0.
    public let queueLength: Int
    /// The neurons that no signal of the run can reach any more, from this response on: neither a dendrite that waits
    /// or runs nor the signals that it may send reach them. Each neuron of the graph is in one response of a run, if
    /// the run ends by itself.
    ///
    /// ```swift
    /// if response.finished.contains("kitchen") { turnOffTheStove() }
    /// ```
    public var finished: [String] = []
  }

  /// The result of a run.
  ///
  /// ```swift
  /// let report: NeuronGraph.Report = try await restaurant.stimulate(entrance.placed(order))
  /// let dishes = report.values(of: kitchen.cooked)
  /// ```
  public struct Report: Sendable {
    /// The number of dendrites that have run.
    public internal(set) var dendrites = 0
    /// The number of signals that they have sent.
    public internal(set) var hops = 0
    /// The signals by collaterals that no dendrite has, in their order: the results of the run.
    public internal(set) var results: [Signal] = []
    /// The number of signals that were left waiting for others, at dendrites that join.
    public internal(set) var unjoined = 0

    /// The results by one collateral, in their order.
    ///
    /// - Complexity: O(results).
    public func values<Value>(of collateral: Collateral<Value>) -> [Value] {
      results.compactMap { $0.value(of: collateral) }
    }
  }

  /// The error of a run in which dendrites have failed. The run has gone on without their signals.
  ///
  /// ```swift
  /// do {
  ///   try await restaurant.stimulate(entrance.placed(order), maxHops: 100)
  /// } catch CallError.failed(let failure as NeuronGraph.Failure) {
  ///   for fault in failure.faults where fault.error is NeuronGraph.TooManyHops { print(fault) }
  /// }
  /// ```
  public struct Failure: Error, CustomStringConvertible {
    /// The result of the rest of the run.
    public let report: Report
    /// The failures, in their order; one or more.
    public let faults: [Fault]

    public var description: String { faults.map(\.description).joined(separator: "\n") }
  }

  /// The failure of one dendrite.
  public struct Fault: Sendable, CustomStringConvertible {
    /// The neuron of the dendrite.
    public let neuron: String
    /// The signals that the dendrite handled.
    public let inputs: [Signal]
    /// The error that it has thrown, or the reason why its signal was not delivered.
    public let error: any Error

    public var description: String {
      "Neuron '\(neuron)' failed on \(inputs.map(\.description).joined(separator: ", ")): \(error)"
    }
  }

  /// The reason why a signal was not delivered: the dendrites of the run had sent as many as the run allows.
  public struct TooManyHops: Error, Hashable, CustomStringConvertible {
    /// The number of signals that the run allows.
    public let limit: Int

    public var description: String { "The run has more than \(limit) hops." }
  }

  /// A mistake in a graph, or in its use.
  ///
  /// ```swift
  /// do throws(NeuronGraph.Mistake) { _ = try NeuronGraph(entrance: entrance, neurons: []) } catch { print(error) }
  /// ```
  public enum Mistake: Error, Hashable, CustomStringConvertible {
    /// Two neurons have this name.
    case duplicateNeuron(String)
    /// A collateral with this label is in two axons, or two collaterals have this label.
    case duplicateCollateral(String)
    /// A dendrite of this neuron has a collateral that is in no axon of the graph.
    case unownedCollateral(String, neuron: String)
    /// A dendrite of this neuron has no collateral.
    case noCollateral(neuron: String)
    /// The dendrites that join have more collaterals together than the limit.
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
