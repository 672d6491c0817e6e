// Map and reduce: counts the words of all files below a folder, on every core.
//
//   swift run map-reduce [FOLDER]
//
// `mapReduce` of Compounds maps the files in tasks on the pool, because reading a file may block. It merges the partial
// counts one by one, without a lock. An empty folder has a result too. The page of `mapReduce` shows its reactions.

import Compounds
import Foundation

typealias Words = [Substring: Int]

func countWords(of files: [String]) async throws -> Words {
  try await mapReduce(files, into: Words(), options: .init(placement: .pool)) { path in
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""  // a file that is not text has no words
    return text.split { !$0.isLetter }.reduce(into: Words()) { $0[$1, default: 0] += 1 }
  } reduce: { total, words in
    total.merge(words, uniquingKeysWith: +)
  }
}

let folder = CommandLine.arguments.dropFirst().first ?? "Sources"
var isFolder: ObjCBool = false
guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
  print("There is no folder '\(folder)'.")
  exit(2)
}
let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
let files = names.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }

let words = try await countWords(of: files)
print("\(files.count) files, \(words.values.reduce(0, +)) words, \(words.count) different ones; the most frequent:")
for (word, count) in words.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(5) {
  print("  \(word): \(count)")
}
