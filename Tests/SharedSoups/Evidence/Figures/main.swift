// Measures shared soups on SQLite and on Redis servers that it starts, and prints tables in Markdown.
//
//   swift run -c release --package-path Tests/SharedSoups/Evidence --scratch-path .build/figures shared-figures
//
// Values have 100 bytes. Injections come from one task, one after the other, unless the row says so. The joins are of
// one worker, with all molecules there before it begins, and with a body that does nothing. The calls go to a worker in
// another process. The idle fleet has 100 workers in four processes.

import Crucible
import Foundation
import SharedSoups

typealias Names = (
  a: InnerInjector<String>, b: InnerInjector<String>, echo: InnerFastInjector<Int, Int>, control: SharedControl
)

enum Place: String, CaseIterable {
  case normal, full, memory, disk

  var waitsForDisk: Bool { self == .full || self == .disk }

  func engine(in folder: String) async throws -> Engine {
    switch self {
    case .normal: try await .sqlite("\(folder)/normal.db", durability: .normal)
    case .full: try await .sqlite("\(folder)/full.db", durability: .full)
    case .memory: try await .redis("unix://\(folder)/memory")
    case .disk: try await .redis("unix://\(folder)/disk", acknowledge: .disk)
    }
  }

  /// Starts the server of the place, if it has one.
  func startServer(in folder: String) throws -> Process? {
    guard self == .memory || self == .disk else { return nil }
    let server = Process()
    server.executableURL = URL(fileURLWithPath: "/usr/bin/redis-server")
    server.arguments = [
      "--port", "0", "--unixsocket", "\(folder)/\(self)", "--dir", folder, "--save", "", "--loglevel", "warning",
      "--appendonly", self == .disk ? "yes" : "no", "--appendfsync", "always",
    ]
    try server.run()
    return server
  }
}

func define(_ place: Place, in folder: String) async throws -> SharedSoup<Names> {
  try await Soup.share("figures", on: place.engine(in: folder)) { soup -> Names in
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

func startWorkers(_ count: Int, of place: Place, in folder: String) throws -> Process {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  process.arguments = ["work", place.rawValue, folder, "\(count)"]
  try process.run()
  return process
}

/// The time for which these processes have run on a processor.
func processorTime(of processes: [Process]) throws -> Duration {
  let ticks = try processes.map { process in
    let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
    let fields = text.drop { $0 != ")" }.split(separator: " ")
    return Int(fields[12])! + Int(fields[13])!
  }
  return .milliseconds(ticks.reduce(0, +) * 1000 / sysconf(Int32(_SC_CLK_TCK)))
}

/// The share of a processor that 100 idle workers take, and that they cost the server.
func idleFleet(_ place: Place, _ folder: String, _ shop: SharedSoup<Names>, _ server: Process?) async throws -> String {
  let fleet = try (1...4).map { _ in try startWorkers(25, of: place, in: folder) }
  while try await shop.control.snapshot().workers < 100 { try await Task.sleep(for: .milliseconds(10)) }
  let time = Duration.seconds(20)
  func share(_ processes: [Process]) throws -> () throws -> String {
    let before = try processorTime(of: processes)
    return { String(format: "%.2f %%", (try processorTime(of: processes) - before) / time * 100) }
  }
  let (workers, engine) = (try share(fleet), try share(server.map { [$0] } ?? []))
  try await Task.sleep(for: time)
  let text = "\(try workers()), the server \(try engine()) of a processor"
  for process in fleet { kill(process.processIdentifier, SIGKILL) }
  return text
}

/// The median time of a PING, as Redis' own benchmark measures it.
func ping(_ place: Place, _ folder: String) throws -> String {
  let (benchmark, pipe) = (Process(), Pipe())
  benchmark.executableURL = URL(fileURLWithPath: "/usr/bin/redis-benchmark")
  benchmark.arguments = ["-s", "\(folder)/\(place)", "-t", "ping_mbulk", "-n", "20000", "-c", "1", "--csv"]
  benchmark.standardOutput = pipe
  try benchmark.run()
  let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  let fields = text.split(separator: "\n").last!.split(separator: ",").map { $0.filter { $0 != "\"" } }
  return "\(Int(Double(fields[4])! * 1000)) µs"
}

func report(_ place: Place, _ folder: String) async throws -> [String] {
  let server = try place.startServer(in: folder)
  defer { if let server { kill(server.processIdentifier, SIGKILL) } }
  let shop = try await define(place, in: folder)
  let (scale, calls) = place.waitsForDisk ? (1, 200) : (10, 2000)
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
  let worker = try startWorkers(1, of: place, in: folder)
  _ = try await shop.echo(0)
  rows.append("a call between two processes, p50 | \(try await latencies(calls) { _ = try await shop.echo($0) })")
  let echo = shop.echo
  let blocking = try await withCheckedThrowingContinuation { continuation in
    Thread {
      continuation.resume(with: Result { try blockingLatencies(calls) { _ = try echo.blocking($0) } })
    }.start()
  }
  rows.append("a blocking call between two processes, p50 | \(blocking)")
  if server != nil { rows.append("a PING, p50 | \(try ping(place, folder))") }
  rows.append("100 idle workers | \(try await idleFleet(place, folder, shop, server))")
  try await shop.control.destroy()
  worker.waitUntilExit()
  return rows
}

if CommandLine.arguments.dropFirst().first == "work" {
  let place = Place(rawValue: CommandLine.arguments[2])!
  let soup = try await define(place, in: CommandLine.arguments[3])
  try await withThrowingTaskGroup { group in
    for _ in 0..<Int(CommandLine.arguments[4])! { group.addTask { try await soup.control.work(atOnce: 8) } }
    try await group.waitForAll()
  }
} else {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("figures-\(getpid())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  for place in Place.allCases {
    print("| \(place) | |\n|---|---|")
    for row in try await report(place, folder.path) { print("| \(row) |") }
  }
}
