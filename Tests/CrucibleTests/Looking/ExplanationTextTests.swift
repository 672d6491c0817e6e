import Crucible
import CrucibleTestSupport
import Testing

/// The text of an explanation, for people.
@Suite(.watched, .serialized)
struct `The text of an explanation` {
  @Test(arguments: matchers)
  func `The text of an explanation has the verdict, the reactions and the callers`(matcher: Matcher) async throws {
    let meant = Set(Soup.Warning.Kind.allCases)
    let line = #line
    let (withdraw, deposit, control) = Soup.define("bank", with: .init(matcher: matcher, allowing: meant)) { soup in
      let account = soup.state("account", 100)
      let withdraw = soup.fast("withdraw", of: Int.self, returning: Int.self)
      let permit = soup.slow("permit")
      let deposit = soup.slow("deposit", of: Int.self)
      soup.react(state: account, withdraw, permit) { account, call, _ in call.reply(account) }
      soup.react(state: account, deposit, deposit, on: .inline) { account, a, b in account += a + b }
      soup.react(permit, deposit, deposit, deposit, on: .inline) { _, _, _, _ in }
      return (withdraw, deposit, soup.control)
    }
    deposit(1)
    let call = Task { try await withdraw(5, within: .seconds(150)) }
    let here = #line - 1
    await control.callers(1)
    let file: StaticString = #fileID
    func place(_ offset: Int) -> String { "\(file):\(line + offset)" }
    let expected = """
      soup 'bank' (\(place(1))): nothing reacts: every reaction lacks a molecule; 1 caller waits

      reaction account & withdraw & permit (\(place(6))) on pool, component 0, \(matcher)
        there:   account 1, withdraw 1
        missing: permit
        next:    who injects 'permit' (declared at \(place(4)))? \
      Also consumed by permit & deposit & deposit & deposit (\(place(8))).

      reaction account & deposit & deposit (\(place(7))) on inline, component 0, \(matcher)
        there:   account 1, deposit 1
        missing: deposit (2 needed, 1 there)
        next:    who injects 'deposit' (declared at \(place(5)))? \
      Also consumed by permit & deposit & deposit & deposit (\(place(8))).

      reaction permit & deposit & deposit & deposit (\(place(8))) on inline, component 0, \(matcher)
        there:   deposit 1
        missing: permit, deposit (3 needed, 1 there)
        next:    who injects 'permit' (declared at \(place(4)))? \
      Also consumed by account & withdraw & permit (\(place(6))).
                 who injects 'deposit' (declared at \(place(5)))? \
      Also consumed by account & deposit & deposit (\(place(7))).

      withdraw: 1 caller waits
        for TIME, from \(file):\(here), await, limit 2 min 30 s
      """
    let text = control.explain().description
    #expect(text.replacing(/for [0-9.]+ (ns|µs|ms|s),/, with: "for TIME,") == expected)
    control.clear()
    await #expect(throws: CallError.cleared) { try await call.value }
  }

  @Test(arguments: matchers)
  func `The text of an explanation shows callers from one line once`(matcher: Matcher) async throws {
    let desk = Desk(Setup(matcher: matcher, placement: .inline))
    let line = #line
    let tasks = (0..<3).map { number in Task { try await desk.ask(number) } }
    async let threads = onThreads(2) { try desk.ask.blocking($0, within: .seconds(7200)) }
    async let alone = onThread { try desk.tick.blocking() }
    await desk.control.callers(6)
    let time = "[0-9.]+ (?:ns|µs|ms|s)"
    let range = "(\(time))(?: to (?!\\1,)\(time))?"  // two equal times are told once
    for pattern in [
      "\nask: 5 callers wait\n", "\n  3 times, for \(range), from \(#fileID):\(line + 1), await(\n|$)",
      "\n  2 times, for \(range), from \(#fileID):\(line + 2), blocking threads, limit 2 h 0 min(\n|$)",
      "\ntick: 1 caller waits\n  for \(time), from \(#fileID):\(line + 3), blocking thread [0-9]+$",
    ] {
      let text = desk.control.explain().description
      let isThere = try text.contains(Regex(pattern))
      #expect(isThere, "\(pattern) in \(text)")
    }
    for _ in 0..<6 { desk.token() }
    for task in tasks { _ = try await task.value }
    _ = try await (threads, alone)
  }

  @Test(arguments: matchers)
  func `The text of an explanation names no more than a few competitors`(matcher: Matcher) {
    let control: Soup.Control = Soup.define("contested", with: .init(matcher: matcher)) { soup in
      let (a, b) = (soup.slow("a"), soup.slow("b"))
      for _ in 0..<6 { soup.react(a, b) { _, _ in } }
      b()
      return soup.control
    }
    let lines = control.explain().description.split(separator: "\n").filter { $0.contains("Also consumed") }
    #expect(lines.count == 6)
    #expect(lines.allSatisfy { $0.hasSuffix(") and 2 more.") && $0.matches(of: /a & b \(/).count == 3 })
    #expect(control.explain().reactions[0].inputs[0].competitors.count == 5)
  }

  @Test(
    arguments: [
      (.seconds(60), "1 min 0 s"), (.seconds(59), "59 s"), (.milliseconds(59_900), "59.9 s"),
      (.seconds(3599), "59 min 59 s"),
      (.milliseconds(45_678), "45.6 s"), (.milliseconds(30_010), "30 s"), (.seconds(3600), "1 h 0 min"),
      (.seconds(90_061), "25 h 1 min"),
    ] as [(Duration, String)])
  func `The text of an explanation gives durations in three figures`(limit: Duration, text: String) async throws {
    let desk = Desk(Setup(matcher: .word, placement: .inline))
    let call = Task { try await desk.ask(1, within: limit) }
    let caller = await desk.control.callers(1)[0]
    #expect(caller.description.hasPrefix("ask: for "))
    #expect(caller.description.hasSuffix(", await, limit \(text)"))
    #expect(caller.limit == limit)
    desk.token()
    _ = try await call.value
  }
}
