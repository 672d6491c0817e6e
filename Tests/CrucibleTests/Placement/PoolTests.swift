import Crucible
import CrucibleTestSupport
import Testing

/// `.pool`: bodies run on its own threads, as many at once as asked for. Waiting in the library's calls uses up none.
@Suite(.watched)
struct `The pool` {
  @Test(arguments: matcherNames, [1, 2, 5])
  func `The pool runs as many bodies at once as it has workers, and no more`(matcher: String, workers: Int) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String, workers = workers as Int] in
      Watchdog.guardProcess("workers")
      Soup.Pool.workers = workers
      #expect(Soup.Pool.workers == workers)
      let (running, most) = (Tally(), Shared<Int>(0))
      let (go, control) = Matcher(matcher)!.react(slow("go", of: Latch.self)) { all in
        let now = running.add()
        if now > most.value! { most.put(now) }
        // Continues when `workers` bodies run at once. With fewer threads it would wait for ever.
        all.countDown()
        all.waitBlocking()
        running.add(-1)
      }
      for _ in 0..<20 {
        let all = Latch(workers)
        for _ in 0..<workers { go(all) }
        await control.settle()
      }
      #expect(most.value == workers)
    }
  }

  @Test(arguments: matcherNames)
  func `A pool of one worker serves calls whose reply needs another body`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("one worker, two bodies")
      Soup.Pool.workers = 1
      let done = Log<Int>()
      let (start, control) = Soup.define("needs another", with: .init(matcher: Matcher(matcher)!)) { soup in
        let start = soup.slow("start", of: Int.self)
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        let help = soup.slow("help", of: Int.self)
        let ready = soup.slow("ready", of: Int.self)
        soup.react(start) { n in
          help(n)
          if let reply = try? ask.blocking(n) { done.append(reply) }
        }
        soup.react(help) { ready($0) }
        soup.react(ask, ready) { call, n in call.reply(n) }
        return (start, soup.control)
      }
      for n in 0..<200 { start(n) }
      await control.settle()
      #expect(done.all.sorted() == Array(0..<200))
    }
  }

  @Test(arguments: matcherNames)
  func `The pool runs every body while its number of workers changes`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("resizing")
      let done = Tally()
      let (go, control) = Matcher(matcher)!.define(slow("go", of: Int.self)) { soup, go in
        soup.react(go) { n in if n > 0 { go(n - 1) } else { done.add() } }
      }
      for round in 0..<50 {
        for _ in 0..<20 { go(50) }
        Soup.Pool.workers = [1, 8, 2, 32, 3][round % 5]
      }
      await control.settle()
      #expect(done.count == 1000)
    }
  }

  @Test(arguments: matchers)
  func `The pool serves a molecule from outside while endless chains of its own run`(matcher: Matcher) async {
    let (stop, served) = (Gate(), Gate())
    let (chain, other, control) = matcher.define(slow("chain"), slow("other")) { soup, chain, other in
      soup.react(chain) { _ in if !stop.isOpen { chain() } }
      soup.react(other) { _ in served.open() }
    }
    // There are more endless chains than workers.
    for _ in 0..<2 * Soup.Pool.workers { chain() }
    other()
    await served.wait()
    stop.open()
    await control.settle()
  }
}
