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

  @Test(arguments: matchers)
  func `A body on the main actor runs before the body that injects it goes on`(matcher: Matcher) {
    let order = Log<String>()
    let (a, _, _) = matcher.define(slow("a"), slow("b")) { soup, a, b in
      soup.react(a, on: .main) { _ in
        order.append("a begins")
        b()
        order.append("a ends")
      }
      soup.react(b, on: .main) { _ in order.append("b") }
    }
    a()
    #expect(order.all == ["a begins", "b", "a ends"])
  }

  @Test(arguments: matchers, [false, true])
  func `Bodies on the main actor, async or not, nest to a bounded depth, however long the chain`(
    matcher: Matcher, isAsync: Bool
  ) async {
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

  @Test(arguments: matchers)
  func `Bodies on the main actor run in the order of injections from elsewhere`(matcher: Matcher) async throws {
    let count = scaled(1000)
    let seen = Log<Int>()
    let (show, control) = matcher.define(slow("show", of: Int.self)) { soup, show in
      soup.react(show, on: .main) { n in
        MainActor.assertIsolated()
        seen.append(n)
      }
    }
    try await onThread { for n in 0..<count { show(n) } }
    await control.settle()
    #expect(seen.all == Array(0..<count))
  }

  @Test(arguments: matchers)
  func `A body on the main actor runs when the state that it needs comes back`(matcher: Matcher) async {
    let (held, go, ran) = (Gate(), Gate(), Log<Int>())
    let (take, show, control) = matcher.define(slow("take"), slow("show", of: Int.self)) { soup, take, show in
      let state = soup.state("state", 0)
      soup.react(state: state, take) { state, _ in
        state = 10
        held.open()
        go.waitBlocking()
      }
      soup.react(state: state, show, on: .main) { state, n in
        MainActor.assertIsolated()
        ran.append(state + n)
      }
    }
    take()
    await held.wait()
    show(1)
    #expect(ran.all == [], "a body has the state")
    go.open()
    await control.settle()
    #expect(ran.all == [11])
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

/// `.inline` with an `async` body.
@Suite(.watched, .serialized)
struct `Inline async bodies` {
  @Test(arguments: matchers)
  func `A long chain of inline async bodies needs no stack`(matcher: Matcher) async throws {
    let length = scaled(100_000)
    let end = Gate()
    let (a, control) = matcher.define(slow("a", of: Int.self)) { soup, a in
      soup.react(a, on: .inline) { n in
        if n > 0 { a(n - 1) } else { end.open() }
        if n % 1000 == 0 { await Task.yield() }
      }
    }
    try await onThread(stackSize: 512 << 10) { a(length) }
    await end.wait()
    await control.settle()
  }

  @Test(arguments: matchers)
  func `An inline async body replies before the caller suspends, on its thread`(matcher: Matcher) async throws {
    let (ask, _) = matcher.define(fast("ask", returning: UInt.self)) { soup, ask in
      soup.react(ask, on: .inline) { call in
        call.reply(UInt(pthread_self()))
        await Task.yield()
      }
    }
    let (thread, caller) = try await onThread { (try ask.blocking(), UInt(pthread_self())) }
    #expect(thread == caller)
  }
}
