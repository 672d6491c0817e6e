import Compounds
import Crucible
import Foundation
import Synchronization

// Threads count in a Redis by a pool of four connections. The server is killed under this load, and started anew.
// Shows that each thread gets answers again, that the new server has counted what they got, that there are never more
// than four connections, and that none is left.

/// What one thread got.
struct Score: Sendable {
  /// The answers of each server.
  var answers = [0, 0]
  var errors = 0
}

let limit = 4
let threads = 12
let port = try Redis.freePort()
let running = Atomic<Int>(0)
let isOver = Atomic<Bool>(false)
let unmade = Atomic<Int>(0)
let scores = Mutex(Array(repeating: Score(), count: threads))

func startServer() throws -> Process {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/redis-server")
  process.arguments = ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
  process.standardOutput = FileHandle.nullDevice
  try process.run()
  return process
}

/// Waits until something holds. After ten seconds it ends the server and the program.
func eventually(_ sentence: String, _ server: Process, _ isSo: () -> Bool) {
  let deadline = ContinuousClock.now + .seconds(10)
  while !isSo() {
    if ContinuousClock.now > deadline { check(false, "not in time: \(sentence)", server) }
    Soup.Pool.sleep(for: .milliseconds(2))
  }
}

func check(_ isSo: Bool, _ sentence: String, _ server: Process) {
  if isSo { return }
  kill(server.processIdentifier, SIGKILL)
  print("Pool: \(sentence); \(Redis.open.load(ordering: .relaxed)) open; \(scores.withLock { $0 })")
  exit(1)
}

// They block a thread of the pool, which runs a replacement meanwhile.
func connect() throws -> Redis {
  try Soup.Pool.blocking { try Redis(port: port, server: running.load(ordering: .acquiring)) }
}
func isAlive(_ redis: Redis) throws -> Bool { try Soup.Pool.blocking { try redis.command("PING") == "PONG" } }

let policy = ConnectionPolicy(
  minimum: 2, dials: 2, waiting: threads, idle: .milliseconds(200), life: .seconds(1), keepAlive: .milliseconds(50),
  backoff: .milliseconds(10)...(.milliseconds(100)))
let options = Soup.Options(placement: .pool, onError: { _ in unmade.add(1, ordering: .relaxed) })
let pool = ConnectionPool(limit: limit, "redis", policy: policy, options: options) {
  try connect()
} check: { redis in
  try isAlive(redis)
} close: { redis in
  redis.close()
}

/// Counts in the server until the end.
func work(_ number: Int) {
  while !isOver.load(ordering: .acquiring) {
    do {
      let server = try pool.blocking.withConnection(within: .seconds(5)) { redis in
        _ = try redis.command("INCR", "answers")
        return redis.server
      }
      scores.withLock { $0[number].answers[server] += 1 }
    } catch {
      scores.withLock { $0[number].errors += 1 }
      Soup.Pool.sleep(for: .milliseconds(1))
    }
  }
}

let first = try startServer()
let group = DispatchGroup()
for number in 0..<threads {
  group.enter()
  Thread.detachNewThread {
    work(number)
    group.leave()
  }
}
eventually("each thread has answers of the first server", first) {
  scores.withLock { $0.allSatisfy { $0.answers[0] >= 100 } }
}
kill(first.processIdentifier, SIGKILL)
first.waitUntilExit()
scores.withLock { for number in $0.indices { $0[number].errors = 0 } }
eventually("each thread has an error of its own, and the minimum cannot be made", first) {
  scores.withLock { $0.allSatisfy { $0.errors > 0 } }
}
running.store(1, ordering: .releasing)
let second = try startServer()
eventually("each thread has answers of the second server", second) {
  scores.withLock { $0.allSatisfy { $0.answers[1] >= 100 } }
}
isOver.store(true, ordering: .releasing)
group.wait()
eventually("the idle connections are closed, but the minimum stays", second) {
  Redis.open.load(ordering: .acquiring) == policy.minimum
}
let answers = scores.withLock { $0.reduce([0, 0]) { [$0[0] + $1.answers[0], $0[1] + $1.answers[1]] } }
let asked = try pool.blocking.withConnection { redis in
  (counted: try redis.command("GET", "answers"), server: redis.server)
}
check(asked.counted == "\(answers[1])", "the server has counted \(asked.counted), the threads \(answers[1])", second)
let report = pool.control.blocking.drain(within: .seconds(5))
check(report.isQuiet && report.unfinished == [], "the drain is \(report)", second)
let most = Redis.most.load(ordering: .acquiring)
check(most == limit, "at most \(most) connections were open", second)
check(Redis.open.load(ordering: .acquiring) == 0, "connections are left", second)
let last = try Redis(port: port, server: 1)
eventually("the server has no other connection", second) {
  (try? last.command("CLIENT", "LIST").split(separator: "\n").count) == 1
}
check(try last.command("INFO", "stats").contains("rejected_connections:0"), "connections were rejected", second)
kill(second.processIdentifier, SIGKILL)
second.waitUntilExit()
print("Pool: \(answers[0]) answers of a Redis, and \(answers[1]) after it was killed, by at most \(most) connections")
