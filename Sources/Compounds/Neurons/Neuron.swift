/// A part of a ``NeuronGraph``: it reacts to signals by its dendrites, and sends signals by its axon.
///
/// ```swift
/// let kitchen = Neuron("kitchen", Kitchen(), concurrency: 2) { kitchen in
///   kitchen.dendrite(placed) { order, axon in [axon.cooked(Dish(order))] }
/// }
/// let cashier = Neuron("cashier", Cashier(), context: 0) { cashier in
///   cashier.dendrite(Joined(placed, paid)) { joined, axon, number in   // one of each
///     number += 1                                                      // the context, of this neuron in this run
///     let (order, payment) = joined
///     return [axon.receipt(Receipt(number, order, payment))]
///   }
/// }
/// ```
///
/// A neuron is a value, and may be a part of several graphs. Each graph has its own limit for it: dendrites of the runs
/// of another graph do not count.
///
/// - Complexity: O(dendrites).
public struct Neuron: Sendable {
  /// The name of the neuron, which no other neuron of a graph has.
  public let name: String
  let concurrency: Int?
  let axon: [CollateralIdentity]
  let dendrites: [Dendrite]
  /// The function that makes the context. Nil if the neuron has none.
  let makeContext: (@Sendable () -> any Sendable)?

  /// Makes a neuron with a context: a value that each run makes anew when the neuron first needs it.
  ///
  /// One dendrite at a time has the context, so a neuron with a context handles the signals of a run one by one. The
  /// context is freed as soon as no signal of the run can reach the neuron any more.
  ///
  /// At most `concurrency` dendrites of the neuron run at a time, in all runs of a graph together; without it, any
  /// number. A number below 1 ends the program. The last closure declares the dendrites.
  public init<Owner: Axon, Context: Sendable>(
    _ name: String, _ axon: Owner, context: @autoclosure @escaping @Sendable () -> Context, concurrency: Int? = nil,
    file: StaticString = #fileID, line: UInt = #line, _ define: (Definition<Owner, Context>) -> Void
  ) {
    if let concurrency { MadeAt("neuron", name, file, line).require("the concurrency", concurrency, in: 1...1 << 40) }
    let definition = Definition<Owner, Context>(axon)
    define(definition)
    self.name = name
    self.concurrency = concurrency
    self.axon = axon.collaterals
    dendrites = definition.dendrites
    if Context.self == Void.self { makeContext = nil } else { makeContext = { context() as any Sendable } }
  }

  /// Makes a neuron without a context.
  public init<Owner: Axon>(
    _ name: String, _ axon: Owner, concurrency: Int? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ define: (Definition<Owner, Void>) -> Void
  ) {
    self.init(name, axon, context: (), concurrency: concurrency, file: file, line: line, define)
  }
}

/// The work that a neuron does on signals of any types.
struct Dendrite: Sendable {
  let inputs: [CollateralIdentity]
  let run: @Sendable ([NeuronGraph.Signal], inout any Sendable) async throws -> [NeuronGraph.Signal]
}
