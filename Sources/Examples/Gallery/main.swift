// Classic problems of coordination, each solved in a small file of this folder.
//
//   swift run gallery [NAME]

import Crucible
import Glibc

let problems: KeyValuePairs<String, @Sendable () async throws -> String> = [
  "first-result": { "\(try await firstResult(of: (1...5).map { n in { n > 2 ? n : nil } })!)" },
  "game-of-life": {
    let blinker = (0..<5).map { row in (0..<5).map { row == 2 && (1...3).contains($0) } }
    let world = try await play(blinker, generations: 3)
    return "\n" + world.map { $0.map { $0 ? "#" : "." }.joined() }.joined(separator: "\n")
  },
  "maximum": { "\(try await maximum(of: [3, 9, 4])!)" },
  "merge-sort": { "\(try await mergeSort([3, 9, 4, 1, 5]))" },
  "primes": { "\(try await primes(upTo: 50))" },
  "queens": { "\(try await queens(on: 8).count) placements of 8 queens" },
  "smokers": { "\(try await smoke(rounds: 300).smoked)" },
  "thread-ring": { "node \(try await passToken(around: 503, passes: 10_000))" },
  "chameneos": { "\(try await meet([.blue, .red, .yellow, .blue], meetings: 1000))" },
]

let wanted = CommandLine.arguments.dropFirst()
if let unknown = wanted.first(where: { name in !problems.contains { $0.key == name } }) {
  print("There is no problem '\(unknown)'. These run: \(problems.map(\.key).joined(separator: ", ")).")
  exit(2)
}
for (name, solve) in problems where wanted.isEmpty || wanted.contains(name) {
  print("\(name): \(try await solve())")
}
