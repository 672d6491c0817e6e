// Measures a shared soup on SQLite, and prints a table in Markdown.
//
//   swift run -c release --package-path Tests/SharedSoups/Evidence --scratch-path .build/figures shared-figures
//
// Values have 100 bytes. Injections come from one task, one after the other, unless the row says so. The joins are of
// one worker, with all molecules there before it begins, and with a body that does nothing. The calls go to a worker in
// another process.

import Crucible
import Foundation
import SharedSoups

typealias Names = (
  a: InnerInjector<String>, b: InnerInjector<String>, echo: InnerFastInjector<Int, Int>, control: SharedControl
)

func define(_ path: String, _ durability: Engine.Durability) async throws -> SharedSoup<Names> {
  try await Soup.share("figures", on: .sqlite(path, durability: durability)) { soup -> Names in
    let (a, b) = (soup.slow("a", of: String.self), soup.slow("b", of: String.self))
    let echo = soup.fast("echo", of: Int.self, returning: Int.self)
    soup.react(a, b) { _, _ in }
    soup.react(echo) { call in call.reply(call.input) }
    return (a, b, echo, soup.control)
  }
}

let value = String(repeating: "x", count: 98)

/// The number of units a second.
func rate(_ units: Int, _ body: () async throws -> Void) async rethrows -> Int {
  let time = try await ContinuousClock().measure(body)
  return Int(Double(units) / (time / .seconds(1)))
}

func injections(_ shop: SharedSoup<Names>, size: Int, batches: Int) async throws -> Int {
  let batch = Array(repeating: value, count: size)
  let rate = try await rate(size * batches) {
    for _ in 0..<batches { try await shop.a.inject(contentsOf: batch) }
  }
  // As many partners, so that joins have as many of both.
  for _ in 0..<batches { try await shop.b.inject(contentsOf: batch) }
  return rate
}

func joins(_ shop: SharedSoup<Names>, atOnce limit: Int) async throws -> Int {
  let pairs = try await shop.control.snapshot()["a"]!
  let rate = try await rate(pairs) {
    let work = Task { try await shop.control.work(atOnce: limit) }
    try await shop.control.drain(within: .seconds(120))
    work.cancel()
    try await work.value
  }
  try await shop.control.resume()
  return rate
}

func latencies(_ calls: Int, _ call: (Int) async throws -> Void) async rethrows -> String {
  var times: [Duration] = []
  for n in 0..<calls { times.append(try await ContinuousClock().measure { try await call(n) }) }
  return percentiles(times)
}

func blockingLatencies(_ calls: Int, _ call: (Int) throws -> Void) rethrows -> String {
  percentiles(try (0..<calls).map { n in try ContinuousClock().measure { try call(n) } })
}

func percentiles(_ times: [Duration]) -> String {
  let times = times.sorted()
  func microseconds(_ share: Double) -> Int { Int(times[Int(Double(times.count) * share)] / .microseconds(1)) }
  return "\(microseconds(0.5)) µs (p99 \(microseconds(0.99)) µs)"
}

func report(_ durability: Engine.Durability, _ folder: String, calls: Int) async throws -> [String] {
  let path = "\(folder)/\(durability).db"
  let shop = try await define(path, durability)
  let scale = durability == .full ? 1 : 10
  var rows: [String] = []
  for (size, batches) in [(1, 300 * scale), (10, 100 * scale), (100, 30 * scale)] {
    rows.append(
      "injections a second, \(size) a transaction | \(try await injections(shop, size: size, batches: batches))")
  }
  let tasks = 100
  let each = 3 * scale
  let together = try await rate(tasks * each) {
    try await withThrowingTaskGroup { group in
      for _ in 0..<tasks { group.addTask { for _ in 0..<each { try await shop.a(value) } } }
      try await group.waitForAll()
    }
  }
  rows.append("injections a second, singly by \(tasks) tasks at a time | \(together)")
  for _ in 0..<each { try await shop.b.inject(contentsOf: Array(repeating: value, count: tasks)) }
  rows.append("joins a second, 32 bodies at once | \(try await joins(shop, atOnce: 32))")
  _ = try await injections(shop, size: 100, batches: 2 * scale)
  rows.append("joins a second, 1 body at once | \(try await joins(shop, atOnce: 1))")
  let worker = Process()
  worker.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  worker.arguments = ["work", path, "\(durability)"]
  try worker.run()
  _ = try await shop.echo(0)
  rows.append("a call between two processes, p50 | \(try await latencies(calls) { _ = try await shop.echo($0) })")
  let echo = shop.echo
  let blocking = try await withCheckedThrowingContinuation { continuation in
    Thread {
      continuation.resume(with: Result { try blockingLatencies(calls) { _ = try echo.blocking($0) } })
    }.start()
  }
  rows.append("a blocking call between two processes, p50 | \(blocking)")
  try await shop.control.destroy()
  worker.waitUntilExit()
  return rows
}

if CommandLine.arguments.dropFirst().first == "work" {
  let durability: Engine.Durability = CommandLine.arguments[3] == "full" ? .full : .normal
  try await define(CommandLine.arguments[2], durability).control.work(atOnce: 8)
} else {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("figures-\(getpid())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  for (durability, calls) in [(Engine.Durability.normal, 2000), (.full, 200)] {
    print("| \(durability) | |\n|---|---|")
    for row in try await report(durability, folder.path, calls: calls) { print("| \(row) |") }
  }
}
