import Glibc

/// Returns what stands in the way of a faster result, by case, from `obstacles.tsv`.
func readObstacles(_ path: String) throws(Wrong) -> [(name: Substring, text: Substring)] {
  guard let file = fopen(path, "r") else { throw Wrong("\(path): \(String(cString: strerror(errno)))") }
  defer { fclose(file) }
  return readText(file).split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
    let end = line.firstIndex(of: "\t") ?? line.endIndex
    return (line[..<end], line[end...].dropFirst())
  }
}
