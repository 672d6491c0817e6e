import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Foundation
import Testing

#sourceLocation(file:"BufferTests.swift",line:1)
@discardableResult
private func exploreBuffer(throws: Bool = false) async throws -> Exploration {
  try await explore(seed: 1) { world in
    let (put, take, control) = makeBuffer()
    world.task("producer") { try? await put("a", within: .seconds(1)) }
    world.task("consumer") { _ = try? await take(within: .seconds(1)) }
    await world.quiet()
    let counts = control.snapshot()
    if `throws` && counts["free"]! + counts["full"]! != 1 { throw Lost() }
    #expect(counts["free"]! + counts["full"]! == 1)
  }
}

/// A buffer that forgets the item if a consumer has given up.
private func makeBuffer() -> (
  put: FastInjector<String, Void>, take: FastInjector<Void, String>, control: Soup.Control
) {
  Soup.define("buffer") { soup in
    let free = soup.slow("free")
    let full = soup.slow("full", of: String.self)
    let put = soup.fast("put", of: String.self, returning: Void.self)
    let take = soup.fast("take", returning: String.self)
    soup.react(put, free) { call, _ in
      if call.reply() { full(call.input) } else { free() }
    }
    soup.react(take, full) { call, item in
      if call.reply(item) { free() }
    }
    free()
    return (put, take, soup.control)
  }
}
#sourceLocation()

private struct Lost: Error {}

@Suite struct StoryTests {
  private static func read(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test func `A failure tells the story of the chapter`() async throws {
    let failure = try await #require(throws: ExplorationFailure.self) { try await exploreBuffer() }
    let chapter = try Self.read("Sources/Crucible/Crucible.docc/Testing.md")
    let steps = failure.story.enumerated().map { "  \($0 + 1) \($1)" }.joined(separator: "\n")
    let isTold = chapter.contains(steps + "\nagain: explore(.replay(\"\(failure.replay)\"))")
    #expect(isTold, "\(failure)")
  }

  @Test func `A failure writes the file that the inspector shows`() async throws {
    let there = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let folder = FileManager.default.temporaryDirectory.appending(path: "stories-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      defer { try? FileManager.default.removeItem(at: folder) }
      setenv("CRUCIBLE_STORIES", folder.path, 1)
      let failure = try await #require(throws: ExplorationFailure.self) { try await exploreBuffer(throws: true) }
      let path = folder.appending(path: "BufferTests-3.json").path
      #expect("\(failure)".hasSuffix("steps: \(path)"))
      print(try String(contentsOfFile: path, encoding: .utf8))
    }
    let written = String(decoding: there.standardOutputContent, as: UTF8.self)
    let isShown = written.contains(try Self.read("Tests/Inspector/story.json"))
    #expect(isShown, "\(written)")
  }

  private static func makeCalls(_ matcher: Soup.Matcher) -> (
    Injector<Int>, FastInjector<Void, Int>, FastInjector<Bool, Void>
  ) {
    Soup.define(with: .init(matcher: matcher)) { soup in
      let number = soup.slow("number", of: Int.self)
      let next = soup.fast("next", returning: Int.self)
      let never = soup.fast("never", of: Bool.self, returning: Void.self)
      soup.react(next, number) { call, value in call.reply(value) }
      soup.react(never, number, number) { call, _, _ in call.reply() }
      return (number, next, never)
    }
  }

  private static func exploreCalls(_ matcher: Soup.Matcher) async throws {
    // Soups of this thread have been here before, and share nothing that the story needs.
    _ = (makeCalls(matcher), makeCalls(matcher))
    try await explore(.all(preemptions: 0), matchers: [matcher], schedules: 1, timeWaits: true, line: 1) { world in
      let (number, next, never) = makeCalls(world.matcher)
      number(7)
      world.thread("blocked") { _ = try next.blocking() }
      world.task("selecting") { _ = try? await Soup.first(of: never.call(true), within: .seconds(1)) }
      await world.quiet()
      throw Lost()
    }
  }
  private static let blocking = #line - 6

  @Test(arguments: Soup.Matcher.all)
  func `A story has plain values, and the lines of blocking calls and selects`(matcher: Soup.Matcher) async throws {
    let failure = try await #require(throws: ExplorationFailure.self) { try await Self.exploreCalls(matcher) }
    for step in [
      "test: injects number(7)", "blocked: calls next (line \(Self.blocking))", "replies 7 to next",
      "selecting: calls never(true) (line \(Self.blocking + 1))", "test: throws Lost()",
      "selecting: never is withdrawn (line \(Self.blocking + 1))",
    ] { #expect(failure.story.contains { $0.contains(step) }, "\(failure)") }
    let settings = matcher == .automatic ? "" : ", matchers: [.\(matcher)]"
    #expect("\(failure)".hasSuffix("again: explore(.replay(\"0-0\")\(settings), timeWaits: true)"), "\(failure)")
  }
}
