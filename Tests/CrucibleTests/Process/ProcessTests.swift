import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// The end of the process, and its fork.
@Suite(.watched)
struct `Processes` {
  @Test(arguments: 0..<8, ["word", "locked"])
  func `may exit while the pool works`(round: Int, matcher: String) async {
    await #expect(processExitsWith: .exitCode(0)) { [round = round as Int, matcher = matcher as String] in
      Watchdog.guardProcess("exit")
      let begun = Latch(round * 100 + 1)
      let (a, b) = Soup.define("endless", matcher: Matcher(named: matcher)) { soup in
        let a = soup.slow("a", of: [Int].self)
        let b = soup.slow("b")
        let echo = soup.fast("echo", of: Int.self, returning: Int.self)
        soup.react(a & b) { list, _ in
          begun.countDown()
          b()
          _ = try? echo.blocking(1)
          a(list.reversed())
        }
        soup.react(echo) { $0.reply($0.input) }
        return (a, b)
      }
      for _ in 0..<4 {
        a([1, 2, 3])
        b()
      }
      await begun.wait()
      if round % 2 == 0 { exit(0) }
      // Else by returning, with the soup alive.
      Self.kept.put(a)
    }
  }

  private static let kept = Shared<Injector<[Int]>>(nil)

  @Test(arguments: 0..<3, ["word", "locked"])
  func `may exit while threads wait for replies`(round: Int, matcher: String) async {
    await #expect(processExitsWith: .exitCode(0)) { [matcher = matcher as String] in
      Watchdog.guardProcess("exit with callers")
      let (wait, control) = Soup.define("waiting", matcher: Matcher(named: matcher)) { soup in
        let wait = soup.fast("wait", returning: Int.self)
        let never = soup.slow("never")
        soup.react(wait & never) { call, _ in call.reply(1) }
        return (wait, soup.control)
      }
      for _ in 0..<4 { Task.detached { try await onThread { try wait.blocking() } } }
      while control.snapshot()[wait] < 4 { await Task.yield() }
      exit(0)
    }
  }

  @Test(arguments: ["word", "locked"])
  func `that are forks make and use soups of their own`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("fork")
      try await onThread {
        // Everything that the child does has been done once before: the Swift runtime's own locks are settled.
        #expect(Self.counts(to: 300, Matcher(named: matcher), .inline))
        #expect(Self.counts(to: 300, Matcher(named: matcher), .pool))
        for _ in 0..<5 {
          #expect(forked { Self.counts(to: 3000, Matcher(named: matcher), .inline) } == 0)
        }
        #expect(Self.counts(to: 300, Matcher(named: matcher), .pool), "the parent goes on")
      }
    }
  }

  @Test(arguments: ["word", "locked"])
  func `that are forks have a pool of their own`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("fork")
      try await onThread {
        #expect(Self.counts(to: 300, Matcher(named: matcher), .pool))
        for _ in 0..<5 {
          #expect(forked { Self.counts(to: 3000, Matcher(named: matcher), .pool) } == 0)
        }
        #expect(Self.counts(to: 300, Matcher(named: matcher), .pool), "the parent goes on")
      }
    }
  }

  /// Makes a soup, drives a backlog through it, and drops it.
  private static func counts(to count: Int, _ matcher: Matcher, _ placement: Placement) -> Bool {
    let (add, go, total, control) = Soup.define("child", matcher: matcher) { soup in
      let sum = soup.state("sum", 0)
      let add = soup.slow("add", of: Int.self)
      let go = soup.slow("go")
      let total = soup.fast("total", returning: Int.self)
      soup.react(sum & add & go, on: placement) { sum, n, _ in sum += n }
      soup.react(sum & total, on: placement) { sum, call in call.reply(sum) }
      return (add, go, total, soup.control)
    }
    for n in 1...count { add(n) }
    for _ in 1...count { go() }
    guard control.waitUntilQuiet(within: .seconds(20)) else { return false }
    return (try? total.blocking()) == count * (count + 1) / 2
  }
}
