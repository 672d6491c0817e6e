import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// Contract 7, counted over a whole process. Each test runs in a process of its own.
@Suite(.watched)
struct `Ownership` {
  @Test(arguments: matcherNames)
  func `Soups that nobody owns any more return all their memory`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("memory")
      @Sendable func work(_ placement: Placement) {
        let (a, b, control) = Soup.define("work", with: .init(matcher: Matcher(matcher)!)) { soup in
          let count = soup.state("count", 0)
          let a = soup.slow("a", of: Line.self)
          let b = soup.slow("b")
          let value = soup.fast("value", returning: Int.self)
          soup.react(state: count, a, b, on: placement) { n, _, _ in n += 1 }
          soup.react(state: count, value, on: placement) { n, call in call.reply(n) }
          return (a, b, soup.control)
        }
        for n in 0..<5000 { a(Line(filledWith: UInt64(n))) }
        for _ in 0..<4000 { b() }
        control.blocking.quiet(within: patience)
      }
      try await onThread {
        // A first run makes objects that live as long as the process: thread records, the queue of the pool.
        for placement in [Placement.inline, .pool] { work(placement) }
        let before = Memory.settledBytes
        for _ in 0..<20 { for placement in [Placement.inline, .pool] { work(placement) } }
        // On the pool, a body and its soup may end a moment after the soup is quiet.
        while Soup.all.count > 0 { sched_yield() }
        let grown = Memory.settledBytes - before
        // The queue of the pool keeps at most a ring or two of 16 KB.
        #expect(grown < 64 << 10, "grown by \(grown) bytes in 40 soups of more than 300 KB each")
      }
      #expect(Soup.all.count == 0)
    }
  }

  @Test func `Soup.all counts the soups of the process`() async {
    await #expect(processExitsWith: .success) {
      #expect(Soup.all.count == 0)
      var names: [Injector<Void>] = (0..<10).map { _ in
        Soup.define { soup in
          let a = soup.slow("a")
          soup.react(a) { _ in }
          return a
        }
      }
      #expect(Soup.all.count == 10)
      names.removeLast(3)
      #expect(Soup.all.count == 7)
      names = []
      #expect(Soup.all.count == 0)
    }
  }
}
