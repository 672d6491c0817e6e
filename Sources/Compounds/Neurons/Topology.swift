/// The dendrites that get each signal. Fixed when a graph is built.
final class Topology: Sendable {
  /// A dendrite that a signal reaches.
  enum Target: Sendable {
    case dendrite(Int)
    /// The number of a dendrite among those that join, and of one of its collaterals.
    case join(Int, Int)
  }

  /// A dendrite with several collaterals.
  struct Join: Sendable {
    let dendrite: Int
    /// Its collaterals, each once.
    let inputs: [CollateralIdentity]
    /// For each value that it joins, the number of the collateral in `inputs`.
    let pattern: [Int]
    /// The number of signals of each input that one firing takes.
    let needed: [Int]
  }

  let neurons: [Neuron]
  let dendrites: [Dendrite]
  let joins: [Join]
  /// The targets of each collateral of the graph.
  let targets: [CollateralIdentity: [Target]]
  /// The neuron that sends by each collateral.
  let owners: [CollateralIdentity: Int]
  /// For each neuron, the neurons that it can send to, each once.
  let successors: [[Int]]
  /// The components of the neurons.
  let components: StrongComponents
  private let neuronsOfDendrites: [Int]

  init(entrance: [CollateralIdentity], neurons: [Neuron]) throws(NeuronGraph.Mistake) {
    var names: Set<String> = []
    for neuron in neurons where !names.insert(neuron.name).inserted { throw .duplicateNeuron(neuron.name) }

    var targets: [CollateralIdentity: [Target]] = [:]
    var owners: [CollateralIdentity: Int] = [:]
    var labels: Set<String> = []
    for (owner, axon) in zip((-1)..., [entrance] + neurons.map(\.axon)) {
      for collateral in axon {
        guard labels.insert(collateral.label).inserted else { throw .duplicateCollateral(collateral.label) }
        targets[collateral] = []
        if owner >= 0 { owners[collateral] = owner }
      }
    }

    var dendrites: [Dendrite] = []
    var joins: [Join] = []
    var neuronsOfDendrites: [Int] = []
    var successors = neurons.map { _ in Set<Int>() }
    for (index, neuron) in neurons.enumerated() {
      for dendrite in neuron.dendrites {
        for input in dendrite.inputs {
          guard targets[input] != nil else { throw .unownedCollateral(input.label, neuron: neuron.name) }
          if let owner = owners[input] { successors[owner].insert(index) }
        }
        switch dendrite.inputs.count {
        case 0: throw .noCollateral(neuron: neuron.name)
        case 1: targets[dendrite.inputs[0]]!.append(.dendrite(dendrites.count))
        default:
          let join = Join(dendrites.count, dendrite.inputs)
          for (input, collateral) in join.inputs.enumerated() {
            targets[collateral]!.append(.join(joins.count, input))
          }
          joins.append(join)
        }
        dendrites.append(dendrite)
        neuronsOfDendrites.append(index)
      }
    }
    let inputs = joins.reduce(0) { $0 + $1.inputs.count }
    if inputs > Topology.mostJoinedInputs { throw .tooManyJoins(inputs: inputs, limit: Topology.mostJoinedInputs) }

    self.neurons = neurons
    self.dendrites = dendrites
    self.joins = joins
    self.targets = targets
    self.owners = owners
    self.neuronsOfDendrites = neuronsOfDendrites
    self.successors = successors.map { $0.sorted() }
    components = StrongComponents(of: self.successors)
  }

  /// `arrival` serves 64 connected names. The run itself needs the rest of them.
  static let mostJoinedInputs = 56

  func neuron(of dendrite: Int) -> Int { neuronsOfDendrites[dendrite] }
}

extension Topology.Join {
  init(_ dendrite: Int, _ collaterals: [CollateralIdentity]) {
    var inputs: [CollateralIdentity] = []
    var needed: [Int] = []
    let pattern = collaterals.map { collateral in
      if let known = inputs.firstIndex(of: collateral) {
        needed[known] += 1
        return known
      }
      inputs.append(collateral)
      needed.append(1)
      return inputs.count - 1
    }
    self.init(dendrite: dendrite, inputs: inputs, pattern: pattern, needed: needed)
  }
}
