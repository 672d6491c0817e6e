import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// `.inline`: bodies run on the injecting thread, with a bounded stack. A body that blocks hides no other firing.
@Suite(.watched, .serialized)
struct `Inline bodies` {
  @Test(arguments: matchers)
  func `An inline body runs on the thread that completes the match, at once`(matcher: Matcher) async throws {
    let threads = Log<UInt>()
    let (a, b, _) = matcher.react(slow("a"), slow("b", of: Int.self), on: .inline) { _, _ in
      threads.append(UInt(pthread_self()))
    }
    a()
    try await onThread {
      b(1)
      #expect(threads.all == [UInt(pthread_self())])
    }
  }

  @Test(arguments: matchers)
  func `An inline body of a call runs on the calling thread`(matcher: Matcher) async throws {
    let (ask, _) = matcher.react(fast("ask", returning: UInt.self), on: .inline) {
      $0.reply(UInt(pthread_self()))
    }
    let (thread, caller) = try await onThread { (try ask.blocking(), UInt(pthread_self())) }
    #expect(thread == caller)
  }

  @Test(arguments: matchers, [false, true])
  func `Ten million inline reactions in a chain need no stack`(matcher: Matcher, isAsync: Bool) async throws {
    // Only the matcher with the harder task gets long chains. On `locked` they would only take time.
    let length = scaled(isAsync ? 100_000 : matcher == .word ? 10_000_000 : 1_000_000)
    let end = Gate()
    let (a, control) = matcher.define(slow("a", of: Int.self), named: "chain") { soup, a in
      if isAsync {
        soup.react(a, on: .inline) { n in
          if n > 0 { a(n - 1) } else { end.open() }
          if n % 1000 == 0 { await Task.yield() }
        }
      } else {
        soup.react(a, on: .inline) { n in if n > 0 { a(n - 1) } else { end.open() } }
      }
    }
    try await onThread(stackSize: 512 << 10) { a(length) }
    await end.wait()
    await control.settle()
    #expect(control.snapshot()[a] == 0)
  }

  /// Makes a soup whose `node(n)` grows a tree of 2^n leaves. Returns also the number of leaves.
  static func tree(_ matcher: Matcher) -> (node: Injector<Int>, leaves: Tally, control: Soup.Control) {
    let leaves = Tally()
    let (node, control) = matcher.define(slow("node", of: Int.self)) { soup, node in
      soup.react(node, on: .inline) { n in
        if n == 0 {
          leaves.add()
        } else {
          node(n - 1)
          node(n - 1)
        }
      }
    }
    return (node, leaves, control)
  }

  @Test(arguments: matchers)
  func `A tree of inline reactions has all its leaves when the injection returns`(matcher: Matcher) async throws {
    let (node, leaves, _) = Self.tree(matcher)
    // A stack this small has no room for 17 levels.
    try await onThread(stackSize: 64 << 10) {
      node(16)
      #expect(leaves.count == 1 << 16)
    }
  }

  @Test(arguments: matchers)
  func `A chain of inline reactions that a body on the pool begins ends at once`(matcher: Matcher) async throws {
    let bodies = Tally()
    let (run, _, _) = matcher.define(
      fast("run", of: Int.self, returning: Int.self), slow("a", of: Int.self), named: "chain"
    ) { soup, run, a in
      soup.react(run) { call in
        a(call.input)
        call.reply(bodies.count)
      }
      soup.react(a, on: .inline) { n in
        bodies.add()
        if n > 1 { a(n - 1) }
      }
    }
    #expect(try await run(100_000) == 100_000)
  }

  @Test(arguments: matchers)
  func `Inline bodies that nest too deeply run in order, before the injection returns`(matcher: Matcher) async throws {
    let seen = Log<Int>()
    let (nest, _, _) = matcher.define(slow("nest", of: Int.self), slow("leaf", of: Int.self)) { soup, nest, leaf in
      soup.react(nest, on: .inline) { n in
        if n > 0 { nest(n - 1) } else { for i in 0..<1000 { leaf(i) } }
      }
      soup.react(leaf, on: .inline) { i in seen.append(i) }
    }
    try await onThread(stackSize: 64 << 10) {
      nest(15)
      #expect(seen.all == Array(0..<1000))
    }
  }

  @Test(arguments: matchers)
  func `Inline bodies with values of 4 KB nest on half a megabyte`(matcher: Matcher) async throws {
    typealias Page = InlineArray<512, Int>
    let end = Tally()
    let (page, _) = matcher.define(slow("page", of: Page.self)) { soup, page in
      soup.react(page, on: .inline) { value in
        var next = value
        next[0] -= 1
        if next[0] > 0 { page(next) } else { end.add() }
      }
    }
    try await onThread(stackSize: 512 << 10) {
      page(Page(repeating: 200))
      #expect(end.count == 1)
    }
  }

  /// The outermost body waits for the innermost, far beyond the depth to which firings nest; or each one does, and each
  /// firing that was handed on holds a thread.
  @Test(arguments: matcherNames, [1, 2, 16])
  func `Inline bodies that block hide nothing nested deeper, with enough threads`(matcher: String, workers: Int) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String, workers = workers as Int] in
      Watchdog.guardProcess("behind a blocked body", workers: workers)
      let end = Gate()
      let (a, _) = Matcher(matcher)!.define(slow("a", of: Int.self)) { soup, a in
        soup.react(a, on: .inline) { n in
          if n == 0 { return end.open() }
          a(n - 1)
          if n == 100 || workers == 16 { end.waitBlocking() }
        }
      }
      try await onThread { a(100) }
      #expect(end.isOpen)
    }
  }

  @Test(arguments: matchers)
  func `Inline bodies may inject into other soups, whose bodies inject back`(matcher: Matcher) async throws {
    let (end, back) = (Gate(), Shared<Injector<Int>>(nil))
    let (ping, _) = matcher.react(slow("ping", of: Int.self), on: .inline, named: "ping") { n in
      if n > 0 { back.value!(n - 1) } else { end.open() }
    }
    let (pong, _) = matcher.react(slow("pong", of: Int.self), on: .inline, named: "pong") { n in
      if n > 0 { ping(n - 1) } else { end.open() }
    }
    back.put(pong)
    try await onThread(stackSize: 512 << 10) { ping(100_001) }
    await end.wait()
    _ = back.take()
  }
}
