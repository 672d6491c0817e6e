extension NeuronGraph {
  /// The names of the neurons, in the order of the graph.
  public var neurons: [String] { topology.neurons.map(\.name) }

  /// The neuron that sends by a collateral.
  ///
  /// ```swift
  /// let cook = restaurant.owner(of: kitchen.cooked)                   // "kitchen"
  /// let eaters = restaurant.subscribers(of: kitchen.cooked)           // ["waiter"]
  /// let next = restaurant.successors(of: "kitchen")                   // ["waiter"]
  /// let before = restaurant.ancestors(of: "waiter")                   // ["kitchen"]
  /// let isInCycle = restaurant.component(of: "kitchen").count > 1     // false
  /// ```
  ///
  /// - Returns: `nil` if its signals come from outside only, or if it is not of this graph.
  /// - Complexity: O(1).
  public func owner<Value>(of collateral: Collateral<Value>) -> String? {
    topology.owners[collateral.identity].map { topology.neurons[$0].name }
  }

  /// The neurons that a signal by the collateral reaches: a name for each dendrite, in the order of the graph.
  ///
  /// - Complexity: O(dendrites that it reaches).
  public func subscribers<Value>(of collateral: Collateral<Value>) -> [String] {
    (topology.targets[collateral.identity] ?? []).map { target in
      switch target {
      case .dendrite(let dendrite): topology.neurons[topology.neuron(of: dendrite)].name
      case .join(let join, _): topology.neurons[topology.neuron(of: topology.joins[join].dendrite)].name
      }
    }
  }

  /// The neurons that get signals from this one, without another in between. None for a name that is not of this graph.
  ///
  /// - Complexity: O(neurons).
  public func successors(of neuron: String) -> [String] {
    topology.neurons.firstIndex { $0.name == neuron }.map { names(topology.successors[$0]) } ?? []
  }

  /// The neurons from which a signal can reach this one, directly or not. The neuron itself is among them if it is in a
  /// cycle.
  ///
  /// - Complexity: O(neurons × edges).
  public func ancestors(of neuron: String) -> [String] {
    guard let index = topology.neurons.firstIndex(where: { $0.name == neuron }) else { return [] }
    var found: Set<Int> = []
    var next = [index]
    while let reached = next.popLast() {
      for (candidate, successors) in topology.successors.enumerated() where successors.contains(reached) {
        if found.insert(candidate).inserted { next.append(candidate) }
      }
    }
    return names(found.sorted())
  }

  /// The strongly connected components: neurons that reach each other are in one component. The first components reach
  /// no others.
  public var components: [[String]] { topology.components.nodes.map(names) }

  /// The neurons that this one reaches and that reach it, with the neuron itself. None for a name that is not of this
  /// graph.
  ///
  /// - Complexity: O(neurons).
  public func component(of neuron: String) -> [String] {
    components.first { $0.contains(neuron) } ?? []
  }

  private func names(_ indices: [Int]) -> [String] { indices.map { topology.neurons[$0].name } }
}
