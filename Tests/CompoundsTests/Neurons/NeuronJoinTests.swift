import Compounds
import Crucible
import CrucibleTestSupport
import Testing

private struct Entrance: Axon {
  let left = Collateral<Int>("left")
  let right = Collateral<String>("right")
}

private struct Pairs: Axon {
  let pair = Collateral<String>("pair")
}

@Suite(.watched)
struct `A dendrite that joins` {
  private let entrance = Entrance()
  private let pairs = Pairs()

  private func joining(_ options: Soup.Options, concurrency: Int? = nil) throws -> NeuronGraph {
    try NeuronGraph(
      entrance: entrance,
      neurons: [
        Neuron("pairs", pairs, concurrency: concurrency) { neuron in
          neuron.dendrite(Joined(entrance.left, entrance.right)) { joined, axon in
            [axon.pair("\(joined.0)\(joined.1)")]
          }
        }
      ], options: options)
  }

  @Test(arguments: matchers)
  func `A dendrite that joins gets the oldest value of each, in its own run`(matcher: Matcher) async throws {
    let graph = try joining(.init(matcher: matcher))
    let (left, right) = (entrance.left, entrance.right)
    let report = try await graph.stimulate(left(1), left(2), right("a"), left(3), right("b"))
    #expect(report.values(of: pairs.pair) == ["1a", "2b"])
    #expect(report.unjoined == 1 && report.dendrites == 2)
    #expect(try await graph.stimulate(right("c")).unjoined == 1)
    #expect(try await graph.stimulate(left(4)).values(of: pairs.pair) == [])
  }

  @Test(arguments: matchers)
  func `A dendrite that joins gets several values of one collateral, and arrays`(matcher: Matcher) async throws {
    struct Sums: Axon {
      let two = Collateral<Int>("two")
      let all = Collateral<[Int]>("all")
    }
    let (numbers, others, sums) = (Numbers("numbers"), Numbers("others"), Sums())
    let graph = try matcher.graph(
      numbers,
      Neuron("doubling", others) { neuron in
        neuron.dendrite(numbers.out) { n, axon in [axon.out(2 * n)] }
      },
      Neuron("sums", sums) { neuron in
        neuron.dendrite(Joined(numbers.out, numbers.out)) { joined, axon in [axon.two(joined.0 - joined.1)] }
        neuron.dendrite(Joined(all: [others.out, numbers.out, others.out])) { all, axon in [axon.all(all)] }
      })
    let report = try await graph.stimulate(numbers.out(1), numbers.out(2), numbers.out(4), numbers.out(7))
    #expect(report.values(of: sums.two) == [-1, -3])
    #expect(report.values(of: sums.all) == [[2, 1, 4], [8, 2, 14]])
    #expect(report.unjoined == 2)
  }

  @Test func `A dendrite that joins runs in the order of its youngest signal`() async throws {
    let (steps, entrance, pairs) = (Numbers("steps"), entrance, pairs)
    let log = Log<String>()
    let graph = try NeuronGraph(
      entrance: entrance,
      neurons: [
        Neuron("pairs", pairs) { neuron in
          neuron.dendrite(Joined(entrance.left, entrance.right)) { joined, axon in
            log.append("\(joined.0)\(joined.1)")
            return []
          }
        },
        Neuron("left", steps) { neuron in
          neuron.dendrite(entrance.left) { n, _ in
            log.append("\(n)")
            return []
          }
        },
        Neuron("right", NoAxon()) { neuron in
          neuron.dendrite(entrance.right) { text, _ in
            log.append(text)
            return []
          }
        },
      ])
    for _ in 1...20 {
      let before = log.count
      try await graph.stimulate(
        entrance.left(1), entrance.left(2), entrance.right("a"), entrance.left(3), entrance.right("b"))
      #expect(log.all.dropFirst(before) == ["1", "2", "1a", "a", "3", "2b", "b"])
    }
  }
}
