// Orders and payments, joined by key over three processes, one of which is killed.
//
//   swift run --package-path Sources/SharedSoups orders
//
// The program starts itself three times. One process injects orders and payments, and each of them twice, as a producer
// does that did not hear the acknowledgement. Two processes work. One of these is killed by SIGKILL while it ships. At
// the end the shipments in the engine show that every order was shipped exactly once. Otherwise the program exits
// with 1.

import Crucible
import Foundation
import SharedSoups

struct Order: Codable, Sendable { let id: Int, item: String }
struct Payment: Codable, Sendable { let order: Int, cents: Int }
struct Shipment: Codable, Sendable { let order: Int, cents: Int, firing: String, worker: Int32 }

typealias Shop = (
  order: InnerInjector<Order>, payment: InnerInjector<Payment>, shipped: InnerInjector<Shipment>, control: SharedControl
)

func shop(_ path: String, dieAfter limit: Int? = nil) async throws -> SharedSoup<Shop> {
  let bodies = Bodies()
  return try await Soup.share("shop", on: Engine.sqlite(path, durability: .normal)) { soup -> Shop in
    let order = soup.slow("order", of: Order.self, key: \.id)
    let payment = soup.slow("payment", of: Payment.self, key: \.order)
    let shipped = soup.slow("shipped", of: Shipment.self)
    soup.react(order, payment) { order, payment in
      // The worst moment to die: the body has run, and the engine does not know.
      if await bodies.next() == limit { kill(getpid(), SIGKILL) }
      shipped(Shipment(order: order.id, cents: payment.cents, firing: Firing.current.id, worker: getpid()))
    }
    return (order, payment, shipped, soup.control)
  }
}

actor Bodies {
  private var count = 0
  func next() -> Int {
    count += 1
    return count
  }
}

let orders = 1000
let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "inject":
  let shop = try await shop(arguments[2])
  for id in 1...orders {
    for _ in 1...2 {
      try await shop.order.inject(Order(id: id, item: "tea"), producer: "orders", number: Int64(id))
      try await shop.payment.inject(Payment(order: id, cents: 100 + id), producer: "payments", number: Int64(id))
    }
  }
case "work":
  let shop = try await shop(arguments[2], dieAfter: Int(arguments[3]))
  // The engine tells the worker when the soup is destroyed.
  try await shop.control.work(atOnce: 4)
default:
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("orders-\(getpid())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let path = folder.appendingPathComponent("shop.db").path
  let shop = try await shop(path)
  let processes = try [["work", path, "300"], ["work", path, "never"], ["inject", path]].map { arguments in
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    try process.run()
    return process
  }
  processes[2].waitUntilExit()
  let left = try await shop.control.drain(within: .seconds(60))
  let shipments = try await shop.control.waiting(shop.shipped, limit: 10 * orders)
  let wasKilled = left.workers == 1
  try await shop.control.destroy()
  for process in processes { process.waitUntilExit() }

  let shippedOrders = Set(shipments.map(\.order))
  let isPaid = shipments.allSatisfy { $0.cents == 100 + $0.order }
  print(
    """
    \(orders) orders, \(shipments.count) shipments of \(shippedOrders.count) orders by \
    \(Set(shipments.map(\.worker)).count) processes; the first worker ended by \
    \(processes[0].terminationReason == .uncaughtSignal ? "signal" : "exit") \(processes[0].terminationStatus)
    \(left)
    """)
  let isRight =
    shipments.count == orders && shippedOrders == Set(1...orders) && isPaid && wasKilled
    && processes[0].terminationStatus == SIGKILL && processes[1].terminationStatus == 0 && left["order"] == 0
    && left["payment"] == 0
  print(isRight ? "nothing was lost, and nothing was shipped twice" : "WRONG")
  if !isRight { exit(1) }
}
