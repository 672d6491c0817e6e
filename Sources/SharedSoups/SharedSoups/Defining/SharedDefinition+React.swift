extension SharedDefinition {
  /// Declares a reaction: when one molecule of every name is in the engine, one worker consumes them at once and runs
  /// the body.
  ///
  /// ```swift
  /// soup.react(order, payment, retry: .upTo(5, backoff: .seconds(1)), within: .seconds(120)) { order, payment in
  ///   let label = try await carrier.book(order, idempotencyKey: Firing.current.id)
  ///   shipped(Shipment(order.id, label))
  /// }
  /// ```
  ///
  /// A slow molecule gives its value, a fast one a ``SharedCall``. Names that the body calls record outputs. They are
  /// visible when the engine has acknowledged the firing: its inputs are consumed, and its outputs are there, in one
  /// step. If the body throws, it leaves no outputs, and `retry` says what happens.
  ///
  /// The body may run more than once: if it throws, and if its process ends before the acknowledgement. All its
  /// attempts have the same ``Firing/id``. With `within`, a body that takes longer is cancelled, and counts as one that
  /// has thrown.
  ///
  /// - Complexity: a firing takes O(inputs) steps of the engine.
  public func react<each Name: SharedInput>(
    _ names: repeat each Name, retry: Retry = .upTo(5), within limit: Duration? = nil, file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (repeat (each Name).Argument) async throws -> Void
  ) {
    var inputs: [(index: Int, core: DefinitionCore)] = []
    for name in repeat each names { inputs.append(name._input.place) }
    add(state: nil, inputs, retry, limit, file, line) { label in
      ReactionBody(label: label, retry: retry, limit: limit, decode: nil, encode: nil) { _, molecules, recorder in
        var rest = molecules[...]
        try await body(repeat (each names)._argument(_SharedMolecule(rest.removeFirst(), recorder)))
        return nil
      }
    }
  }

  /// Declares a reaction over a state and a molecule.
  ///
  /// ```swift
  /// soup.react(state: stock, price) { stock, call in call.reply(stock.price(of: call.input)) }
  /// ```
  ///
  /// A worker takes the state together with up to 32 firings over it, runs these in order, and has them acknowledged
  /// together. If a body throws, the state stays as the last successful body has left it.
  ///
  /// - Complexity: as for a reaction without a state.
  public func react<State: Codable & Sendable, A: SharedInput>(
    state: InnerState<State>, _ a: A, retry: Retry = .upTo(5), within limit: Duration? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout State, A.Argument) async throws -> Void
  ) {
    add(state, [a._input.place], retry, limit, file, line) { state, molecules, recorder in
      try await body(&state, a._argument(_SharedMolecule(molecules[0], recorder)))
    }
  }

  /// Declares a reaction over a state and two molecules.
  ///
  /// - Complexity: as for a reaction without a state.
  public func react<State: Codable & Sendable, A: SharedInput, B: SharedInput>(
    state: InnerState<State>, _ a: A, _ b: B, retry: Retry = .upTo(5), within limit: Duration? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (inout State, A.Argument, B.Argument) async throws -> Void
  ) {
    add(state, [a._input.place, b._input.place], retry, limit, file, line) { state, molecules, recorder in
      try await body(
        &state, a._argument(_SharedMolecule(molecules[0], recorder)),
        b._argument(_SharedMolecule(molecules[1], recorder)))
    }
  }

  private func add<State: Codable & Sendable>(
    _ state: InnerState<State>, _ inputs: [(index: Int, core: DefinitionCore)], _ retry: Retry, _ limit: Duration?,
    _ file: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (inout State, [Molecule], Recorder) async throws -> Void
  ) {
    add(state: (state.index, state.core), inputs, retry, limit, file, line) { label in
      ReactionBody(
        label: label, retry: retry, limit: limit, decode: { try Coding.decode(State.self, $0) },
        encode: { try Coding.encode($0 as! State) }
      ) { state, molecules, recorder in
        // A copy, so that a body that throws, or outlives its limit, changes nothing.
        var state = state as! State
        try await body(&state, molecules, recorder)
        return state
      }
    }
  }
}
