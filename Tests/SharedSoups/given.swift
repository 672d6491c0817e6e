// Declarations that the samples of the shared soups use without declaring them; see Tests/Book/samples.py. None runs.

import Crucible
import Foundation
import SharedSoups

func given<Value>() -> Value { fatalError() }

struct Order: Codable, Sendable { var id = 0 }
struct Payment: Codable, Sendable { var order = 0 }
struct Item: Codable, Sendable {}
struct Money: Codable, Sendable {}
struct Job: Codable, Sendable {}
struct Page: Codable, Sendable {}
struct Label: Codable, Sendable {}
struct Sale: Codable, Sendable { var item = Item() }
struct Shipment: Codable, Sendable {
  init(_ order: Int, _ label: Label) {}
  init(_ order: Order, _ payment: Payment) {}
}
struct Stock: Codable, Sendable {
  func price(of item: Item) -> Money { given() }
  func remove(_ item: Item) {}
}
struct Carrier: Sendable {
  func book(_ order: Order, idempotencyKey: String) async throws -> Label { given() }
}
struct NoSuchItem: Error {}
struct Record: Sendable {
  var order = Order()
  var offset: Int64 = 0
}

typealias Shop = (
  order: InnerInjector<Order>, payment: InnerInjector<Payment>, shipped: InnerInjector<Shipment>,
  reminder: InnerInjector<Int>, price: InnerFastInjector<Item, Money>, control: SharedControl
)
let engine: Engine = given()
let shop: SharedSoup<Shop> = given()
nonisolated(unsafe) let soup: SharedDefinition = given()
let carrier = Carrier()
let (order, o, item) = (Order(), Order(), Item())
let file: [Payment] = given()
let records: AsyncStream<Record> = given()
func ship(_ order: Order, _ payment: Payment) async throws {}
func book(_ order: Order) async throws {}
func alarm(_ text: String) {}

//: Retry.swift
let order: InnerInjector<Order> = given()
//: SharedDefinition+React.swift
let order: InnerInjector<Order> = given()
let payment: InnerInjector<Payment> = given()
let shipped: InnerInjector<Shipment> = given()
let reminder: InnerInjector<Int> = given()
let stock: InnerState<Stock> = given()
let price: InnerFastInjector<Item, Money> = given()
//: InnerNames.swift
let order: InnerInjector<Order> = given()
let payment: InnerInjector<Payment> = given()
let shipped: InnerInjector<Shipment> = given()
let reminder: InnerInjector<Int> = given()
let stock: InnerState<Stock> = given()
let price: InnerFastInjector<Item, Money> = given()
//: SharedDefinition.swift
let sale: InnerInjector<Sale> = given()
//: SharedCall.swift
let take: InnerFastInjector<Nothing, Order> = given()
let full: InnerInjector<Order> = given()
let list: [Int: Int] = [:]
let call: SharedCall<Int, Int> = given()
