import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// The fork of the process. Tests/Lives has its end.
@Suite(.watched)
struct `Processes` {
  /// The work of a forked child.
  enum Work: String, CaseIterable, Codable {
    case inline, pool, tasks, timers

    func perform(_ matcher: Matcher) -> Bool {
      switch self {
      case .inline: Processes.counts(to: 3000, matcher, .inline)
      case .pool: Processes.counts(to: 3000, matcher, .pool)
      case .tasks: Processes.answers(7, matcher)
      case .timers: (0..<300).allSatisfy { _ in Processes.fires(matcher) }
      }
    }
  }

  @Test(arguments: Work.allCases, matcherNames)
  func `A forked child uses soups of its own, with a pool, tasks and timers`(work: Work, matcher: String) async {
    await #expect(processExitsWith: .success) { [work = work as Work, matcher = matcher as String] in
      Watchdog.guardProcess("fork")
      let matcher = Matcher(matcher)!
      try await onThread {
        // The parent has done once all that the child does, so that the locks of Swift's runtime are settled.
        #expect(Self.counts(to: 300, matcher, .inline) && work.perform(matcher))
        // The pool's thread may still destroy the soup. A child would inherit the runtime's locks that it has then.
        while Soup.all.count > 0 { sched_yield() }
        for _ in 0..<5 { #expect(forked { work.perform(matcher) } == 0) }
        #expect(work.perform(matcher), "the parent goes on")
      }
    }
  }

  @Test(arguments: matcherNames)
  func `A child that is forked while threads inject, define and arm timers finds no lock held`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("fork while threads work")
      let matcher = Matcher(matcher)!
      let (a, b, _) = matcher.react(slow("a", of: Int.self), slow("b"), on: .inline) { _, _ in }
      let (isOver, begun) = (Gate(), Latch(14))
      async let working: [Void] = onThreads(6) { thread in
        repeat {
          if thread < 3 { #expect(Self.usesLocks(matcher)) }
          for n in 0..<(thread < 3 ? 0 : 200) {
            a(n)
            b()
          }
          begun.countDown()
        } while !isOver.isOpen
      }
      await begun.wait()
      try await onThread {
        #expect(Self.counts(to: 300, matcher, .inline) && Self.counts(to: 300, matcher, .pool))
        for round in 0..<60 {
          let status = forked {
            round % 3 > 0 ? Self.usesLocks(matcher) : Self.counts(to: 1000, matcher, round % 2 == 0 ? .inline : .pool)
          }
          #expect(status == 0)
        }
      }
      isOver.open()
      _ = try await working
    }
  }

  /// The uses that a child must not make of a soup of its parent.
  enum Use: String, CaseIterable, Codable {
    case inject, injectTogether, block, blockWithLimit, snapshot, explain, pause, clear, stop, observe, wait
  }

  @Test(arguments: Use.allCases)
  func `A forked child ends with a message when it uses a soup of its parent`(use: Use) async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [use = use as Use] in
      Watchdog.guardProcess("fork and use")
      let (a, ask, control) = Matcher.automatic.react(
        slow("a", of: Int.self), fast("ask", returning: Int.self), on: .inline, named: "parental"
      ) { n, call in call.reply(n) }
      try await onThread {
        let status = forked {
          switch use {
          case .inject: a(1)
          case .injectTogether: a.inject(contentsOf: [1, 2])
          case .block: _ = try? ask.blocking()
          case .blockWithLimit: _ = try? ask.blocking(within: patience)
          case .snapshot: _ = control.snapshot()
          case .explain: _ = control.explain()
          case .pause: control.pause()
          case .clear: control.clear()
          case .stop: control.blocking.stop()
          case .observe: control.observe { _ in }
          case .wait: control.blocking.quiet(within: patience)
          }
          return true
        }
        // Killed by the trap, neither by the watchdog nor by a wrong access.
        #expect([SIGILL, SIGTRAP, SIGABRT].contains(status & 0x7f))
        a(1)
        let answer = try ask.blocking()
        #expect(answer == 1, "the parent goes on")
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("Crucible: soup 'parental' (CrucibleTests/ProcessTests.swift:"))
    #expect(text.contains("belongs to the parent process: after fork a child may use only soups that it made itself"))
  }

  /// Makes a soup whose `async` body replies after a suspension, and calls it.
  private static func answers(_ number: Int, _ matcher: Matcher) -> Bool {
    let (ask, _) = matcher.react(fast("ask", of: Int.self, returning: Int.self), on: .pool) { call in
      await Task.yield()
      call.reply(call.input)
    }
    return (try? ask.blocking(number)) == number
  }

  /// Makes a soup, arms a timer, and waits for its molecule.
  private static func fires(_ matcher: Matcher) -> Bool {
    let (tick, wait, _) = matcher.react(slow("tick"), fast("wait", returning: Int.self), on: .inline) {
      _, call in call.reply(1)
    }
    tick.after(.zero)
    return (try? wait.blocking(within: patience)) == 1
  }

  private struct Names: Leaving { let ask: FastInjector<Void, Int>, go: Injector<Void> }

  /// Does what the library does under its locks: arms a timer, lets a struct of names leave, and carries a call.
  private static func usesLocks(_ matcher: Matcher) -> Bool {
    let names = Soup.define("carried", with: .init(matcher: matcher)) { soup in
      let ask = soup.fast("ask", returning: Int.self)
      let go = soup.slow("go")
      let kept = soup.slow("kept", of: Call<Void, Int>.self)
      soup.react(ask, on: .inline) { kept($0) }
      soup.react(kept, go, on: .inline) { call, _ in call.reply(2) }
      return Names(ask: ask, go: go)
    }
    names.go()
    return fires(matcher) && (try? names.ask.blocking(within: patience)) == 2
  }

  /// Makes a soup, drives a backlog through it, and drops it.
  private static func counts(to count: Int, _ matcher: Matcher, _ placement: Placement) -> Bool {
    let (add, go, total, control) = matcher.define(
      slow("add", of: Int.self), slow("go"), fast("total", returning: Int.self)
    ) { soup, add, go, total in
      let sum = soup.state("sum", 0)
      soup.react(state: sum, add, go, on: placement) { sum, n, _ in sum += n }
      soup.react(state: sum, total, on: placement) { sum, call in call.reply(sum) }
    }
    for n in 1...count { add(n) }
    for _ in 1...count { go() }
    guard control.blocking.quiet(within: patience) else { return false }
    return (try? total.blocking()) == count * (count + 1) / 2
  }
}
