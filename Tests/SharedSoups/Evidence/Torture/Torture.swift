import Crucible
import Foundation

@testable import SharedSoups

/// One run: the workers, what was injected, and what callers got.
final class Torture {
  private let path: String
  private var random: Randomness
  private var workers: [Child] = []
  private var (kills, stops, revived) = (0, 0, 0)
  private var problems: [String] = []

  init(_ path: String, seed: UInt64) {
    self.path = path
    random = Randomness(state: seed)
  }

  func run(rounds: Int) async throws -> [String] {
    let soup = try await define(on: openEngine(path))
    try await soup.coin.inject(contentsOf: 0..<coins, once: "coins")
    for _ in 1...2 { try startWorker() }
    var (grabbed, timedOut) = ([Int](), 0)
    for round in 0..<rounds {
      for name in [(soup.a, "a", 0), (soup.b, "b", 1)] {
        for n in 0..<batch {
          let number = (round * batch + n)
          let times = random.next(below: 5) == 0 ? 2 : 1
          for attempt in 1...times {
            let isNew = try await name.0.inject([number * 2 + name.2], producer: name.1, number: Int64(number))
            if isNew != (attempt == 1) { problems.append("injection \(number) of \(name.1) was \(isNew)") }
          }
        }
      }
      let calls = try await withThrowingTaskGroup { group in
        for _ in 0..<10 {
          let limit = Duration.microseconds(random.next(below: 5_000))
          group.addTask { [grab = soup.grab] () -> Int? in
            do throws(CallError) { return try await grab(within: limit) } catch .timedOut { return nil }
          }
        }
        return try await group.reduce(into: [Int?]()) { $0.append($1) }
      }
      grabbed += calls.compactMap { $0 }
      timedOut += calls.count { $0 == nil }
      try disturb()
      // The state is in the hands of a worker that was killed or stopped, or it is not.
      _ = try await soup.total(within: .seconds(30))
      for letter in try await soup.control.deadLetters() where try await letter.retry() { revived += 1 }
    }
    try await end(soup, injected: 2 * rounds * batch, grabbed)
    print(
      """
      seed \(seed): \(2 * rounds * batch) molecules, \(kills) kills, \(stops) stops, \(revived) dead letters revived, \
      \(grabbed.count) calls replied, \(timedOut) timed out
      """)
    return problems
  }

  private func startWorker() throws {
    workers.append(try Child(["work", path]))
  }

  /// Kills one of the workers, or stops one until its lease is over. A timer continues it: while it holds the turn to
  /// write, no other process can do anything.
  private func disturb() throws {
    let index = random.next(below: workers.count)
    if random.next(below: 3) == 0 {
      let worker = workers[index]
      worker.send(SIGSTOP)
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) { worker.send(SIGCONT) }
      stops += 1
    } else {
      let victim = workers.remove(at: index)
      victim.send(SIGKILL)
      kills += 1
      let end = victim.wait()
      if end != "signal 9" { problems.append("a worker ended with \(end)") }
      try startWorker()
    }
  }

  /// Lets the workers finish, and compares what is left with what was injected.
  private func end(_ soup: SharedSoup<Names>, injected: Int, _ grabbed: [Int]) async throws {
    let total = try await finish(soup)
    var parts = Parts()
    for name in [soup.a, soup.b, soup.c, soup.e, soup.z] {
      parts += try await soup.control.waiting(name, limit: 1_000_000).joined()
    }
    let expected = Array(0..<injected)
    if parts.sorted() != expected {
      let counts = Dictionary(grouping: parts, by: \.self).mapValues(\.count)
      problems.append("lost: \(expected.filter { counts[$0] == nil }); twice: \(counts.filter { $0.value > 1 }.keys)")
    }
    let made = try await soup.control.waiting(soup.z, limit: 1_000_000).flatMap { $0 }
    if total.parts != made.count || total.sum != made.reduce(0, +) {
      problems.append("the state has \(total), and z has \(made.count) parts with the sum \(made.reduce(0, +))")
    }
    let left = try await soup.control.waiting(soup.coin)
    if (left + grabbed).sorted() != Array(0..<coins) {
      problems.append("coins that callers have: \(grabbed.sorted()); coins in the soup: \(left.sorted())")
    }
    try await awaitWorkers(soup.control)
    try await soup.control.destroy()
    for worker in workers {
      let end = worker.wait()
      if end != "status 0" { problems.append("a worker ended with \(end)") }
    }
  }

  /// Waits until each worker has registered: one that comes after the end would define the soup anew. They are told
  /// apart, because a worker that was killed counts until its lease is over.
  private func awaitWorkers(_ control: SharedControl) async throws {
    let expected = Set(workers.map(\.process))
    let deadline = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < deadline {
      let contents = try await control.run("contents") { try $0.contents(of: $1.soup) }
      if expected.isSubset(of: contents.workers.map(\.process)) { return }
      await Task.yield()
    }
    problems.append("the workers \(expected) did not all register")
  }

  /// Retries dead letters until there are none, and drains. Returns the state.
  private func finish(_ soup: SharedSoup<Names>) async throws -> Total {
    while true {
      let left = try await soup.control.drain(within: .seconds(60))
      if left.isBusy { problems.append("not finished: \(left)") }
      try await soup.control.resume()
      let letters = try await soup.control.deadLetters()
      if letters.isEmpty || left.isBusy { break }
      for letter in letters where try await letter.retry() { revived += 1 }
    }
    return try await soup.total(within: .seconds(60))
  }
}

/// Another process of this program. `Process` of Foundation needs the run loop of the thread that started it, and a
/// task has no thread of its own.
struct Child {
  let process: pid_t

  init(_ arguments: [String], of program: String? = nil) throws {
    var words = ([program ?? "shared-torture"] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let status = posix_spawnp(&process, program ?? "/proc/self/exe", nil, nil, &words, environ)
    if status != 0 { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EIO) }
    self.process = process
  }

  func send(_ signal: Int32) { kill(process, signal) }

  func wait() -> String {
    var status: Int32 = 0
    while waitpid(process, &status, 0) != process {}
    return status & 0x7f == 0 ? "status \(status >> 8 & 0xff)" : "signal \(status & 0x7f)"
  }
}

/// Numbers that a seed repeats.
struct Randomness {
  var state: UInt64

  mutating func next(below limit: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((z ^ (z >> 31)) % UInt64(limit))
  }
}
