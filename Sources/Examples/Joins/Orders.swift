// Orders meet their payments. A payment that has not met its order in time is refunded, and an order that is not paid
// in time is cancelled.

import Compounds
import Crucible

private struct Order: Sendable { let id: Int }
private struct Payment: Sendable { let order: Int }

func orders() async throws {
  let (shipped, refunded, cancelled) = (Counter("shipped"), Counter("refunded"), Counter("cancelled"))
  let settled = CountDownLatch(1_500)
  let shop = Soup.define("shop") { soup in
    let unpaid = soup.slow("unpaid", of: Order.self)
    let late = soup.slow("late", of: Payment.self)
    let order = soup.slow("order", of: Order.self, key: \.id, expires: .milliseconds(300), into: unpaid)
    let payment = soup.slow("payment", of: Payment.self, key: \.order, expires: .milliseconds(100), into: late)

    @Sendable func settle(_ counter: Counter) async throws {
      _ = try await counter.add(1)
      settled.countDown()
    }
    soup.react(order, payment) { _, _ async throws in try await settle(shipped) }
    soup.react(late) { _ async throws in try await settle(refunded) }
    soup.react(unpaid) { _ async throws in try await settle(cancelled) }
    return (order: order, payment: payment, control: soup.control)
  }

  for id in (0..<1_000).shuffled() { shop.order(Order(id: id)) }
  for id in (500..<1_500).shuffled() { shop.payment(Payment(order: id)) }
  try await settled.wait()
  let left = shop.control.keys(of: shop.order, as: Int.self) + shop.control.keys(of: shop.payment)
  print("\(try await shipped.add(0)) shipped, \(try await cancelled.add(0)) cancelled,", terminator: " ")
  print("\(try await refunded.add(0)) refunded, \(left.count) left")
}
