import Foundation
import Testing

/// Runs the programs of `Sources/Examples` as a user does, and compares their output.
@Suite(.watched)
struct `Examples` {
  @Test func `The bounded buffer delivers every item in order, then times out`() throws {
    let items = (1...5).map { "item \($0)" }
    let lines = try output(of: "bounded-buffer")
    #expect(lines.dropLast() == items[...])
    let last = try #require(lines.last)
    let error = "the buffer is empty: 'take' of 'buffer' \\([a-z_]+/main.swift:[0-9]+\\): there was no reply in time"
    #expect(try last.wholeMatch(of: Regex(error)) != nil, "\(last)")
  }

  @Test func `The README shows the bounded buffer, and how it explains that it is empty`() throws {
    let readme = try text(of: "README.md")
    let program = try #require(readme.firstMatch(of: /```swift\n(?<code>.*?)```/.dotMatchesNewlines()))
    #expect(try text(of: "Sources/Examples/BoundedBuffer/main.swift").contains(program.code))
    let shown = try #require(readme.firstMatch(of: /```\n(?<text>soup 'buffer'.*?)```/.dotMatchesNewlines()))
    let explained = try output(of: "bounded-buffer", "--explain").drop { $0.hasPrefix("item") }
    #expect(explained.map(withoutTimes) == shown.text.split(separator: "\n").map { withoutTimes(String($0)) })
  }

  @Test func `The counter counts what four tasks add`() throws {
    #expect(try output(of: "counter") == ["4 tasks added 1 a thousand times each: 4000"])
  }

  @Test func `The bank loses no money, and refuses what an account does not have`() throws {
    let lines = try output(of: "bank")
    #expect(lines.first == "Tony cannot pay 1000 to Ada" && lines.last == "together they have 600")
  }

  @Test func `Each join over data pairs what belongs together, and leaves nothing`() throws {
    #expect(
      try output(of: "joins").sorted() == [
        "2 pages were made", "500 shipped, 500 cancelled, 500 refunded, 0 left",
        "90 requests got their own replies, 10 were unclaimed, 0 left", "Ada got 5 pages of 8", "Alan got 5 pages of 8",
        "attic from 0.0 seconds: 30.0 of 1", "cellar from 0.0 seconds: 42.0 of 4",
        "cellar from 60.0 seconds: 65.0 of 3", "cellar: 59.0 seconds is too late",
      ])
  }

  @Test func `Readers see no page that a writer has half changed`() throws {
    #expect(try output(of: "readers-writers") == ["4 writers made 1000 changes; 4 readers saw 0 torn pages"])
  }

  @Test func `The rate limiter starts at most three requests in an interval`() throws {
    let intervals = try output(of: "rate-limiter").map { line in try #require(Int(line.split(separator: " ").last!)) }
    #expect(intervals.count == 9)
    for (number, interval) in intervals.enumerated() { #expect(interval >= number / 3 + 1) }
  }

  @Test(arguments: [
    (20, ["20 files, 80 words, 3 different ones; the most frequent:", "  join: 40", "  calculus: 20", "  the: 20"]),
    (0, ["0 files, 0 words, 0 different ones; the most frequent:"]),
  ])
  func `The map-reduce example counts the words of a folder`(files: Int, lines: [String]) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "words-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for file in 0..<files {
      try "join the join calculus".write(to: folder.appending(path: "\(file).md"), atomically: true, encoding: .utf8)
    }
    #expect(try output(of: "map-reduce", folder.path()) == lines)
  }

  @Test func `The map-reduce example refuses a folder that does not exist`() throws {
    #expect(try output(of: "map-reduce", "/no/folder", status: 2) == ["There is no folder '/no/folder'."])
  }

  @Test func `The gallery lists its problems in narrow lines when it does not know one`() throws {
    let lines = try output(of: "gallery", "nothing", status: 2)
    #expect(lines.first == "There is no problem 'nothing'. These run:" && lines.contains("  santa"))
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test(arguments: [2, 5, 30])
  func `Every philosopher eats`(seats: Int) throws {
    #expect(
      try output(of: "philosophers", "--seats", "\(seats)", "--meals", "100")
        == ["\(seats) philosophers have eaten 100 times each"])
  }

  @Test func `The gallery solves every problem, and draws its graphs`() throws {
    let lines = try output(of: "gallery")
    for line in [
      "blocked-main: 5050", "cancelable: 55, and cancelled", "maximum: 9", "philosophers: [10, 10, 10] meals",
    ] {
      #expect(lines.contains(line))
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "graphs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try output(of: "gallery", "--graphs", folder.path(), "smokers", "santa")
    let graphs = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
    #expect(graphs == ["santa.dot", "smokers.dot"])
    for graph in graphs {
      let text = try String(contentsOf: folder.appending(path: graph), encoding: .utf8)
      #expect(DotReader.mistakes(in: text) == [])
    }
  }

  private func text(of path: String) throws -> String {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private func withoutTimes(_ line: String) -> String {
    line.replacing(/for [0-9.]+ (s|ms|µs|ns),/, with: "for a time,")
  }

  /// Returns the lines that an example prints, except for empty ones. Records an issue unless it exits with the status.
  private func output(of example: String, _ arguments: String..., status: Int32 = 0) throws -> [String] {
    let program = Process()
    program.executableURL = CrucibleTests.program(example)
    program.arguments = arguments
    let pipe = Pipe()
    program.standardOutput = pipe
    try program.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    program.waitUntilExit()
    #expect(program.terminationStatus == status)
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
