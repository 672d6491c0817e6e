import Crucible

extension NeuronGraph {
  /// The progress of a run: a state of its soup.
  struct Run {
    private let topology: Topology
    private let maxHops: Int
    var caller: Call<[Signal], Report>?
    /// The number of dendrites that have all their signals: they wait for a slot, or run.
    private var pending = 0
    private var report = Report()
    private var faults: [Fault] = []
    /// For each dendrite that joins, the number of signals on each input, less those of the firings that are pending or
    /// over.
    private var gathered: [[Int]]
    private var liveness: Liveness
    private var cells: [Int: ContextCell] = [:]

    init(_ topology: Topology, _ maxHops: Int) {
      self.topology = topology
      self.maxHops = maxHops
      gathered = topology.joins.map { $0.needed.map { _ in 0 } }
      liveness = Liveness(topology.components)
    }

    /// Delivers the first signals of the run.
    mutating func begin(_ signals: [Signal], _ tell: (Response) -> Void) -> [(Topology.Target, Signal)] {
      let deliveries = signals.flatMap { deliver($0) }
      let finished = names(of: liveness.dead)
      for (index, signal) in signals.enumerated() {
        let rest = signals.count - 1 - index
        tell(Response(inputs: [signal], queueLength: pending + rest, finished: rest == 0 ? finished : []))
      }
      return deliveries
    }

    /// Delivers the signals that a dendrite sent.
    mutating func end(_ ending: Ending, _ tell: (Response) -> Void) -> [(Topology.Target, Signal)] {
      let neuron = topology.neuron(of: ending.dendrite)
      var deliveries: [(Topology.Target, Signal)] = []
      var told: [(Signal?, (any Error)?)] = []
      report.dendrites += 1
      switch ending.result {
      case .success(let outputs):
        for output in outputs {
          let error = refusal(of: output)
          if error == nil { deliveries += deliver(output) }
          told.append((output, error))
        }
        if outputs.isEmpty { told.append((nil, nil)) }
      case .failure(let error): told.append((nil, error))
      }
      // After the delivery: the dendrite's signals keep the neurons alive that they reach.
      pending -= 1
      let dead = liveness.end(topology.components.ofNode[neuron])
      for component in dead {
        for neuron in topology.components.nodes[component] { cells[neuron] = nil }
      }
      let finished = names(of: dead)

      let name = topology.neurons[neuron].name
      for (index, (output, error)) in told.enumerated() {
        if let error { faults.append(Fault(neuron: name, inputs: ending.signals, error: error)) }
        let rest = told.count - 1 - index
        tell(
          Response(
            neuron: name, inputs: ending.signals, output: output, error: error, queueLength: pending + rest,
            finished: rest == 0 ? finished : []))
      }
      return deliveries
    }

    /// Replies to the caller once no signal is in progress.
    mutating func endIfOver() {
      guard pending == 0 else { return }
      report.unjoined = gathered.reduce(0) { $0 + $1.reduce(0, +) }
      if faults.isEmpty { caller?.reply(report) } else { caller?.fail(Failure(report: report, faults: faults)) }
      caller = nil
    }

    /// Returns the context of a neuron that runs.
    mutating func cell(of neuron: Int) -> ContextCell {
      if let cell = cells[neuron] { return cell }
      let (name, make) = (topology.neurons[neuron].name, topology.neurons[neuron].makeContext!)
      cells[neuron] = ContextCell(name, make())
      return cells[neuron]!
    }

    /// The names of the neurons of some components, in the order of the graph.
    private func names(of components: [Int]) -> [String] {
      components.flatMap { topology.components.nodes[$0] }.sorted().map { topology.neurons[$0].name }
    }

    private mutating func refusal(of output: Signal) -> (any Error)? {
      guard topology.targets[output.identity] != nil else { return Mistake.foreign(output.collateral) }
      guard report.hops < maxHops else { return TooManyHops(limit: maxHops) }
      report.hops += 1
      return nil
    }

    private mutating func deliver(_ signal: Signal) -> [(Topology.Target, Signal)] {
      let targets = topology.targets[signal.identity]!
      if targets.isEmpty { report.results.append(signal) }
      for target in targets {
        switch target {
        case .dendrite(let dendrite): expect(dendrite)
        case .join(let number, let input):
          let join = topology.joins[number]
          gathered[number][input] += 1
          guard zip(gathered[number], join.needed).allSatisfy({ $0 >= $1 }) else { continue }
          for input in join.needed.indices { gathered[number][input] -= join.needed[input] }
          expect(join.dendrite)
        }
      }
      return targets.map { ($0, signal) }
    }

    private mutating func expect(_ dendrite: Int) {
      pending += 1
      liveness.begin(topology.components.ofNode[topology.neuron(of: dendrite)])
    }
  }
}
