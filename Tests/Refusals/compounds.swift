import Compounds
import Crucible

// Mistakes of users of Compounds. The compiler reports each at its own line.

struct Dish: Sendable {}
struct Fire: Error {}
struct Flood: Error {}

struct Kitchen: Axon {
  let cooked = Collateral<Dish>("cooked")
  let burnt = Collateral<Fire>("burnt")
}
struct Cashier: Axon { let receipt = Collateral<Int>("receipt") }

let placed = Collateral<String>("placed")
let kitchen = Kitchen()
let cashier = Cashier()

func outletOfAnotherNeuron() -> Neuron {
  Neuron("kitchen", kitchen) { neuron in
    // refused: value of type 'Neuron.Outlets<Kitchen>' has no dynamic member 'receipt'
    neuron.dendrite(placed) { _, axon in [axon.receipt(1)] }
  }
}

func collateralOfAnotherNeuron() -> Neuron {
  Neuron("kitchen", kitchen) { neuron in
    // refused: cannot convert value of type 'NeuronGraph.Signal' to expected element type 'Neuron.Output<Kitchen>'
    neuron.dendrite(placed) { _, _ in [cashier.receipt(1)] }
  }
}

func valueOfAnotherType() -> Neuron {
  Neuron("kitchen", kitchen) { neuron in
    // refused: cannot convert value of type 'String' to expected argument type 'Dish'
    neuron.dendrite(placed) { order, axon in [axon.cooked(order)] }
  }
}

func signalWithoutAList() -> Neuron {
  Neuron("kitchen", kitchen) { neuron in
    // refused: cannot convert value of type 'Neuron.Output<Kitchen>' to closure result type '[Neuron.Output<Kitchen>]'
    neuron.dendrite(placed) { _, axon in axon.cooked(Dish()) }
  }
}

func signalAndReportOfAnotherType() async throws {
  let graph = try NeuronGraph(entrance: cashier, neurons: [])
  // refused: cannot convert value of type 'String' to expected argument type 'Int'
  try await graph.stimulate(cashier.receipt("one"))
  let report = try await graph.stimulate(cashier.receipt(1))
  // refused: cannot assign value of type '[Int]' to type '[Dish]'
  let dishes: [Dish] = report.values(of: cashier.receipt)
  _ = dishes
}

func errorOfAnotherType() -> Neuron {
  Neuron("kitchen", kitchen) { neuron in
    // refused: thrown expression type 'Flood' cannot be converted to error type 'Fire'
    neuron.dendrite(placed, errors: \.burnt) { _, axon throws(Fire) in throw Flood() }
  }
}

func errorThatIsNotSaid() -> Neuron {
  Neuron("kitchen", kitchen) { neuron in
    // refused: invalid conversion of thrown error type 'any Error' to 'Fire'
    neuron.dendrite(placed, errors: \.burnt) { _, axon in throw Flood() }
  }
}

func errorsByACollateralForValues() -> Neuron {
  Neuron("kitchen", kitchen) { neuron in
    // refused: 'Dish'
    neuron.dendrite(placed, errors: \.cooked) { _, axon in [axon.cooked(Dish())] }
  }
}

func contextOfAnotherType() -> Neuron {
  Neuron("kitchen", kitchen, context: 0) { neuron in
    neuron.dendrite(placed) { order, axon, number in
      // refused: cannot convert value of type 'String' to expected argument type 'Int'
      number += order
      return []
    }
  }
}

/// Swift 6.3 has no message for this mistake, but it has one for the same mistake in two statements, as below.
func joinedValue() -> Neuron {
  // refused: failed to produce diagnostic for expression
  Neuron("cashier", cashier) { neuron in
    neuron.dendrite(Joined(placed, kitchen.cooked)) { joined, axon in [axon.receipt(joined.0)] }
  }
}

func joinedValues() -> Neuron {
  Neuron("cashier", cashier) { neuron in
    neuron.dendrite(Joined(placed, kitchen.cooked)) { joined, axon in
      let (order, _) = joined
      // refused: cannot convert value of type 'String' to expected argument type 'Int'
      return [axon.receipt(order)]
    }
  }
}

func blockingInAsyncCode(
  _ lock: Lock, _ door: Semaphore, _ page: ReadWriteLock, _ lines: Channel<String>, _ till: Agent<Int>
) async throws {
  // refused: await withLock(within:) instead of blocking a thread of Swift concurrency
  try lock.blocking.withLock {}
  // refused: await withPermit(within:) instead of blocking a thread of Swift concurrency
  try door.blocking.withPermit {}
  // refused: await withReading(within:) instead of blocking a thread of Swift concurrency
  try page.blocking.withReading {}
  // refused: await withWriting(within:) instead of blocking a thread of Swift concurrency
  try page.blocking.withWriting {}
  // refused: await receiveAll(within:) instead of blocking a thread of Swift concurrency
  _ = try lines.blocking.receiveAll()
  // refused: await ask(within:) instead of blocking a thread of Swift concurrency
  _ = try till.blocking.ask { $0 }
  // refused: await runAll(_:) instead of blocking a thread of Swift concurrency
  _ = try blocking.runAll([1]) { $0 }
  // refused: await mapReduce(_:into:) instead of blocking a thread of Swift concurrency
  _ = try blocking.mapReduce([1], into: 0) {
    $0
  } reduce: {
    $0 += $1
  }
  // refused: await the call instead of blocking a thread of Swift concurrency
  try lock.acquire.blocking()
  try await lock.withLock {}
  _ = lines.trySend("one")
}

func blockingForValuesThatComeLaterInAsyncCode(
  _ page: Promise<Int>, _ numbers: Generator<Int>, _ sum: Coroutine<Int, Int>, _ news: Topic<Int>.Subscription
) async throws {
  // refused: await join(within:) instead of blocking a thread of Swift concurrency
  try page.blocking.join()
  // refused: await cancelAndJoin(within:) instead of blocking a thread of Swift concurrency
  try page.blocking.cancelAndJoin()
  // refused: await all(_:within:) instead of blocking a thread of Swift concurrency
  _ = try Promise.blocking.all([page])
  // refused: await first(of:within:) instead of blocking a thread of Swift concurrency
  _ = try Promise.blocking.first(of: [page])
  // refused: await take(_:within:) instead of blocking a thread of Swift concurrency
  _ = try numbers.blocking.take(1)
  // refused: await next(with:within:) instead of blocking a thread of Swift concurrency
  _ = try sum.blocking.next(with: 1)
  // refused: await end() instead of blocking a thread of Swift concurrency
  try news.blocking.end()
  // refused: await value(within:) instead of blocking a thread of Swift concurrency
  _ = try Completion<Int>.blocking.value { $0(1) }
  let graph = try NeuronGraph(entrance: cashier, neurons: [])
  // refused: await stimulate(_:) instead of blocking a thread of Swift concurrency
  try graph.blocking.stimulate(cashier.receipt(1))
}

func valuesOfAnotherType(
  _ lines: Channel<String>, _ jobs: BoundedBuffer<Int>, _ pages: Cache<Int, String>
) async throws {
  // refused: cannot convert value of type 'Int' to expected argument type 'String'
  try await lines.send(1)
  // refused: cannot convert value of type 'Int' to expected argument type 'String'
  lines.trySend(1)
  // refused: cannot convert value of type 'String' to expected argument type 'Int'
  try await jobs.put("one")
  // refused: cannot convert value of type 'String' to expected argument type 'Int'
  _ = try await pages.value("one")
}

final class Page { var text = "" }

func whatCannotBeShared() {
  // refused: type 'Page' does not conform to the 'Sendable' protocol
  _ = Channel<Page>(.unbuffered)
  // refused: type 'Page' does not conform to the 'Sendable' protocol
  _ = Promise<Page>()
}
