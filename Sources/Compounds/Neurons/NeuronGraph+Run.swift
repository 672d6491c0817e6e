import Crucible

extension NeuronGraph {
  /// A signal that a dendrite is to handle.
  struct Arrival: Sendable {
    let dendrite: Int
    let signal: Signal
  }

  /// A dendrite that has ended.
  struct Ending: Sendable {
    let dendrite: Int
    let signals: [Signal]
    let result: Result<[Signal], any Error>
  }

  /// Makes the soup of a run. A call of the returned name begins the run.
  func defineRun(
    _ maxHops: Int, _ concurrency: Int, _ placement: Placement?, until event: AsyncEvent?, _ file: StaticString,
    _ line: UInt, tell: @escaping @Sendable (Response) -> Void
  ) -> (FastInjector<[Signal], Report>, Soup.Control) {
    var options = options
    options.placement = placement ?? options.placement
    return Soup.define(label, with: options, file: file, line: line) { soup in
      let begin = soup.fast("begin", of: [Signal].self, returning: Report.self)
      let context = soup.fast("context", of: Int.self, returning: ContextCell.self)
      let slot = soup.slow("slot")
      let arrival = soup.slow("signal", of: Arrival.self)
      let ended = soup.slow("ended", of: Ending.self)
      let joins = topology.joins.map { join in
        join.inputs.map { soup.slow("\($0.label) for \(join.dendrite)", of: Signal.self) }
      }
      let run = soup.state("run") { [topology] in Run(topology, maxHops) }

      @Sendable func handle(_ dendrite: Int, _ signals: [Signal]) async {
        let result: Result<[Signal], any Error>
        do {
          result = .success(try await self.run(dendrite, signals, context))
        } catch {
          result = .failure(error)
        }
        ended(Ending(dendrite: dendrite, signals: signals, result: result))
      }
      soup.react(slot, arrival) { _, arrival async in await handle(arrival.dendrite, [arrival.signal]) }
      for (join, names) in zip(topology.joins, joins) {
        soup.react(slot, join.pattern.map { names[$0] }) { _, signals async in
          await handle(join.dendrite, signals)
        }
      }

      @Sendable func send(_ deliveries: [(Topology.Target, Signal)]) {
        for (target, signal) in deliveries {
          switch target {
          case .dendrite(let dendrite): arrival(Arrival(dendrite: dendrite, signal: signal))
          case .join(let join, let input): joins[join][input](signal)
          }
        }
      }
      soup.react(state: run, begin, on: .inline) { run, call in
        run.caller = call
        send(run.begin(call.input, tell))
        run.endIfOver()
      }
      soup.react(state: run, ended, on: .inline) { run, ending in
        send(run.end(ending, tell))
        slot()
        run.endIfOver()
      }
      soup.react(state: run, context, on: .inline) { run, call in call.reply(run.cell(of: call.input)) }

      if let event {
        let watch = soup.slow("watch")
        let cancelled = soup.slow("cancelled")
        soup.react(watch) { _ async in if (try? await event.wait()) != nil { cancelled() } }
        soup.react(state: run, cancelled, on: .inline) { run, _ in run.caller?.fail(CancellationError()) }
        watch()
      }
      slot.inject(count: concurrency)
      return (begin, soup.control)
    }
  }

  /// Runs a dendrite with its neuron's context and permit. It acquires the context first. So a run never holds a permit
  /// while it waits for a context whose holder waits for a permit.
  private func run(
    _ dendrite: Int, _ signals: [Signal], _ context: FastInjector<Int, ContextCell>
  ) async throws -> [Signal] {
    let (neuron, run) = (topology.neuron(of: dendrite), topology.dendrites[dendrite].run)
    var noContext: any Sendable = ()
    guard topology.neurons[neuron].makeContext != nil else {
      return try await withPermit(of: neuron) { try await run(signals, &noContext) }
    }
    let cell = try await context(neuron)
    var own = try await cell.take()
    defer { cell.value(own) }
    return try await withPermit(of: neuron) { try await run(signals, &own) }
  }

  nonisolated(nonsending)
    private func withPermit(
      of neuron: Int, _ body: nonisolated(nonsending) () async throws -> [Signal]
    ) async throws -> [Signal]
  {
    guard let permits = permits[neuron] else { return try await body() }
    return try await permits.withPermit { try await body() }
  }
}

/// The context of a neuron in a run. It is a molecule, so one dendrite at a time has it.
struct ContextCell: Sendable {
  let take: FastInjector<Void, any Sendable>
  let value: Injector<any Sendable>

  init(_ label: String, _ initial: any Sendable) {
    (take, value) = Soup.define(label) { soup in
      let take = soup.fast("take", returning: (any Sendable).self)
      let value = soup.slow("context", of: (any Sendable).self)
      soup.react(take, value, on: .inline) { call, context in if !call.reply(context) { value(context) } }
      value(initial)
      return (take, value)
    }
  }
}
