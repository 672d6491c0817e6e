import Crucible
import CrucibleTestSupport
import Testing

/// States with values that cannot be copied. Each value is in its cell, and nowhere else.
@Suite(.watched, .serialized)
struct `A state that cannot be copied` {
  /// A value whose end the census counts. A copy would end twice.
  struct Book: ~Copyable {
    let census: Census
    let live: Live
    var lines: [Int] = []

    init(_ census: Census) {
      self.census = census
      live = census.live()
    }
  }

  @Test(arguments: Run.setups)
  func `A state that cannot be copied changes in place in bodies with and without a task`(setup: Setup) async throws {
    let census = Census()
    do {
      let (write, later, read, control) = setup.define(
        slow("write", of: Int.self), slow("later", of: Int.self), fast("read", returning: [Int].self), named: "book"
      ) { soup, write, later, read in
        let book = soup.state("book", Book(census))
        soup.react(state: book, write) { book, line in book.lines.append(line) }
        soup.react(state: book, later) { book, line in
          await Task.yield()
          book.lines.append(line)
        }
        soup.react(state: book, read, on: .task) { book, call in call.reply(book.lines.sorted()) }
      }
      for line in 0..<5 { write(line) }
      for line in 5..<10 { later(line) }
      await control.settle()
      #expect(try await read() == Array(0..<10))
      #expect(census.alive == 1)
      await control.stop()
      let error = await #expect(throws: RestartError.self) { try await control.restart() }
      #expect(error?.description.hasPrefix("State 'book'") == true)
      #expect(census.alive == 1)
    }
    await census.expectExtinction()
  }

  @Test(arguments: matchers)
  func `A state that cannot be copied may be exchanged, replaced before an error, and made again at a restart`(
    matcher: Matcher
  ) async throws {
    struct Torn: Error {}
    let census = Census()
    do {
      let (both, flip, tear, lines, control) = matcher.with(onError: { _ in }).define(
        slow("both", of: Int.self), fast("flip", returning: Void.self), slow("tear"),
        fast("lines", returning: [[Int]].self)
      ) { soup, both, flip, tear, lines in
        let left = soup.state("left") { Book(census) }
        let right = soup.state("right") { Book(census) }
        let count = soup.state("count", 0)
        soup.react(state: left, state: right, both, on: .inline) { left, right, line in
          left.lines.append(line)
          right.lines.append(-line)
        }
        soup.react(state: left, state: right, flip, on: .inline) { left, right, call in
          (left.lines, right.lines) = (right.lines, left.lines)
          call.reply()
        }
        soup.react(state: left, tear, on: .inline) { left, _ in
          left = Book(census)
          throw Torn()
        }
        soup.react(state: left, state: right, state: count, lines, on: .task) { left, right, count, call in
          count += 1
          call.reply([left.lines, right.lines, [count]])
        }
      }
      both(1)
      #expect(try await lines() == [[1], [-1], [1]])
      try await flip()
      #expect(try await lines() == [[-1], [1], [2]])
      // The states return after the reply, so without `settle` either reaction could be first.
      tear()
      await control.settle()
      #expect(try await lines() == [[], [1], [3]])
      #expect(census.alive == 2)
      await control.stop()
      try await control.restart()
      #expect(try await lines() == [[], [], [1]])
      #expect(census.alive == 2)
    }
    await census.expectExtinction()
  }
}
