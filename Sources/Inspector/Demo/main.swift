// A chemistry to watch. Run `swift run --package-path Sources/Inspector inspector-demo`, then open the address that it
// prints. The program ends when its input ends.

import Crucible
import Foundation
import Inspector

/// Philosophers that eat and think for ever, and count their meals.
func makeTable(seats: Int) -> (forks: [Injector<Void>], hungry: [Injector<Void>], control: Soup.Control) {
  Soup.define("table") { soup in
    let forks = soup.slow("fork", count: seats)
    let hungry = soup.slow("hungry", count: seats)
    let meals = soup.state("meals", 0)
    let eaten = soup.slow("eaten")
    for seat in 0..<seats {
      soup.react(hungry[seat], forks[seat], forks[(seat + 1) % seats]) { _, _, _ async throws in
        try await Task.sleep(for: .milliseconds(Int.random(in: 5...50)))
        forks[seat]()
        forks[(seat + 1) % seats]()
        eaten()
        hungry[seat]()
      }
    }
    soup.react(state: meals, eaten) { meals, _ in meals += 1 }
    soup.measure(eaten, hungry[0], bodyTimes: true)
    return (forks, hungry, soup.control)
  }
}

/// A buffer whose consumer is slower than its producers, so that they wait.
func makeBuffer(capacity: Int) -> (FastInjector<Int, Void>, FastInjector<Void, Int>) {
  Soup.define("buffer") { soup in
    let put = soup.fast("put", of: Int.self, returning: Void.self)
    let take = soup.fast("take", returning: Int.self)
    let free = soup.slow("free")
    let full = soup.slow("full", of: Int.self)
    soup.react(put, free) { call, _ in
      full(call.input)
      call.reply()
    }
    soup.react(take, full) { call, item in
      if call.reply(item) { free() } else { full(item) }
    }
    free.inject(count: capacity)
    return (put, take)
  }
}

/// A job that blocks its thread, and begins again.
func makeJob() -> Injector<Void> {
  Soup.define("job") { soup in
    let job = soup.slow("job")
    soup.react(job) { _ in
      Soup.Pool.sleep(for: .seconds(1))
      job()
    }
    return job
  }
}

/// Makes a shop with ten customers, who never pay. Customer 0 has the most orders.
func makeShop() -> (Injector<Int>, Injector<Int>) {
  Soup.define("shop") { soup in
    let order = soup.slow("order", of: Int.self, key: { "customer \($0)" })
    let payment = soup.slow("payment", of: Int.self, key: { "customer \($0)" })
    soup.react(order, payment) { _, _ in }
    for customer in 0..<10 { for _ in customer..<10 { order(customer) } }
    return (order, payment)
  }
}

/// A counter that a thread drives as fast as it can.
func makeCounter() -> Injector<Void> {
  Soup.define("counter") { soup in
    let count = soup.state("count", 0)
    let tick = soup.slow("tick")
    soup.react(state: count, tick, on: .inline) { n, _ in n += 1 }
    return tick
  }
}

let inspector = try await Inspector.serve(port: UInt16(CommandLine.arguments.dropFirst().first ?? "") ?? 0)
print(inspector.url)
fflush(nil)  // a reader of the pipe waits for the line

// More soups than the page shows: see Tests/Inspector/inspect.py.
if CommandLine.arguments.contains("--many") {
  let ticks = (0..<200).map { _ in makeCounter() }
  while readLine() != nil {}
  inspector.stop()
  withExtendedLifetime(ticks) {}
  exit(0)
}

let table = makeTable(seats: 5)
for name in table.forks + table.hungry { name() }
let job = makeJob()
job()
let shop = makeShop()
let (put, take) = makeBuffer(capacity: 4)
for producer in 0..<3 {
  Task.detached { for item in 0... { try await put(1000 * producer + item) } }
}
Task.detached {
  while true {
    _ = try await take(within: .seconds(30))
    try await Task.sleep(for: .milliseconds(300))
  }
}
// Detached, because the main actor reads the input.
let tick = makeCounter()
let isDone = Task.detached {
  while !Task.isCancelled {
    for _ in 0..<1000 { tick() }
    try? await Task.sleep(for: .milliseconds(2))
  }
}
while readLine() != nil {}
withExtendedLifetime(shop) {}
isDone.cancel()
inspector.stop()
