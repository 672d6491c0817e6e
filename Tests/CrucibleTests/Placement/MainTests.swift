import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// `.main`: bodies are isolated to the main actor, and run at once if the injector runs on it.
@Suite(.watched, .serialized)
@MainActor
struct `Bodies on the main actor` {
  @Test(arguments: matchers)
  func `A body on the main actor has run when an injection from there returns`(matcher: Matcher) async {
    var seen: [Int] { page.all }
    let page = Log<Int>()
    let (show, late, control) = matcher.define(slow("show", of: Int.self), slow("late", of: Int.self)) {
      soup, show, late in
      let total = soup.state("total", 0)
      soup.react(state: total, show, on: .main) { total, n in
        total += n
        page.append(total)
      }
      // An async body runs at once until it suspends.
      soup.react(late, on: .main) { n in
        page.append(n)
        await Task.yield()
        page.append(-n)
      }
    }
    show(1)
    #expect(seen == [1])
    show(2)
    #expect(seen == [1, 3])
    late(7)
    #expect(seen == [1, 3, 7])
    await control.settle()
    #expect(seen == [1, 3, 7, -7])
  }

  @Test(arguments: matchers, [false, true])
  func `Bodies on the main actor nest to a bounded depth, async or not`(matcher: Matcher, isAsync: Bool) async {
    let length = scaled(100_000)
    let depths = Depths()
    let (a, control) = matcher.define(slow("a", of: Int.self)) { soup, a in
      let run = { @MainActor @Sendable (n: Int) in
        depths.begin()
        if n > 0 { a(n - 1) }
        depths.end()
      }
      if isAsync {
        soup.react(a, on: .main) { n in
          run(n)
          if n % 1000 == 0 { await Task.yield() }
        }
      } else {
        soup.react(a, on: .main) { n in run(n) }
      }
    }
    a(length)
    await control.settle()
    #expect(depths.bodies == length + 1)
    #expect((2...(isAsync ? 17 : 16)).contains(depths.deepest))
  }

  /// The depth to which bodies are nested on the main thread.
  private final class Depths: @unchecked Sendable {
    private(set) var bodies = 0
    private(set) var deepest = 0
    private var depth = 0

    @MainActor func begin() {
      bodies += 1
      depth += 1
      deepest = max(deepest, depth)
    }

    @MainActor func end() { depth -= 1 }
  }
}
