// Declarations that the documentation's samples use without declaring them; see samples.py. None of them runs.

import Compounds
import Crucible
import CrucibleTesting
import Dispatch
import Foundation

func given<Value>() -> Value { fatalError() }
func expect(_ isTrue: Bool) {}

struct Page: Sendable {}
struct URL: Hashable, Sendable {}
struct NotFound: Error {}
struct Log: Sendable {
  func debug(_ text: String) {}
  func warning(_ text: String) {}
  func error(_ text: String) {}
}
@MainActor struct Window {
  func show(_ page: Page) {}
}
actor Account {
  var balance = 0
  func add(_ sum: Int) {}
}

nonisolated(unsafe) let soup: Soup = given()
let control: Soup.Control = given()
let log = Log()
let logger = Log()
@MainActor let window = Window()
let account = Account()
let disk = DispatchQueue(label: "disk")
nonisolated(unsafe) let counter: Soup.State<Int> = given()
let increment: Injector<Void> = given()
let page: Injector<Page> = given()
let deposit: Injector<Int> = given()
let line: Injector<String> = given()
let a: Injector<Int> = given()
let b: Injector<Int> = given()
let n = 5
func append(_ line: String) {}

typealias Buffer = (put: FastInjector<String, Void>, take: FastInjector<Void, String>, control: Soup.Control)
func makeBuffer() -> Buffer { given() }
let buffer: Buffer = given()
let world: World = given()
let balance = 0

struct Job: Sendable {
  func run() -> Outcome { given() }
}
struct Outcome: Sendable {}
func fetch(_ key: Int) async throws -> Page { given() }
struct Order: Sendable { var id = 0 }
struct Row: Sendable {}
struct Dish: Sendable {}
struct Fire: Error {}
struct Payment: Sendable { var order = 0 }
struct Kitchen: Axon { let cooked = Collateral<Dish>("cooked") }
struct Price: Sendable {}
struct Deposit: Sendable { let account: Int, amount: Int }
struct Transfer: Sendable { let from: Int, to: Int, amount: Int }
func ship(_ order: Order, _ payment: Payment) {}
func refuse(_ transfer: Transfer) {}
func refund(_ payment: Payment) {}
func rewrite(_ file: String) async throws {}
final class Parser {}
struct DiskFull: Error {}
let url = URL()
let permit: Injector<Void> = given()
let lines: Channel<String> = given()
let value: FastInjector<Void, Int> = given()
let put: FastInjector<String, Void> = given()
let order = Order()
let urls: [URL] = given()
let placed: Collateral<Order> = given()
let request: FastInjector<Int, Page> = given()
let search: FastInjector<Int, Page> = given()
let flush: Injector<Void> = given()
let job: Injector<Job> = given()
let take: FastInjector<Void, Int> = given()
let visit: Injector<String> = given()
let start = ""
let steps: [Int] = given()
let text = ""
let row = 0
let paid: Collateral<Payment> = given()
let files: [String] = given()
let kitchen = Kitchen()
let restaurant: NeuronGraph = given()
@Sendable func load(_ url: URL) async throws -> Page { given() }
func work() async throws {}
@Sendable func show(_ price: Price) {}
@Sendable func count(wordsOf file: String) throws -> [String: Int] { given() }
//: README.md
let add: FastInjector<Int, Void> = given()
//: Call+Abandoned.swift
let render: FastInjector<Int, Page> = given()
@Sendable func draw(_ number: Int) async -> Page { given() }
@Sendable func find(_ number: Int) async -> Page { given() }
//: Call.swift
let add: FastInjector<Int, Int> = given()
let miss: FastInjector<String, Page> = given()
@Sendable func find(_ key: String) -> Page? { given() }
//: Ending.md
@Sendable func serve(_ request: Int) async throws -> Outcome { given() }
//: Order.md
let items: Soup.State<[Int]> = given()
@Sendable func write(_ items: [Int]) {}
//: Select.swift
let urgent: FastInjector<Void, Int> = given()
let normal: FastInjector<Void, Int> = given()
struct Job: Sendable {}
let jobs: FastInjector<Void, Job> = given()
let quit: FastInjector<Void, Void> = given()
@Sendable func run(_ job: Job) {}
//: Branch.swift
let inboxes: [FastInjector<Void, String>] = given()
//: Select+Blocking.swift
let inbox: FastInjector<Void, String> = given()
let backlog: FastInjector<Void, String> = given()
//: Start.md
let free: Injector<Void> = given()
let full: Injector<String> = given()
//: Outcomes.md
let socket: Injector<Int> = given()
let quit: FastInjector<Void, Int> = given()
let token: Injector<Int> = given()
@Sendable func giveBack(_ token: Int) {}
//: Placing.md
let s: Soup.State<Int> = given()
let t: Soup.State<Int> = given()
let u: Soup.State<Int> = given()
let names: [Injector<Int>] = given()
let fasts: [FastInjector<Int, Int>] = given()
let cache: Soup.State<[Int: Page]> = given()
let lookup: FastInjector<Int, Page> = given()
let url: Injector<URL> = given()
let get: FastInjector<Int, Page> = given()
let miss: Injector<Call<Int, Page>> = given()
let found: Injector<(Int, Page)> = given()
//: Timers.md
let size = 3
@Sendable func send(_ items: [Int]) {}
//: Matcher.swift
func measure(_ matcher: Soup.Matcher) {}
//: Soup.swift
let get: FastInjector<Void, String> = given()
//: Leaving.swift
let take: FastInjector<Void, String> = given()
//: State.swift
let add: Injector<Int> = given()
//: Control+Drain.swift
struct Rows: Sendable {
  var isDraining = false
  mutating func takeAll() -> [Int] { given() }
}
let rows: Soup.State<Rows> = given()
@Sendable func store(_ rows: [Int]) {}
//: Control+Stop.swift
let job: Injector<Int> = given()
let backlog: Injector<Int> = given()
//: Together.swift
let jobs: Injector<Int> = given()
struct Fork: Sendable {}
let fork = Fork()
let left: Injector<Fork> = given()
let right: Injector<Fork> = given()
let hungry: Injector<Int> = given()
//: ReactionLoop.swift
@Sendable func show(_ page: Page) {}
// swift-format-ignore: AlwaysUseLowerCamelCase
func g_main_context_is_owner(_ context: OpaquePointer?) -> Int32 { given() }
// swift-format-ignore: AlwaysUseLowerCamelCase
func g_idle_add(_ act: @convention(c) (UnsafeMutableRawPointer?) -> Int32, _ context: UnsafeMutableRawPointer) {}
//: Pool.swift
let download: Injector<URL> = given()
@Sendable func fetch(_ url: URL) -> Page { given() }
//: PoolExecutor.swift
func crunch() async {}
//: ReactionError.swift
@Sendable func check(_ text: String) throws {}
//: Recovery.swift
struct Overloaded: Error {}
let rejected: Injector<Job> = given()
@Sendable func send(_ job: Job) throws {}
//: Soup+ReactMainAsync.swift
@MainActor func render(_ page: Page) async throws -> Page { given() }
//: Soup+ReactState.swift
let giro: Soup.State<Int> = given()
let savings: Soup.State<Int> = given()
let fees: Soup.State<Int> = given()
let transfer: Injector<Int> = given()
//: Injector+Timer.swift
let beat: Injector<Void> = given()
struct Request: Sendable {}
let retry: Injector<Request> = given()
let request = Request()
//: Probe.swift
let order: Injector<Int> = given()
let total: FastInjector<Void, Int> = given()
//: ComingFrom.md
final class Connection: Sendable {}
struct Item: Sendable {}
@Sendable func work(_ item: Item) {}
@Sendable func execute(_ order: Order, _ price: Price) {}
//: Testing.md
let item: Injector<Int> = given()
//: Recipes.md
let address = ""
struct Connection: Sendable {
  static func open(_ address: String) async throws -> Connection { given() }
  func query(_ text: String) async throws -> [String] { given() }
  func ping() async throws -> Bool { given() }
  func close() async {}
}
let enter: FastInjector<Void, Void> = given()
let arrive: FastInjector<Int, Void> = given()
let expected = 3
let results: Soup.State<[Int]> = given()
let result: Injector<Int> = given()
let complete: Injector<[Int]> = given()
let report: FastInjector<Void, [Int]> = given()
let race: Soup.State<(isOver: Bool, missing: Int)> = given()
let ended: Injector<Int?> = given()
let won: Injector<Int?> = given()
let open: Injector<Void> = given()
let isOpen: Injector<Void> = given()
let use: FastInjector<Void, Void> = given()
let url: Injector<URL> = given()
let loaded: Injector<Page> = given()
let failed: Injector<URL> = given()
struct Ranked: Sendable { let priority: Int }
let jobs: Soup.State<[Ranked]> = given()
let submit: Injector<Ranked> = given()
let ready: Injector<Void> = given()
let worker: Injector<Void> = given()
let run: Injector<Ranked> = given()
//: Lock.swift
var cache: [String: Int] = [:]
let key = ""
let value = 0
//: Semaphore.swift
func fetch(_ url: URL) async throws -> Page { given() }
//: ReadWriteLock.swift
var users: [Int: String] = [:]
let id = 0
//: Barrier.swift
func compute(_ step: Int) {}
//: Exchanger.swift
struct Buffer: Sendable {}
var full = Buffer()
var empty = Buffer()
//: Rendezvous.swift
struct Receipt: Sendable {}
let receipt = Receipt()
//: CountDownLatch.swift
struct Service: Sendable { func start(_ ready: @Sendable () -> Void) {} }
let services: [Service] = given()
//: Once.swift
struct Settings: Sendable {
  var volume = 0
  static func load() async throws -> Settings { given() }
}
//: BoundedBuffer.swift
let job = Job()
//: Channel.swift
let alarms = Channel<String>(.unbuffered)
let file: [String] = given()
@Sendable func store(_ line: String) async throws {}
//: Correlator.swift
struct Connection: Sendable { func send(_ request: String, id: Int) async throws {} }
let connection = Connection()
let request = ""
//: Dedup.swift
struct Message: Sendable { let id: String }
let message: Message = given()
@Sendable func handle(_ message: Message) async throws {}
//: KeyedRateLimiter.swift
let user = ""
func reject(retryAfter wait: Duration) {}
//: JoinedSequence.swift
let orders: Channel<Order> = given()
let payments: Channel<Payment> = given()
func remind(_ order: Order) {}
func refund(_ payment: Payment) {}
//: Promise.swift
struct Connection: Sendable { func onReply(_ act: @Sendable (String) -> Void) {} }
let connection = Connection()
//: Promise+Settled.swift
let page: Promise<Page> = given()
let pages: [Promise<Page>] = given()
@Sendable func loadUser() async throws -> Int { given() }
@Sendable func loadPages() async throws -> [Page] { given() }
func showSpinner() {}
func show(_ page: Page) {}
func report(_ error: any Error) {}
//: Promise+Chaining.swift
let page: Promise<[Int]> = given()
let mirrors: [URL] = given()
//: Debounce.swift
struct Field: Sendable { func onChange(_ act: @escaping @Sendable (String) -> Void) {} }
let field = Field()
@Sendable func results(of text: String) async -> [String] { given() }
@Sendable func show(_ results: [String]) async {}
//: Throttle.swift
@Sendable func draw(_ progress: Int) async {}
//: Batcher.swift
struct Database: Sendable { func insert(_ rows: [Row]) async throws {} }
let database = Database()
let row = Row()
//: Windows.swift
struct Reading: Sendable { let sensor: String, time: Duration }
let reading: Reading = given()
@Sendable func store(_ readings: [Reading], of sensor: String, from start: Duration) async {}
//: ConnectionPool.swift
struct SyntaxError: Error {}
struct Connection: Sendable {
  static func open(_ url: URL) async throws -> Connection { given() }
  func query(_ text: String) async throws -> [String] { given() }
  func ping() async throws -> Bool { given() }
  func close() async {}
}
//: KeyedConnectionPool.swift
struct Connection: Sendable {
  static func open(_ host: String) async throws -> Connection { given() }
  func query(_ text: String) async throws -> [String] { given() }
  func close() async {}
}
//: ConnectionPolicy.swift
let connections: ConnectionPool<Int> = given()
//: Lease.swift
struct Connection: Sendable { func query(_ text: String) async throws -> [String] { given() } }
let connections: ConnectionPool<Connection> = given()
//: Seeing.md
struct Inspector {
  let url = ""
  static func serve() async throws -> Inspector { given() }
}
//: Measuring.md
let token = "0123456789abcdef"
struct Inspector {
  static func serve(port: UInt16, token: String) async throws -> Inspector { given() }
}
//: AsyncAgent.swift
final class Store {
  func write(_ row: Int) async throws {}
  func read() async throws -> [Int] { given() }
  func reset() {}
}
@MainActor final class Model { var title = "" }
let model: Model = given()
//: Agent.swift
final class Pages {
  var next = ""
  var pages: [String: Page] = [:]
}
let store: Agent<Pages> = given()
@Sendable func load(_ name: String) async throws -> Page { given() }
final class Till {
  var sum = 0
  func sell(_ article: String, for price: Int) {}
  func bill() -> String { given() }
}
//: Recipient.swift
struct Pages {
  var waiting: [URL: [Completion<Page>]] = [:]
  subscript(_ url: URL) -> Page? { given() }
}
let cache: Agent<Pages> = given()
//: AgentPool.swift
final class Parser {
  func parse(_ text: String) -> [String] { given() }
  func reload() {}
}
@Sendable func store(_ tree: [String]) {}
//: Topic.swift
struct Price: Sendable { init(_ sum: Int) {} }
struct Store: Sendable { func write(_ price: Price) async throws {} }
let store = Store()
@MainActor final class Label { func show(_ price: Price) {} }
let label: Label = given()
@Sendable func show(_ price: Price) {}
//: Supervisor.swift
final class Store { func write(_ row: Int) throws {} }
final class Cache {}
//: Completion.swift
let all: FastInjector<Void, [String]> = given()
struct Connection: Sendable {
  func load(_ url: URL, onLoad: @escaping @Sendable (Page) -> Void, onError: @escaping @Sendable (any Error) -> Void) {}
}
let connection = Connection()
//: Collateral.swift
struct Order: Sendable { init(_ number: Int) {} }
//: Joined.swift
struct Receipt: Sendable { init(_ order: Order, _ payment: Payment) {} }
struct Cashier: Axon { let receipt = Collateral<Receipt>("receipt") }
let cashier: Neuron.Definition<Cashier, Void> = given()
//: Neuron.swift
struct Dish: Sendable { init(_ order: Order) {} }
struct Receipt: Sendable { init(_ number: Int, _ order: Order, _ payment: Payment) {} }
struct Kitchen: Axon { let cooked = Collateral<Dish>("cooked") }
struct Cashier: Axon { let receipt = Collateral<Receipt>("receipt") }
//: Neuron+Definition.swift
struct Kitchen: Axon { let cooked = Collateral<Dish>("cooked"), burnt = Collateral<Fire>("burnt") }
let neuron: Neuron.Definition<Kitchen, Void> = given()
@Sendable func cook(_ order: Order) throws(Fire) -> Dish { given() }
//: NeuronGraph.swift
struct Dish: Sendable { init(_ order: Order) {} }
let payment = Payment()
//: Neurons.md
struct Cake: Sendable { let name = "" }
@Sendable func bake(_ name: String) async throws(Fire) -> Cake { given() }
let shop: Shop = given()
let graph: NeuronGraph = given()
struct Shop: Axon { let ordered = Collateral<String>("ordered") }
//: Promise+Ending.swift
let url: URL = given()
@Sendable func look() async throws {}
@Sendable func remind() {}
//: Cancelable.swift
struct Board: Sendable {
  let isSolved = false
  mutating func tryNextMove() {}
}
//: Switch.swift
struct Photo: Sendable {}
let photo = Photo()
@Sendable func upload(_ photo: Photo) {}
@Sendable func ring() {}
//: Agent+Supervised.swift
final class Store {}
let store: Agent<Store> = given()
//: Subscription.swift
let prices: Topic<Price> = given()
//: SupervisionError.swift
let services: Supervisor = given()
//: NeuronGraph+Report.swift
struct Entrance: Axon { let placed = Collateral<Order>("placed") }
let entrance = Entrance()
let response: NeuronGraph.Response = given()
func turnOffTheStove() {}
//: Compound.swift
let cache: [Int] = given()
nonisolated(unsafe) var table: [Int: String] = [:]
let downloads: Compounds.Semaphore = given()
let users: ReadWriteLock = given()
struct Connection: Sendable { let rows: [String] }
let connections: ConnectionPool<Connection> = given()
let till: Agent<Int> = given()
let squares: Generator<Int> = given()
let average: Coroutine<Double, Double> = given()
let page: Promise<Page> = given()
//: Placement.swift
let loop: any ReactionLoop = given()
//: Event.swift
let order: Injector<Int> = given()
//: ProbeFailure.swift
let probe: Probe = given()
//: Promise+Progress.swift
@Sendable func show(_ fraction: Double) {}
@Sendable func download(_ onPart: @Sendable (Double) -> Void) async throws -> Page { given() }
//: Call+Both.swift
let exchange: FastInjector<Int, Int> = given()
let again: Injector<Call<Int, Int>> = given()
//: ClockReader.swift
struct Bucket: Sendable { mutating func take(at time: Duration) -> Bool { given() } }
let bucket: Soup.State<Bucket> = given()
let take: FastInjector<Void, Bool> = given()
//: Ecosystem.md
// What the samples need of other packages, in their place: the page says how it was compiled against these.
struct Logger: Sendable {
  enum Level: Sendable { case trace, info, error }
  let logLevel = Level.info
  init(label: String) {}
  func log(level: Level, _ text: String) {}
  func trace(_ text: String, metadata: [String: String]) {}
  func warning(_ text: String, metadata: [String: String]) {}
  func error(_ text: String, metadata: [String: String]) {}
}
struct Gauge {
  init(label: String, dimensions: [(String, String)]) {}
  func record(_ value: Int) {}
}
struct Counter {
  init(label: String, dimensions: [(String, String)]) {}
  func increment(by value: Int) {}
}
final class Span { var attributes: [String: String] = [:] }
@Sendable func withSpan<Value>(_ name: String, _ body: (Span) throws -> Value) rethrows -> Value { given() }
@Sendable func withSpan<Value>(_ name: String, _ body: (Span) async throws -> Value) async rethrows -> Value { given() }
protocol Service: Sendable { func run() async throws }
func gracefulShutdown() async throws {}
enum Signal { case sigterm }
struct ServiceGroup {
  init(services: [any Service], gracefulShutdownSignals: [Signal], logger: Logger) {}
  func run() async throws {}
}
protocol EventLoop: AnyObject, Sendable {
  var inEventLoop: Bool { get }
  func execute(_ task: @escaping @Sendable () -> Void)
}
struct ByteBuffer { init(string: String) {} }
struct Connection: Sendable {
  let eventLoop: any EventLoop
  func writeAndFlush(_ buffer: ByteBuffer, promise: Never?) {}
}
struct Parameters { func require(_ name: String) throws -> String { given() } }
struct Context { let parameters: Parameters }
struct RequestBody {
  func consumeWithCancellationOnInboundClose<Value: Sendable>(
    _ operation: (RequestBody) async throws -> Value
  ) async throws -> Value { given() }
}
struct Request { let body: RequestBody }
struct Router {
  func get(_ path: String, use handler: @escaping @Sendable (Request, Context) async throws -> String) {}
}
struct HTTPError: Error {
  enum Status { case serviceUnavailable }
  init(_ status: Status) {}
}
struct Application {
  init(router: Router, services: [any Service]) {}
  func runService() async throws {}
}
let channel: Connection = given()
let server: any Service = given()
@Sendable func parse(_ text: String) throws {}
