// Graphs of the problems, drawn from what their bodies inject when they run.

import Crucible

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Runs each problem, and writes the graphs of its soups into a folder, as `PROBLEM.dot` or `PROBLEM-SOUP.dot`.
func writeGraphs(of wanted: [String], to folder: String) async throws {
  // Soups of one definition share one picture: that of the first.
  var seen: Set<Soup.Source> = []
  for (name, solve) in problems where wanted.isEmpty || wanted.contains(name) {
    let recording = ReactionGraph.Recording()
    _ = try await solve()
    // A body may still run after its reply or injection has ended the problem.
    _ = await Soup.all.quiet(within: .seconds(60))
    recording.end()
    let graphs = recording.graphs.sorted { ($0.source, $0.soup) < ($1.source, $1.soup) }
      .filter { seen.insert($0.source).inserted }
    for graph in graphs {
      let isAlone = graphs.count == 1
      let soup = String(graph.soup.map { $0.isLetter || $0.isNumber ? $0 : "-" }).lowercased()
      let path = "\(folder)/\(isAlone ? name : "\(name)-\(soup)").dot"
      guard let file = fopen(path, "w") else { throw Unwritable(path: path, reason: String(cString: strerror(errno))) }
      fputs(graph.dot, file)
      if fclose(file) != 0 { throw Unwritable(path: path, reason: String(cString: strerror(errno))) }
      print(path)
    }
  }
}

/// A file could not be written.
struct Unwritable: Error {
  let path: String
  let reason: String
}
