public import Crucible

/// Neurons that are connected by their collaterals: a signal goes from neuron to neuron until the run is over. Neurons
/// with a limit cannot be restarted once `Soup.all` has stopped them: their dendrites fail with `CallError.stopped`.
///
/// ```swift
/// struct Entrance: Axon { let placed = Collateral<Order>("placed"), paid = Collateral<Payment>("paid") }
/// struct Kitchen: Axon { let cooked = Collateral<Dish>("cooked") }
/// struct Waiter: Axon { let served = Collateral<Dish>("served") }
///
/// let entrance = Entrance(), kitchen = Kitchen(), waiter = Waiter()
/// let restaurant = try NeuronGraph("restaurant", entrance: entrance, neurons: [
///   Neuron("kitchen", kitchen) { neuron in
///     neuron.dendrite(entrance.placed) { order, axon in [axon.cooked(Dish(order))] }
///   },
///   Neuron("waiter", waiter) { neuron in
///     neuron.dendrite(Joined(kitchen.cooked, entrance.paid)) { joined, axon in [axon.served(joined.0)] }
///   },
/// ])
/// let report = try await restaurant.stimulate(entrance.placed(order), entrance.paid(payment))
/// let dishes = report.values(of: waiter.served)
/// ```
///
/// The paths of all values are known when the graph is built, and the compiler checks the types. A dendrite gets values
/// of its collaterals' types, and can send by the collaterals of its own neuron only.
///
/// The definition. Each run is a soup. A signal is one molecule for each dendrite that it reaches. A dendrite that
/// joins is a reaction over a name for each of its collaterals. A `slot` lets one dendrite run at a time, or several:
///
/// ```
/// soup.react(slot, signal) { _, signal in ended(await run(signal)) }
/// soup.react(slot, left, right) { _, a, b in ended(await run(a, b)) }             // a dendrite that joins two
/// soup.react(state: run, ended) { run, result in /* deliver what it sent */ slot() }
/// ```
///
/// Unless the options name a matcher, it is `arrival`. So a run is deterministic. With one slot, the dendrites run in
/// the order in which their signals were sent; for a join, the youngest signal counts. The dendrites of one signal run
/// in the order of the graph. With more slots, dendrites begin in this order. On another matcher, only dendrites that
/// join nothing keep this order.
///
/// - Complexity: for a signal O(dendrites that it reaches), a task for each of them, and O(neurons) at most to free
///   contexts.
public struct NeuronGraph: Sendable {
  /// The responses of all runs, as the listeners of the runs get them.
  public let responses: Topic<Response>
  let topology: Topology
  let permits: [Semaphore?]
  let options: Soup.Options
  let label: String

  /// Builds a graph.
  ///
  /// Messages call the graph by its label. Dendrites run on the placement of the options; limits go by their clock.
  ///
  /// Signals by the collaterals of the entrance come from outside only. A signal reaches the neurons in the order of
  /// the argument.
  ///
  /// - Throws: ``Mistake``.
  /// - Complexity: O(neurons + dendrites), and a soup for each neuron with a limit.
  public init(
    _ label: String = "neurons", entrance: some Axon, neurons: [Neuron], options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line
  ) throws(Mistake) {
    topology = try Topology(entrance: entrance.collaterals, neurons: neurons)
    permits = neurons.map { neuron in
      neuron.concurrency.map { Semaphore(permits: $0, neuron.name, file: file, line: line) }
    }
    responses = Topic("\(label) responses", file: file, line: line)
    var options = options.inOrder
    options.whenUnowned = .cancel
    self.options = options
    self.label = label
  }

  /// Starts a run with these signals, and suspends the task until no signal is under way.
  ///
  /// The signals may come by any collateral of the graph. The run also ends when the task is cancelled, when the limit
  /// is over, or when the event of `until` is set; a dendrite may set it. Then the call cancels the tasks of dendrites
  /// that run, begins no other, and waits until they have ended.
  ///
  /// The dendrites of the run may send `maxHops` signals. Further signals are not delivered, and fail the run with
  /// ``TooManyHops``. `concurrency` dendrites of the run may run at a time. `onResponse` gets the responses of the run,
  /// one after the other; the last one has the queue length 0. `placement` is where the dendrites of this run run, in
  /// place of that of the options.
  ///
  /// A dendrite that awaits a run of its own graph may wait for itself, if its neuron has a limit.
  ///
  /// - Throws: `CallError.failed` with ``Failure`` at the end of a run in which dendrites have failed, and with
  ///   ``Mistake/foreign(_:)`` for a collateral that is not of this graph; `CallError.cancelled`; `CallError.timedOut`.
  /// - Complexity: O(neurons + collaterals that are joined), and a soup, besides the signals.
  @discardableResult
  public func stimulate(
    _ signals: Signal..., maxHops: Int = .max, concurrency: Int = 1, on placement: Placement? = nil,
    until event: AsyncEvent? = nil, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
    onResponse: @escaping @Sendable (Response) -> Void = { _ in }
  ) async throws(CallError) -> Report {
    let (begin, control) = try prepare(
      signals, maxHops, concurrency, placement, until: event, file, line, onResponse)
    do throws(CallError) {
      return try await begin(signals, within: limit, file: file, line: line)
    } catch {
      await control.end()
      throw error.ofRun
    }
  }

  /// The waiting call of a graph in the form that blocks the thread: write `.blocking` before the call instead of
  /// `await`.
  ///
  /// ```swift
  /// let report = try restaurant.blocking.stimulate(entrance.placed(order), within: .seconds(1))
  /// ```
  public var blocking: Blocking { Blocking(graph: self) }

  /// The waiting call of a ``NeuronGraph`` that blocks the thread; see ``NeuronGraph/blocking``.
  ///
  /// ```swift
  /// let dishes = try restaurant.blocking.stimulate(entrance.placed(order)).values(of: waiter.served)
  /// ```
  public struct Blocking: Sendable {
    let graph: NeuronGraph

    /// Starts a run with these signals, and blocks the thread until no signal is under way; see
    /// ``NeuronGraph/stimulate(_:maxHops:concurrency:on:until:within:file:line:onResponse:)``.
    ///
    /// Dendrites must not be placed on the thread that waits.
    ///
    /// - Throws: as the call that is awaited; `CallError.cancelled` if the event of `until` has ended the run.
    /// - Complexity: as the call that is awaited.
    @available(*, noasync, message: "await stimulate(_:) instead of blocking a thread of Swift concurrency")
    @discardableResult
    public func stimulate(
      _ signals: Signal..., maxHops: Int = .max, concurrency: Int = 1, on placement: Placement? = nil,
      until event: AsyncEvent? = nil, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      onResponse: @escaping @Sendable (Response) -> Void = { _ in }
    ) throws(CallError) -> Report {
      let (begin, control) = try graph.prepare(
        signals, maxHops, concurrency, placement, until: event, file, line, onResponse)
      do throws(CallError) {
        return try begin.blocking(signals, within: limit, file: file, line: line)
      } catch {
        control.endBlocking()
        throw error.ofRun
      }
    }
  }

  private func prepare(
    _ signals: [Signal], _ maxHops: Int, _ concurrency: Int, _ placement: Placement?, until event: AsyncEvent?,
    _ file: StaticString, _ line: UInt, _ onResponse: @escaping @Sendable (Response) -> Void
  ) throws(CallError) -> (FastInjector<[Signal], Report>, Soup.Control) {
    let madeAt = MadeAt("neurons", label, file, line)
    madeAt.require("the hops", maxHops, in: 0...Int.max)
    madeAt.require("the concurrency", concurrency, in: 1...1 << 40)
    for signal in signals where topology.targets[signal.identity] == nil {
      throw .failed(Mistake.foreign(signal.collateral))
    }
    return defineRun(maxHops, concurrency, placement, until: event, file, line) { [responses] response in
      responses.publish(response)
      onResponse(response)
    }
  }
}

extension CallError {
  /// The error of the run. The event that ends a run fails it with `CancellationError`.
  fileprivate var ofRun: CallError {
    if case .failed(is CancellationError) = self { return .cancelled }
    return self
  }
}
