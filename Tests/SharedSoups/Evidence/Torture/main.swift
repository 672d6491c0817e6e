// Kills, stops and doubles whatever takes part in a shared soup, then proves that nothing was lost, and nothing done
// twice. The proof reads only what the engine has acknowledged: every value names the molecules that it was made of.
//
//   shared-torture [SEED [ROUNDS [redis]]]
//
// The chemistry: a & b → c; c & c → e; e & the state → z; calls on the state; coins that callers grab. Two processes
// work. In each round this process injects, a fifth of it twice, and calls, with limits that are often too short. Then
// it kills a worker by SIGKILL, or stops one for longer than its lease. Workers report a part of their firings twice,
// and one body in thirty throws.

import Crucible
import Foundation

@testable import SharedSoups

let seed = CommandLine.arguments.dropFirst().first.flatMap { UInt64($0) } ?? UInt64.random(in: 0...999_999)
let lease = Duration.milliseconds(200)
let (batch, coins) = (50, 500)

func openEngine(_ place: String) async throws -> Engine {
  place.hasPrefix("unix:") ? try await .redis(place) : try await .sqlite(place, durability: .normal)
}

if CommandLine.arguments.dropFirst().first == "work" {
  let engine = Engine(Doubling(try await openEngine(CommandLine.arguments[2]).store))
  try await define(on: engine).control.work(atOnce: 6, lease: lease)
} else {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("torture-\(getpid())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let rounds = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 15
  let server =
    CommandLine.arguments.last == "redis"
    ? try Child(
      "--port 0 --unixsocket redis --save  --logfile log --dir \(folder.path)".split(
        separator: " ", omittingEmptySubsequences: false
      ).map(String.init), of: "redis-server") : nil
  let place = server == nil ? "\(folder.path)/soup.db" : "unix://\(folder.path)/redis"
  let problems = try await Torture(place, seed: seed).run(rounds: rounds)
  server?.send(SIGKILL)
  for problem in problems { print("WRONG: \(problem)") }
  if !problems.isEmpty {
    print("the database is in \(folder.path); again: shared-torture \(seed) \(rounds)")
    exit(1)
  }
  try FileManager.default.removeItem(at: folder)
}
