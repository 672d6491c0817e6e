// Classic problems of coordination, each solved in a small file of this folder.
//
//   swift run gallery [--graphs FOLDER] [--trace FILE] [NAME…]
//
// With `--graphs` it writes the graph of each soup in Graphviz' language. With `--trace` it writes a trace, for
// https://ui.perfetto.dev.

import Crucible

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

var wanted = Array(CommandLine.arguments.dropFirst())

/// Takes an option and its value out of the arguments.
@MainActor func take(_ option: String) -> String? {
  guard let index = wanted.firstIndex(of: option), index + 1 < wanted.count else { return nil }
  defer { wanted.removeSubrange(index...index + 1) }
  return wanted[index + 1]
}

let folder = take("--graphs")
let traceFile = take("--trace")
if let unknown = wanted.first(where: { name in !problems.contains { $0.key == name } }) {
  print("There is no problem '\(unknown)'. These run:")
  for (name, _) in problems { print("  \(name)") }
  exit(2)
}
if let folder {
  try await writeGraphs(of: wanted, to: folder)
} else {
  let trace = try traceFile.map { try Soup.Trace.record(to: $0) }
  for (name, solve) in problems where wanted.isEmpty || wanted.contains(name) {
    print("\(name): \(try await solve())")
  }
  try trace?.end()
}
