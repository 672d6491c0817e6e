// Classic problems of coordination, each solved in a small file of this folder.
//
//   swift run gallery [--graphs FOLDER] [NAME…]
//
// With `--graphs` it writes the graph of each soup in Graphviz' language, and prints what its analysis finds.

import Crucible
import Glibc

var wanted = Array(CommandLine.arguments.dropFirst())
var folder: String?
if let option = wanted.firstIndex(of: "--graphs"), option + 1 < wanted.count {
  folder = wanted[option + 1]
  wanted.removeSubrange(option...option + 1)
}
if let unknown = wanted.first(where: { name in !problems.contains { $0.key == name } }) {
  print("There is no problem '\(unknown)'. These run: \(problems.map(\.key).joined(separator: ", ")).")
  exit(2)
}
if let folder {
  try await writeGraphs(of: wanted, to: folder)
} else {
  for (name, solve) in problems where wanted.isEmpty || wanted.contains(name) {
    print("\(name): \(try await solve())")
  }
}
