import Compounds
import Crucible
import CrucibleTestSupport
import Dispatch
import Testing

/// Collaterals in all places where an axon may have them.
private struct Many: Axon {
  struct Inner: Sendable { let deep = Collateral<Int>("deep") }
  let list = [Collateral<Int>("0"), Collateral<Int>("1")]
  let maybe: Collateral<Int>? = Collateral("maybe")
  let none: Collateral<Int>? = nil
  let table = ["a": [Collateral<Int>("in table")]]
  let pair = (Collateral<Int>("left"), right: Collateral<String>("right"))
  let inner = Inner()
  let count = 3
}

@Suite(.watched)
struct `The axons and the responses of a neuron graph` {
  @Test(arguments: matchers)
  func `A graph finds the collaterals of an axon in containers, tuples and structs`(matcher: Matcher) async throws {
    let (many, out) = (Many(), Numbers("out"))
    let graph = try matcher.graph(
      many,
      Neuron("sum", out) { neuron in
        for collateral in many.list + [many.maybe!, many.pair.0, many.inner.deep] + many.table["a"]! {
          neuron.dendrite(collateral) { number, axon in [axon.out(number)] }
        }
        neuron.dendrite(many.pair.right) { text, axon in [axon.out(text.count)] }
      })
    let report = try await graph.stimulate(
      many.list[0](1), many.list[1](2), many.maybe!(3), many.pair.0(4), many.inner.deep(5), many.table["a"]![0](6),
      many.pair.right("seven"))
    #expect(report.values(of: out.out).sorted() == [1, 2, 3, 4, 5, 5, 6])
  }

  @Test func `A graph refuses two collaterals of one label, also within an array`() {
    struct Twice: Axon { let list = [Collateral<Int>("a"), Collateral<Int>("a")] }
    #expect(throws: NeuronGraph.Mistake.duplicateCollateral("a")) { try NeuronGraph(entrance: Twice(), neurons: []) }
  }

  /// in → a ⇄ b → c, and d, which no signal of the run reaches.
  @Test(arguments: matchers)
  func `The responses of a run say which neurons no signal can reach any more`(matcher: Matcher) async throws {
    let (entrance, a, b, other) = (Numbers("in"), Numbers("a"), Numbers("b"), Numbers("other"))
    let graph = try matcher.graph(
      entrance,
      Neuron("a", a) { neuron in
        neuron.dendrite(entrance.out) { number, axon in [axon.out(number)] }
        neuron.dendrite(b.out) { number, axon in number > 0 ? [axon.out(number - 1)] : [] }
      },
      Neuron("b", b) { neuron in neuron.dendrite(a.out) { number, axon in [axon.out(number)] } },
      Neuron("c", NoAxon()) { neuron in neuron.dendrite(b.out) { _, _ in [] } },
      Neuron("d", other) { neuron in neuron.dendrite(other.out) { _, _ in [] } })
    for concurrency in [1, 4] {
      let responses = Log<NeuronGraph.Response>()
      try await graph.stimulate(entrance.out(2), concurrency: concurrency) { responses.append($0) }
      #expect(responses.all.flatMap(\.finished).sorted() == ["a", "b", "c", "d"])
      #expect(responses.all.first?.finished == ["d"])
      var finished: Set<String> = []
      for response in responses.all {
        if let neuron = response.neuron { #expect(!finished.contains(neuron)) }
        finished.formUnion(response.finished)
      }
    }
  }

  @Test(arguments: matchers)
  func `Each run of a graph has a placement of its own`(matcher: Matcher) async throws {
    let (entrance, out) = (Numbers("in"), Numbers("out"))
    let mark = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "of one run")
    queue.setSpecific(key: mark, value: true)
    let graph = try matcher.graph(
      entrance,
      Neuron("one", out) { neuron in
        neuron.dendrite(entrance.out) { _, axon in [axon.out(isMarked(mark) ? 1 : 0)] }
      })
    #expect(try await graph.stimulate(entrance.out(1)).values(of: out.out) == [0])
    #expect(try await graph.stimulate(entrance.out(1), on: .queue(queue)).values(of: out.out) == [1])
    #expect(try await graph.stimulate(entrance.out(1)).values(of: out.out) == [0])
    let blocked = try await onThread { () throws in
      try graph.blocking.stimulate(entrance.out(1), on: .queue(queue)).values(of: out.out)
    }
    #expect(blocked == [1])
  }
}

private func isMarked(_ mark: DispatchSpecificKey<Bool>) -> Bool { DispatchQueue.getSpecific(key: mark) == true }
