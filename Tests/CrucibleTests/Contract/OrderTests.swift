import Crucible
import CrucibleTestSupport
import Testing

/// Contract 5: a name's molecules are served oldest first.
@Suite(.watched, .serialized)
struct `Order` {
  @Test(arguments: matchers)
  func `within a name is that of injection, whether they waited or not`(matcher: Soup.Matcher) async throws {
    let seen = Log<Int>()
    let (item, token) = Soup.define("fifo", with: .init(matcher: matcher)) { soup in
      let item = soup.slow("item", of: Int.self)
      let token = soup.slow("token")
      soup.react(item, token, on: .inline) { n, _ in seen.append(n) }
      return (item, token)
    }
    var random = Seeded(Run.seed(of: "order"))
    var items = 0
    var tokens = 0
    while items < 20_000 {
      for _ in 0..<Int.random(in: 0...300, using: &random) {
        item(items)
        items += 1
      }
      for _ in 0..<Int.random(in: 0...300, using: &random) {
        token()
        tokens += 1
      }
    }
    for _ in tokens..<max(items, tokens) { token() }
    #expect(seen.all == Array(0..<items))
  }

  @Test(arguments: Run.setups)
  func `of one thread's molecules holds while others take them away`(setup: Setup) async throws {
    let count = scaled(20_000)
    let mistakes = Tally()
    let (item, token, control) = Soup.define("fifo", with: .init(matcher: setup.matcher)) { soup in
      let last = soup.state("last", -1)
      let item = soup.slow("item", of: Int.self)
      let token = soup.slow("token")
      soup.react(state: last, item, token, on: setup.placement) { last, n, _ in
        if n != last + 1 { mistakes.add() }
        last = n
      }
      return (item, token, soup.control)
    }
    Watchdog.watch(control)
    try await onThreads(2) { thread in
      for n in 0..<count { if thread == 0 { item(n) } else { token() } }
    }
    await control.settle()
    #expect(mistakes.count == 0)
    #expect(control.snapshot()[item] == 0)
  }

  @Test(arguments: Run.setups)
  func `of each of several threads' molecules holds by itself`(setup: Setup) async throws {
    let count = scaled(5000)
    let mistakes = Tally()
    let (item, token, control) = Soup.define("fifo", with: .init(matcher: setup.matcher)) { soup in
      let last = soup.state("last", [-1, -1, -1, -1])
      let item = soup.slow("item", of: (Int, Int).self)
      let token = soup.slow("token")
      soup.react(state: last, item, token, on: setup.placement) { last, item, _ in
        if item.1 != last[item.0] + 1 { mistakes.add() }
        last[item.0] = item.1
      }
      return (item, token, soup.control)
    }
    Watchdog.watch(control)
    try await onThreads(8) { thread in
      for n in 0..<count { if thread < 4 { item((thread, n)) } else { token() } }
    }
    await control.settle()
    #expect(mistakes.count == 0)
    #expect(control.snapshot()[item] == 0)
  }

  @Test(arguments: matchers)
  func `holds in a name of a narrow field that spills`(matcher: Soup.Matcher) async throws {
    let seen = Log<Int>()
    let (names, control) = Soup.define("narrow", with: .init(matcher: matcher)) { soup in
      let names = soup.slow("n", of: Int.self, count: 31)
      soup.react(names, on: .inline) { values in seen.append(values[0]) }
      return (names, soup.control)
    }
    Watchdog.watch(control)
    for n in 0..<500 { names[0](n) }
    for n in 0..<500 { for name in names[1...] { name(n) } }
    #expect(seen.all == Array(0..<500))
  }
}
