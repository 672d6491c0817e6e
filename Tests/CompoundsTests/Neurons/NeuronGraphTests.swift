import Compounds
import Crucible
import CrucibleTestSupport
import Testing

struct Numbers: Axon {
  let out: Collateral<Int>
  init(_ label: String) { out = Collateral(label) }
}

struct Failing: Axon {
  let out = Collateral<Int>("good")
  let failed = Collateral<Fault>("bad")
}

extension Matcher {
  func graph(_ entrance: some Axon, _ neurons: Neuron...) throws -> NeuronGraph {
    try NeuronGraph(entrance: entrance, neurons: neurons, options: .init(matcher: self))
  }
}

extension CallError {
  var ofRun: NeuronGraph.Failure? {
    if case .failed(let failure as NeuronGraph.Failure) = self { failure } else { nil }
  }
}

@Suite(.watched)
struct `A neuron graph` {
  /// entrance → a, b; a → c; b → c, with a dendrite for each.
  private func diamond(
    _ options: Soup.Options, _ log: Log<String> = Log()
  ) throws -> (NeuronGraph, Collateral<Int>, Collateral<Int>) {
    let (entrance, a, b, c) = (Numbers("in"), Numbers("a"), Numbers("b"), Numbers("c"))
    let graph = try NeuronGraph(
      entrance: entrance,
      neurons: [
        Neuron("a", a) { neuron in
          neuron.dendrite(entrance.out) { n, axon in
            log.append("a\(n)")
            return [axon.out(n * 10), axon.out(n * 10 + 1)]
          }
        },
        Neuron("b", b) { neuron in
          neuron.dendrite(entrance.out) { n, axon in
            log.append("b\(n)")
            return [axon.out(n * 10 + 2)]
          }
        },
        Neuron("c", c) { neuron in
          neuron.dendrite(a.out) { n, axon in
            log.append("c\(n)")
            return [axon.out(-n)]
          }
          neuron.dendrite(b.out) { n, axon in
            log.append("c\(n)")
            return n > 0 ? [axon.out(-n)] : []
          }
        },
      ], options: options)
    return (graph, entrance.out, c.out)
  }

  @Test(arguments: matchers)
  func `A neuron graph runs its dendrites in the order of their signals`(matcher: Matcher) async throws {
    let log = Log<String>()
    let (graph, entrance, result) = try diamond(.init(matcher: matcher), log)
    for _ in 1...3 {
      let before = log.count
      let report = try await graph.stimulate(entrance(1), entrance(2))
      #expect(
        log.all.dropFirst(before) == ["a1", "b1", "a2", "b2", "c10", "c11", "c12", "c20", "c21", "c22"])
      #expect(report.values(of: result) == [-10, -11, -12, -20, -21, -22])
      #expect(report.dendrites == 10 && report.hops == 12 && report.unjoined == 0)
    }
  }

  @Test(arguments: matchers)
  func `A neuron graph tells a listener each response, and the end of the run`(matcher: Matcher) async throws {
    let (graph, entrance, result) = try diamond(.init(matcher: matcher))
    let (responses, all) = (Log<NeuronGraph.Response>(), Log<String>())
    let subscription = try graph.responses.subscribe { all.append("\($0.inputs)") }
    try await graph.stimulate(entrance(0)) { responses.append($0) }
    let told = responses.all
    #expect(told.map { $0.neuron ?? "-" } == ["-", "a", "a", "b", "c", "c", "c"])
    #expect(
      told.map { $0.inputs.map(\.description).joined() } == [
        "in(0)", "in(0)", "in(0)", "in(0)", "a(0)", "a(1)", "b(2)",
      ])
    #expect(told.map { $0.output?.description ?? "-" } == ["-", "a(0)", "a(1)", "b(2)", "c(0)", "c(-1)", "c(-2)"])
    #expect(told.map(\.queueLength) == [2, 4, 3, 3, 2, 1, 0])
    #expect(told.allSatisfy { $0.error == nil })
    #expect(told[4].output?.value(of: result) == 0 && told[4].output?.value(of: entrance) == nil)
    await subscription.control.settle()
    #expect(all.all == told.map { "\($0.inputs)" })
    await subscription.end()
    try await graph.stimulate(entrance(0))
    #expect(all.count == told.count)
  }

  @Test(arguments: matchers)
  func `A neuron graph sends typed errors by their collateral, and fails the run by all others, which goes on`(
    matcher: Matcher
  ) async throws {
    struct Unexpected: Error, Equatable {}
    let (entrance, failing, mended) = (Numbers("in"), Failing(), Numbers("mended"))
    let graph = try NeuronGraph(
      entrance: entrance,
      neurons: [
        Neuron("failing", failing) { neuron in
          neuron.dendrite(entrance.out, errors: \.failed) { n, axon throws(Fault) in
            if n < 0 { throw Fault(number: n) }
            return [axon.out(n)]
          }
        },
        Neuron("mending", mended) { neuron in
          neuron.dendrite(failing.failed) { fault, axon in [axon.out(fault.number)] }
          neuron.dendrite(failing.out) { n, axon in
            if n == 1 { throw Unexpected() }
            return [axon.out(n)]
          }
        },
      ], options: .init(matcher: matcher, onError: { Issue.record("\($0)") }))
    let report = try await graph.stimulate(entrance.out(-3), entrance.out(2))
    #expect(report.values(of: mended.out) == [-3, 2])

    let errors = Log<NeuronGraph.Response>()
    let error = await #expect(throws: CallError.self) {
      try await graph.stimulate(entrance.out(1), entrance.out(-4), entrance.out(1), entrance.out(5)) { response in
        if response.error != nil { errors.append(response) }
      }
    }
    let failure = try #require(error?.ofRun)
    #expect(failure.faults.map(\.neuron) == ["mending", "mending"])
    #expect(failure.faults.allSatisfy { $0.error is Unexpected && $0.inputs[0].value(of: failing.out) == 1 })
    #expect(
      "\(failure)"
        == Array(repeating: "Neuron 'mending' failed on good(1): Unexpected()", count: 2).joined(separator: "\n"))
    #expect(failure.report.values(of: mended.out) == [-4, 5])
    #expect(errors.all.map { $0.neuron } == ["mending", "mending"])
  }

  @Test(arguments: matchers)
  func `A neuron graph without a neuron to reach ends at once`(matcher: Matcher) async throws {
    let entrance = Numbers("in")
    let graph = try NeuronGraph(entrance: entrance, neurons: [], options: .init(matcher: matcher))
    #expect(try await graph.stimulate(entrance.out(7)).values(of: entrance.out) == [7])
    #expect(try await graph.stimulate().results.isEmpty)
    let foreign = Numbers("in")
    await #expect(throws: CallError.failed(NeuronGraph.Mistake.foreign("in"))) {
      try await graph.stimulate(foreign.out(1))
    }
  }

  @Test(arguments: matchers)
  func `A neuron graph waits for a callback's result, which comes once or fails`(matcher: Matcher) async throws {
    let (entrance, out) = (Numbers("in"), Numbers("out"))
    let (kept, refused) = (Log<Completion<Int>>(), Tally())
    let graph = try matcher.graph(
      entrance,
      Neuron("calling", out) { neuron in
        neuron.dendrite(entrance.out) { n, axon in
          let number: Int = try await Completion.value { completion in
            if n == 0 { return }
            if n == 1 { kept.append(completion) }
            if n == 3 { throw Fault(number: n) }
            if !completion(n) { refused.add() }
            if !completion(n + 1) { refused.add() }
          }
          return [axon.out(number)]
        }
      })
    #expect(try await graph.stimulate(entrance.out(1), entrance.out(2)).values(of: out.out) == [1, 2])
    #expect(refused.count == 2 && kept.all.count == 1 && !kept.all[0](5))
    for (number, reason) in [(0, .neverReplied), (3, CallError.failed(Fault(number: 3)))] {
      let error = await #expect(throws: CallError.self) { try await graph.stimulate(entrance.out(number)) }
      #expect(error?.ofRun?.faults.map { $0.error as? CallError } == [reason])
    }
  }
}
