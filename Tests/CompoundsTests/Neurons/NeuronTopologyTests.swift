import Compounds
import Crucible
import CrucibleTestSupport
import Testing

@Suite(.watched)
struct `The topology of a neuron graph` {
  private func neuron(_ name: String, _ axon: some Axon, _ inputs: Collateral<Int>...) -> Neuron {
    Neuron(name, axon) { neuron in
      for input in inputs { neuron.dendrite(input) { _, _ in [] } }
    }
  }

  @Test func `The topology of a neuron graph has owners, subscribers, ways and components`() throws {
    let (entrance, a, b, c) = (Numbers("in"), Numbers("a"), Numbers("b"), Numbers("c"))
    let graph = try NeuronGraph(
      entrance: entrance,
      neurons: [
        neuron("A", a, entrance.out, b.out), neuron("B", b, a.out, a.out), neuron("C", c, b.out),
        Neuron("D", NoAxon()) { $0.dendrite(Joined(c.out, a.out)) { _, _ in [] } },
      ])
    #expect(graph.neurons == ["A", "B", "C", "D"])
    #expect(graph.owner(of: a.out) == "A" && graph.owner(of: entrance.out) == nil)
    #expect(graph.subscribers(of: a.out) == ["B", "B", "D"] && graph.subscribers(of: entrance.out) == ["A"])
    #expect(graph.subscribers(of: Numbers("else").out) == [])
    #expect(
      graph.successors(of: "A") == ["B", "D"] && graph.successors(of: "D") == [] && graph.successors(of: "?") == [])
    #expect(graph.ancestors(of: "A") == ["A", "B"] && graph.ancestors(of: "D") == ["A", "B", "C"])
    #expect(graph.ancestors(of: "?") == [] && graph.component(of: "?") == [])
    #expect(graph.components == [["D"], ["C"], ["A", "B"]])
    #expect(graph.component(of: "B") == ["A", "B"] && graph.component(of: "C") == ["C"])
  }

  @Test func `The components of random neuron graphs are neurons that reach each other`() throws {
    var random = Seeded(7)
    for _ in 1...40 {
      let count = Int.random(in: 1...9, using: &random)
      let axons = (0..<count).map { Numbers("\($0)") }
      let neurons = (0..<count).map { index in
        Neuron("\(index)", axons[index]) { neuron in
          for other in 0..<count where Int.random(in: 0..<count, using: &random) == 0 {
            neuron.dendrite(axons[other].out) { _, _ in [] }
          }
        }
      }
      let graph = try NeuronGraph(entrance: NoAxon(), neurons: neurons)
      var seen: Set<String> = []
      for name in graph.neurons {
        let reached = Set(graph.neurons.filter { graph.ancestors(of: $0).contains(name) })
        #expect(Set(graph.component(of: name)) == reached.intersection(graph.ancestors(of: name)).union([name]))
      }
      for component in graph.components {
        // The first components reach no others.
        for name in component { #expect(Set(graph.successors(of: name)).isSubset(of: seen.union(component))) }
        seen.formUnion(component)
      }
      #expect(seen.count == count)
    }
  }

  @Test func `A neuron graph with a mistake in its topology throws an error`() {
    let (entrance, a) = (Numbers("in"), Numbers("a"))
    expect(.duplicateNeuron("A"), entrance, [neuron("A", a), neuron("A", NoAxon())])
    expect(.duplicateCollateral("a"), entrance, [neuron("A", a), neuron("B", a)])
    expect(.duplicateCollateral("in"), entrance, [neuron("A", Numbers("in"))])
    expect(.duplicateCollateral("a"), a, [neuron("A", a)])
    expect(.unownedCollateral("a", neuron: "A"), entrance, [neuron("A", NoAxon(), a.out)])
    let deaf = Neuron("A", a) { $0.dendrite(Joined(all: [Collateral<Int>]())) { _, _ in [] } }
    expect(.noCollateral(neuron: "A"), entrance, [deaf])
    let many = (1...57).map { Numbers("\($0)") }
    let wide = Neuron("wide", NoAxon()) { $0.dendrite(Joined(all: many.map(\.out))) { _, _ in [] } }
    expect(.tooManyJoins(inputs: 57, limit: 56), entrance, [wide] + many.map { neuron($0.out.description, $0) })
    #expect(
      "\(NeuronGraph.Mistake.unownedCollateral("a", neuron: "A"))".contains("'A' has the collateral 'a', which no"))
  }

  private func expect(_ mistake: NeuronGraph.Mistake, _ entrance: some Axon, _ neurons: [Neuron]) {
    #expect(throws: mistake) { try NeuronGraph(entrance: entrance, neurons: neurons) }
  }
}
