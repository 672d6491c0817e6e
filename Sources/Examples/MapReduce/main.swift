// Map and reduce: counts the words of all files below a folder, on every core.
//
//   swift run map-reduce [FOLDER]
//
// Each `file` is mapped by a body of its own, on the pool. `tally` is a state, so the partial counts are merged one by
// one, without a lock. The last of them injects `complete`, which answers the caller. An empty folder has an answer
// too.

import Crucible
import Foundation

typealias Words = [Substring: Int]

func countWords(of files: [String]) async throws -> Words {
  let (file, result) = Soup.define("words") { soup in
    let file = soup.slow("file", of: String.self)
    let words = soup.slow("words", of: Words.self)
    let tally = soup.state("tally", (missing: files.count, words: Words()))
    let complete = soup.slow("complete", of: Words.self)
    let result = soup.fast("result", returning: Words.self)

    soup.react(file) { path in
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""  // what is no text has no words
      words(text.split { !$0.isLetter }.reduce(into: [:]) { $0[$1, default: 0] += 1 })
    }
    soup.react(state: tally, words) { tally, words in
      tally.words.merge(words, uniquingKeysWith: +)
      tally.missing -= 1
      if tally.missing == 0 { complete(tally.words) }
    }
    soup.react(result, complete) { call, words in call.reply(words) }

    if files.isEmpty { complete([:]) }
    return (file, result)
  }
  file.inject(contentsOf: files)
  return try await result()
}

let folder = CommandLine.arguments.dropFirst().first ?? "Sources"
let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
let files = names.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }

let words = try await countWords(of: files)
print("\(files.count) files, \(words.values.reduce(0, +)) words, \(words.count) different ones; the most frequent:")
for (word, count) in words.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(5) {
  print("  \(word): \(count)")
}
