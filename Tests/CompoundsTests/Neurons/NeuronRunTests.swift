import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Makes a graph whose one neuron waits as the test says.
private func waiting(
  _ entrance: Numbers, concurrency: Int? = nil, _ options: Soup.Options,
  _ work: @escaping @Sendable (Int) async throws -> Void
) throws -> NeuronGraph {
  try NeuronGraph(
    entrance: entrance,
    neurons: [
      Neuron("waiting", Numbers("out"), concurrency: concurrency) { neuron in
        neuron.dendrite(entrance.out) { n, axon in
          try await work(n)
          return [axon.out(n)]
        }
      }
    ], options: options)
}

/// Counts the bodies that are inside at a time.
private struct Crowd: Sendable {
  private let inside = Tally()
  private let counts = Log<Int>()

  var most: Int { counts.all.max() ?? 0 }
  func enter() { counts.append(inside.add()) }
  func leave() { inside.add(-1) }
}

@Suite(.watched)
struct `A run of a neuron graph` {
  private let entrance = Numbers("in")

  @Test(arguments: matchers)
  func `A neuron run ends with an error when its dendrites send too many signals`(matcher: Matcher) async throws {
    let ring = Numbers("ring")
    let graph = try matcher.graph(
      entrance,
      Neuron("ring", ring) { [entrance] neuron in
        neuron.dendrite(entrance.out) { n, axon in [axon.out(n)] }
        neuron.dendrite(ring.out) { n, axon in n == 0 ? [] : [axon.out(n - 1)] }
      })
    #expect(try await graph.stimulate(entrance.out(20), maxHops: 21).hops == 21)
    let responses = Log<NeuronGraph.Response>()
    let error = await #expect(throws: CallError.self) {
      try await graph.stimulate(entrance.out(20), maxHops: 5) { responses.append($0) }
    }
    #expect(error?.ofRun?.faults.map { ($0.error as? NeuronGraph.TooManyHops)?.limit } == [5])
    #expect(error?.ofRun?.report.hops == 5)
    let last = try #require(responses.all.last)
    #expect(last.error is NeuronGraph.TooManyHops && last.output?.value(of: ring.out) == 15 && last.queueLength == 0)
  }

  @Test(arguments: matchers)
  func `A run of a neuron graph has as many dendrites at a time as it may`(matcher: Matcher) async throws {
    let crowd = Crowd()
    let together = Barrier(parties: 3)
    let graph = try waiting(entrance, .init(matcher: matcher)) { n in
      crowd.enter()
      if n > 0 { try await together.arrive() } else { await Task.yield() }
      crowd.leave()
    }
    let signals = (entrance.out(1), entrance.out(2), entrance.out(3))
    #expect(try await graph.stimulate(signals.0, signals.1, signals.2, concurrency: 3).dendrites == 3)
    #expect(crowd.most == 3)
    let alone = Crowd()
    let single = try waiting(entrance, .init(matcher: matcher)) { _ in
      alone.enter()
      await Task.yield()
      alone.leave()
    }
    try await single.stimulate(signals.0, signals.1, signals.2)
    #expect(alone.most == 1)
  }

  @Test(arguments: matchers)
  func `A run of a neuron graph shares a neuron's concurrency with other runs`(matcher: Matcher) async throws {
    let crowd = Crowd()
    let graph = try waiting(entrance, concurrency: 2, .init(matcher: matcher)) { _ in
      crowd.enter()
      for _ in 1...5 { await Task.yield() }
      crowd.leave()
    }
    try await withThrowingTaskGroup { group in
      for n in 1...6 {
        group.addTask { [entrance] in
          let report = try await graph.stimulate(entrance.out(n), entrance.out(-n), concurrency: 2)
          #expect(report.dendrites == 2)
        }
      }
      try await group.waitForAll()
    }
    #expect(crowd.most <= 2)
  }

  /// A dendrite of each graph is inside, and neither goes on without the other.
  @Test(arguments: matchers)
  func `A neuron of two graphs has its limit in each of them`(matcher: Matcher) async throws {
    let both = Latch(2)
    let neuron = Neuron("waiting", Numbers("out"), concurrency: 1) { [entrance] neuron in
      neuron.dendrite(entrance.out) { n, axon in
        both.countDown()
        await both.wait()
        return [axon.out(n)]
      }
    }
    let (one, other) = (try matcher.graph(entrance, neuron), try matcher.graph(entrance, neuron))
    async let report = one.stimulate(entrance.out(1), within: patience)
    #expect(try await other.stimulate(entrance.out(2), within: patience).dendrites == 1)
    #expect(try await report.dendrites == 1)
  }

  @Test(arguments: matchers, CallForm.allCases)
  func `A neuron run ends with its task, event or limit`(matcher: Matcher, form: CallForm) async throws {
    let (clock, census) = (ManualClock(), Census())
    for way in ["task", "event", "limit", "dendrite"] where way != "task" || form == .suspending {
      let (begun, event, ended) = (Gate(), AsyncEvent(), Tally())
      let graph = try waiting(entrance, .init(matcher: matcher, clock: clock)) { [live = census.live()] n in
        defer { ended.add(live.number + 1) }
        begun.open()
        if way == "dendrite" { try await event.set() }
        try await Task.sleep(for: patience * 2)
      }
      let run = Task { [entrance] in
        try await form.perform {
          try await graph.stimulate(entrance.out(1), entrance.out(2), until: event, within: .seconds(1))
        } blocking: {
          try graph.blocking.stimulate(entrance.out(1), entrance.out(2), until: event, within: .seconds(1))
        }
      }
      await begun.wait()
      switch way {
      case "task": run.cancel()
      case "event": try await event.set()
      case "limit": clock.advance(by: .seconds(1))
      default: break
      }
      await #expect(throws: way == "limit" ? CallError.timedOut : .cancelled, "by \(way)") { try await run.value }
      #expect(ended.count == 1, "by \(way)")
    }
    await census.expectExtinction()
  }

  @Test(arguments: matchers)
  func `A run of a neuron graph that is cancelled leaves the permits of its neurons`(matcher: Matcher) async throws {
    let (begun, mayGoOn) = (Gate(), Gate())
    let clock = ManualClock()
    let graph = try waiting(entrance, concurrency: 1, .init(matcher: matcher, clock: clock)) { n in
      if n == 1 {
        begun.open()
        await mayGoOn.wait()
      }
    }
    let first = Task { [entrance] in try await graph.stimulate(entrance.out(1)) }
    await begun.wait()
    await #expect(throws: CallError.timedOut) {
      try await clock.expire { try await graph.stimulate(entrance.out(2), within: $0) }
    }
    mayGoOn.open()
    #expect(try await first.value.dendrites == 1)
    #expect(try await graph.stimulate(entrance.out(3)).dendrites == 1)
  }

  @Test(arguments: matchers)
  func `A neuron run gives each neuron its own context, for one dendrite at a time`(matcher: Matcher) async throws {
    let (sums, made) = (Numbers("sums"), Tally())
    let graph = try matcher.graph(
      entrance,
      Neuron("sums", sums, context: made.add() * 0) { [entrance] neuron in
        neuron.dendrite(entrance.out) { n, axon, sum in
          let before = sum
          await Task.yield()
          sum = before + n
          return [axon.out(sum)]
        }
      })
    #expect(made.count == 0)
    for run in 1...2 {
      let signals = (1...3).map { entrance.out($0) }
      let report = try await graph.stimulate(signals[0], signals[1], signals[2], concurrency: 3)
      #expect(report.values(of: sums.out).max() == 6)
      #expect(made.count == run)
    }
  }

  @Test(arguments: matchers)
  func `A neuron graph frees a context when no signal can reach its neuron`(matcher: Matcher) async throws {
    struct Ring: Axon {
      let again = Collateral<Int>("again")
      let done = Collateral<Int>("done")
    }
    // entrance → first ⇄ second → last: both contexts in the cycle end when the last signal has left it.
    let (first, second, last) = (Ring(), Numbers("back"), Numbers("last"))
    let (census, alive) = (Census(), Log<Int>())
    let graph = try matcher.graph(
      entrance,
      Neuron("first", first, context: census.live()) { [entrance] neuron in
        neuron.dendrite(entrance.out) { n, axon, _ in [axon.again(n)] }
        neuron.dendrite(second.out) { n, axon, live in
          alive.append(census.alive)
          return n == 0 ? [axon.done(live.number)] : [axon.again(n)]
        }
      },
      Neuron("second", second, context: census.live()) { neuron in
        neuron.dendrite(first.again) { n, axon, _ in [axon.out(n - 1)] }
      },
      Neuron("last", last, context: census.live()) { neuron in
        neuron.dendrite(first.done) { n, axon, _ in
          let deadline = ContinuousClock.now + patience
          while census.alive > 1, ContinuousClock.now < deadline { await Task.yield() }
          return [axon.out(census.alive)]
        }
      })
    let report = try await graph.stimulate(entrance.out(3))
    #expect(alive.all == [2, 2, 2])
    #expect(report.values(of: last.out) == [1])
    await census.expectExtinction()
    #expect(census.born == 3)
  }
}
