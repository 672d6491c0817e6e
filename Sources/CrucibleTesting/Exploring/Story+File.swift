import Crucible
import Synchronization

extension Story {
  /// The story as a file for the inspector. Chrome and Perfetto read it too: each step is a slice of a microsecond.
  func file(_ reason: String, _ source: Soup.Source, again: String) -> String {
    var names: [String] = []
    for step in steps where !names.contains(step.name) { names.append(step.name) }
    var last: [Contents] = []
    let slices = steps.enumerated().map { index, step in
      last = step.soups ?? last
      let place = #""pid":1,"tid":\#(names.firstIndex(of: step.name)! + 1),"ts":\#(index + 1),"dur":1"#
      let soups = last.map(\.json).joined(separator: ",")
      return #"{"ph":"X","name":\#(quoted(sentence(of: step))),\#(place),"args":{"soups":[\#(soups)]}}"#
    }
    let tracks = names.enumerated().map { index, name in
      #"{"ph":"M","name":"thread_name","pid":1,"tid":\#(index + 1),"args":{"name":\#(quoted(name))}}"#
    }
    let what = #"{"source":\#(quoted(source.description)),"reason":\#(quoted(reason)),"again":\#(quoted(again))}"#
    return #"{"crucible":\#(what),"traceEvents":["# + "\n" + (tracks + slices).joined(separator: ",\n") + "\n]}\n"
  }
}

extension Story.Contents {
  fileprivate var json: String {
    let counts = molecules.map { "[\(quoted($0.label)),\($0.molecules)]" }.joined(separator: ",")
    let waiting = callers.map { call in
      quoted("\(call.molecule) from \(call.source)" + (call.limit.map { ", limit \($0)" } ?? ""))
    }
    let rest = #""molecules":[\#(counts)],"callers":[\#(waiting.joined(separator: ","))]"#
    return #"{"number":\#(number),"soup":\#(quoted(soup)),\#(rest)}"#
  }
}

extension ExplorationFailure {
  /// The number of stories of each place that this process has written.
  private static let written = Mutex<[String: Int]>([:])

  /// Writes the story to the folder that the variable `CRUCIBLE_STORIES` names. Returns what it has done.
  static func write(_ text: @autoclosure () -> String, for source: Soup.Source) -> String? {
    guard let folder = environment("CRUCIBLE_STORIES"), !folder.isEmpty else { return nil }
    let name = source.file.split(separator: "/").last?.split(separator: ".").first ?? "story"
    let place = "\(folder)/\(name)-\(source.line)"
    let number = written.withLock { written in
      written[place, default: 0] += 1
      return written[place]!
    }
    let path = place + (number > 1 ? "-\(number)" : "") + ".json"
    let (file, error) = createFile(path)
    let failed = error ?? writeAll(Array(text().utf8), to: file)
    let closed = error == nil ? closeFile(file) : nil
    if let error = failed ?? closed {
      return "the story could not be written to \(path): \(describe(error))"
    }
    return "steps: \(path)"
  }
}
