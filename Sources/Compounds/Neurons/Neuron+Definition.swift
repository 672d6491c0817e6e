extension Neuron {
  /// Declares the dendrites of a neuron, in the order in which a signal reaches them.
  ///
  /// A dendrite handles a signal, or one of each collateral that it joins. It returns the signals with which the run
  /// goes on: none, one or several. A dendrite is `async`: its only result is the value that it returns or the error
  /// that it throws, at once or later. For a callback see ``Completion/value(within:file:line:_:)``.
  ///
  /// - Complexity: O(collaterals of the dendrite).
  public final class Definition<Owner: Axon, Context: Sendable> {
    private let axon: Owner
    private(set) var dendrites: [Dendrite] = []

    init(_ axon: Owner) { self.axon = axon }

    /// Declares a dendrite. An error that it throws is reported, and fails the run at its end.
    ///
    /// The closure gets the value or the values of its signals, the neuron's collaterals, and the neuron's context.
    public func dendrite<Input>(
      _ receptor: some Receptor<Input>,
      do body: @escaping @Sendable (Input, Outlets<Owner>, inout Context) async throws -> [Output<Owner>]
    ) {
      let (joined, outlets) = (receptor.joined, Outlets(axon: axon))
      dendrites.append(
        Dendrite(inputs: joined.inputs) { signals, context in
          var own = context as! Context
          defer { context = own }
          return try await body(joined.take(signals), outlets, &own).map(\.signal)
        })
    }

    /// Declares a dendrite that sends its errors by a collateral of the neuron.
    ///
    /// ```swift
    /// neuron.dendrite(placed, errors: \.burnt) { order, axon throws(Fire) in [axon.cooked(try cook(order))] }
    /// ```
    ///
    /// The closure cannot throw an error of another type.
    public func dendrite<Input, Failure: Error>(
      _ receptor: some Receptor<Input>, errors: KeyPath<Owner, Collateral<Failure>>,
      do body:
        @escaping @Sendable (Input, Outlets<Owner>, inout Context) async throws(Failure) -> [Output<Owner>]
    ) {
      let outlet = Outlet<Owner, Failure>(collateral: axon[keyPath: errors])
      dendrite(receptor) { input, axon, context in
        do throws(Failure) { return try await body(input, axon, &context) } catch { return [outlet(error)] }
      }
    }
  }
}

extension Neuron.Definition where Context == Void {
  /// Declares a dendrite of a neuron without a context. An error that it throws is reported, and fails the run at its
  /// end.
  public func dendrite<Input>(
    _ receptor: some Receptor<Input>,
    do body: @escaping @Sendable (Input, Neuron.Outlets<Owner>) async throws -> [Neuron.Output<Owner>]
  ) {
    dendrite(receptor) { input, axon, _ in try await body(input, axon) }
  }

  /// Declares a dendrite of a neuron without a context. The dendrite sends its errors by a collateral of the neuron.
  public func dendrite<Input, Failure: Error>(
    _ receptor: some Receptor<Input>, errors: KeyPath<Owner, Collateral<Failure>>,
    do body: @escaping @Sendable (Input, Neuron.Outlets<Owner>) async throws(Failure) -> [Neuron.Output<Owner>]
  ) {
    dendrite(receptor, errors: errors) { input, axon, _ throws(Failure) in try await body(input, axon) }
  }
}
