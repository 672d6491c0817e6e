import Crucible
import Testing

/// A program that must end with a message: its code, and the parts of the message.
///
/// In `parts`, `@n` stands for the source line n lines below the mistake's own.
struct Mistake: Sendable, CustomTestStringConvertible {
  let title: String
  let parts: [String]
  let make: @Sendable () -> Void
  var testDescription: String { title }

  private init(
    _ title: String, _ parts: String..., file: String = #fileID, line: Int = #line, make: @escaping @Sendable () -> Void
  ) {
    self.title = title
    self.parts = parts.map { part in
      let pieces = part.split(separator: "@", omittingEmptySubsequences: false)
      return pieces.dropFirst().reduce(String(pieces[0])) { text, piece in
        let digits = piece.prefix(while: \.isNumber)
        return "\(text)\(file):\(line + Int(digits)!)\(piece.dropFirst(digits.count))"
      }
    }
    self.make = make
  }
}

extension Mistake {
  /// All mistakes. The closure of an exit test has no lines of its own, so it finds its mistake here by index.
  static let all: [Mistake] = [
    Mistake("an unused name", "soup 'kitchen' (@1)", "molecule 'unused' (@3)", "no reaction consumes") {
      Soup.define("kitchen") { soup in
        let used = soup.slow("used")
        _ = soup.slow("unused", of: Int.self)
        soup.react(used) { _ in }
      }
    },
    Mistake("a label of a soup with a NUL", #"label "a\0b" (@1)"#, "must not contain a NUL") {
      Soup.define("a\0b") { soup in
        let used = soup.slow("used")
        soup.react(used) { _ in }
      }
    },
    Mistake("a label of a molecule with a NUL", #"label "a long label\0of a name" (@2)"#, "must not contain a NUL") {
      Soup.define("kitchen") { soup in
        let used = soup.slow("a long label\0of a name")
        soup.react(used) { _ in }
      }
    },
    Mistake("a label with a NUL where another one stood", #"label "a\0" (@3)"#, "must not contain a NUL") {
      for label in ["a", "a", "a", "a\0"] {
        Soup.define("kitchen") { soup in
          let used = soup.slow(label)
          soup.react(used) { _ in }
        }
      }
    },
    Mistake("an object that is sent twice", "soup 'kitchen' (@2)", "state 'page' (@5)", "has been sent already") {
      let sent = Soup.Sent([Mistake]())
      Soup.define("kitchen") { soup in
        let (page, other) = (
          soup.state("other", sent),
          soup.state("page", sent)
        )
        let a = soup.slow("a")
        soup.react(state: page, state: other, a) { _, _, _ in }
      }
    },
    Mistake("an unused call", "soup 'kitchen' (@1)", "molecule 'unused' (@2)", "no reaction consumes") {
      Soup.define("kitchen") { soup in
        _ = soup.fast("unused", of: Int.self, returning: Int.self)
      }
    },
    Mistake("an unused state", "soup 'kitchen' (@1)", "molecule 'idle' (@2)", "no reaction consumes") {
      Soup.define("kitchen") { soup in
        _ = soup.state("idle", 0)
      }
    },
    Mistake(
      "inputs with keys of two types", "soup 'shop' (@3)", "reaction (@6)", "molecule 'name' (@5)", "keys of one type"
    ) {
      Soup.define("shop") { soup in
        let number = soup.slow("number", of: Int.self, key: { $0 })
        let name = soup.slow("name", of: String.self, key: { $0 })
        soup.react(number, name) { _, _ in }
      }
    },
    Mistake("an input without a key beside one with a key", "reaction (@4)", "molecule 'free' (@3)", "none has a key") {
      Soup.define("shop") { soup in
        let account = soup.state("account", key: Int.self) { _ in 0 }
        let free = soup.slow("free", of: Int.self)
        soup.react(state: account, free) { _, _ in }
      }
    },
    Mistake("a key without a value", "soup 'shop' (@1)", "declaring 'empty' (@2)", "carries a value") {
      Soup.define("shop") { soup in
        let empty = soup.slow("empty", of: Void.self, key: { 1 })
        soup.react(empty) { _ in }
      }
    },
    Mistake("a capacity of nothing", "soup 'shop' (@1)", "the capacity of 'line' must be from 1 to 2⁴⁰, not 0") {
      Soup.define("shop") { soup in
        let line = soup.slow("line", of: Int.self, capacity: 0, whenFull: .refuse)
        soup.react(line) { _ in }
      }
    },
    Mistake("no keys at all", "soup 'shop' (@1)", "the number of keys of 'line' must be from 1 to 2⁴⁰, not 0") {
      Soup.define("shop") { soup in
        let line = soup.slow("line", of: Int.self, key: { $0 }, keys: 0, whenFull: .refuse)
        soup.react(line) { _ in }
      }
    },
    Mistake("an expiry that the matcher does not serve", "soup 'shop' (@1)", "'line'", "its molecules expire") {
      Soup.define("shop", with: .init(matcher: .word)) { soup in
        let first = soup.slow("first")
        let line = soup.slow("line", of: Int.self, expires: .seconds(1))
        soup.react(first, line) { _, _ in }
      }
    },
    Mistake("an expiry of no time", "soup 'shop' (@1)", "'line' must expire after a positive time, not 0.0 seconds") {
      Soup.define("shop") { soup in
        let line = soup.slow("line", of: Int.self, expires: .zero)
        soup.react(line) { _ in }
      }
    },
    Mistake("an expiry of one molecule where none expires", "'line' must be declared with 'expires:'") {
      let line = Soup.define("shop") { soup in
        let line = soup.slow("line", of: Int.self)
        soup.react(line) { _ in }
        return line
      }
      line(1, expires: .seconds(1))
    },
    Mistake("a name to expire into without an expiry", "soup 'shop' (@1)", "'line' has a name to expire into") {
      Soup.define("shop") { soup in
        let old = soup.slow("old", of: Int.self)
        let line = soup.slow("line", of: Int.self, into: old, capacity: 1, whenFull: .refuse)
        for name in [old, line] { soup.react(name) { _ in } }
      }
    },
    Mistake("an action without a limit", "soup 'shop' (@1)", "'line' has `whenFull`, and no limit") {
      Soup.define("shop") { soup in
        let line = soup.slow("line", of: Int.self, key: { $0 }, whenFull: .refuse)
        soup.react(line) { _ in }
      }
    },
    Mistake("a capacity below what a reaction needs", "soup 'shop' (@1)", "'line' (@2)", "more molecules of it") {
      Soup.define("shop") { soup in
        let line = soup.slow("line", of: Int.self, key: { $0 }, capacity: 1, whenFull: .refuse)
        soup.react(line, line) { _, _ in }
      }
    },
    Mistake("an expiry without a value", "soup 'shop' (@1)", "declaring 'line' (@2)", "carries a value") {
      Soup.define("shop") { soup in
        let line = soup.slow("line", of: Void.self, expires: .seconds(1))
        soup.react(line) { _ in }
      }
    },
    Mistake("a name that drops into another soup", "soup 'shop' (@2)", "declaring 'line' (@3)", "another soup") {
      let old = oneName("abroad", "old").0
      Soup.define("shop") { soup in
        let line = soup.slow("line", of: Void.self, capacity: 1, whenFull: .dropOldest(into: old))
        soup.react(line) { _ in }
      }
    },
    Mistake("a capacity for calls", "soup 'shop' (@1)", "declaring 'line' (@2)", "whose values are not calls") {
      Soup.define("shop") { soup in
        let line = soup.slow("line", of: Call<Int, Int>.self, capacity: 1, whenFull: .refuse)
        soup.react(line) { _ in }
      }
    },
    Mistake("keys on a matcher that serves none", "soup 'shop' (@1)", "molecule 'number' (@2)", "'automatic' and") {
      Soup.define("shop", with: .init(matcher: .word)) { soup in
        let number = soup.slow("number", of: Int.self, key: { $0 })
        soup.react(number) { _ in }
      }
    },
    Mistake("keys of another type than the name has", "soup 'shop'", "molecule 'number' has no key of type String") {
      let (number, control) = Soup.define("shop") { soup in
        let number = soup.slow("number", of: Int.self, key: { $0 })
        soup.react(number) { _ in }
        return (number, soup.control)
      }
      _ = control.keys(of: number, as: String.self)
    },
    Mistake("a foreign name", "soup 'home' (@6)", "reaction (@8)", "molecule 'stranger' (@2)", "'abroad'") {
      let stranger: Injector<Int> = Soup.define("abroad") { soup in
        let stranger = soup.slow("stranger", of: Int.self)
        soup.react(stranger) { _ in }
        return stranger
      }
      Soup.define("home") { soup in
        let a = soup.slow("a")
        soup.react(a, stranger) { _, _ in }
      }
    },
    Mistake("a fact before an input", "soup 'order' (@1)", "reaction (@4)", "molecule 'fact' (@2)", "comes last") {
      Soup.define("order") { soup in
        let fact = soup.fact("fact")
        let ask = soup.fast("ask", returning: Void.self)
        soup.react(fact, ask) { _, call in call.reply() }
      }
    },
    Mistake("one fact twice", "soup 'twins' (@1)", "reaction (@4)", "molecule 'fact' (@2)", "or fact twice") {
      Soup.define("twins") { soup in
        let fact = soup.fact("fact")
        let a = soup.slow("a")
        soup.react(a, fact, fact) { _, _, _ in }
      }
    },
    Mistake("facts alone", "soup 'endless' (@1)", "reaction (@3)", "molecule 'fact' (@2)", "would fire for ever") {
      Soup.define("endless") { soup in
        let fact = soup.fact("fact", of: Int.self)
        soup.react(fact) { _ in }
      }
    },
    Mistake("an unused fact", "soup 'kitchen' (@1)", "molecule 'idle' (@2)", "no reaction consumes") {
      Soup.define("kitchen") { soup in
        _ = soup.fact("idle")
      }
    },
    Mistake("one state twice", "soup 'twins' (@1)", "reaction (@4)", "molecule 'state' (@2)", "or fact twice") {
      Soup.define("twins") { soup in
        let state = soup.state("state", 0)
        let a = soup.slow("a")
        soup.react(state: state, state: state, a) { _, _, _ in }
      }
    },
    Mistake("a name after the scope", "soup 'closed' (@2)", "declaring 'late' (@7)", "has ended") {
      var smuggled: Soup?
      Soup.define("closed") { soup in
        let a = soup.slow("a")
        soup.react(a) { _ in }
        smuggled = soup
      }
      _ = smuggled!.slow("late")
    },
    Mistake("a reaction after the scope", "soup 'closed' (@3)", "reaction (@9)", "has ended") {
      var smuggled: Soup?
      var name: Injector<Void>?
      Soup.define("closed") { soup in
        let a = soup.slow("a")
        soup.react(a) { _ in }
        smuggled = soup
        name = a
      }
      smuggled!.react(name!) { _ in }
    },
    Mistake("a name after the scope has thrown", "soup 'thrown' (@4)", "declaring 'late' (@9)", "has ended") {
      struct Failed: Error {}
      var smuggled: Soup?
      do {
        try Soup.define("thrown") { soup throws(Failed) in
          smuggled = soup
          throw Failed()
        }
      } catch {}
      _ = smuggled!.fast("late", returning: Int.self)
    },
    Mistake("a definition that no name leaves by what it returns", "soup 'closed' (@1)", "no name leaves by 'Int'") {
      _ = Soup.define("closed") { soup in
        soup.react(soup.slow("a")) { _ in }
        return 5
      }
    },
    Mistake("a definition that returns a value of any type", "soup 'closed' (@1)", "no name leaves by '") {
      _ = Soup.define("closed") { soup -> any Sendable in
        let a = soup.slow("a")
        soup.react(a) { _ in }
        return a
      }
    },
    Mistake("a class that leaves without saying how", "'Box' conforms to Leaving and is no struct") {
      final class Box: Leaving {}
      _ = Soup.define("closed") { soup in
        soup.react(soup.slow("a")) { _ in }
        return Box()
      }
    },
    Mistake("a name too many", "soup 'crowded' (@1)", "'one too many' (@3)", "at most 256 names") {
      Soup.define("crowded") { soup in
        for name in soup.slow("n", count: 256) { soup.react(name) { _ in } }
        _ = soup.slow("one too many")
      }
    },
    Mistake("257 names at once", "soup 'crowded' (@1)", "'n[256]' (@2)", "at most 256 names") {
      Soup.define("crowded") { soup in
        for name in soup.slow("n", count: 257) { soup.react(name) { _ in } }
      }
    },
    Mistake("a sixty-fifth input", "soup 'greedy' (@1)", "reaction (@3)", "at most 64 inputs") {
      Soup.define("greedy", with: .init(matcher: .locked)) { soup in
        let a = soup.slow("a")
        soup.react(Array(repeating: a, count: 65)) { _ in }
      }
    },
    Mistake("a pattern that is an empty array", "soup 'void' (@1)", "reaction (@2)", "at least one input") {
      _ = Soup.define("void") { soup in
        soup.react([Injector<Int>]()) { _ in }
      }
    },
    Mistake(
      "a component too wide for claim", "soup 'wide' (@4)", "molecule 'n[0]' (@5)", "with 64 other names",
      "the matcher 'claim' serves at most 64 names"
    ) {
      Soup.define("wide", with: .init(matcher: .claim)) { soup in
        let names = soup.slow("n", count: 65)
        for n in 1...64 { soup.react(names[n - 1], names[n]) { _, _ in } }
      }
    },
    Mistake(
      "a component too wide for claim, beside a narrow one", "soup 'wide' (@4)", "molecule 'wide[0]' (@6)",
      "with 99 other names", "the matcher 'claim' serves at most 64 names"
    ) {
      Soup.define("wide", with: .init(matcher: .claim)) { soup in
        let narrow = soup.slow("narrow")
        let names = soup.slow("wide", count: 100)
        soup.react(narrow) { _ in }
        for n in 1..<100 { soup.react(names[n - 1], names[n]) { _, _ in } }
      }
    },
    Mistake("no worker", "Soup.Pool.workers must be from 1 to Soup.Pool.limit, which is 256, not 0") {
      Soup.Pool.workers = 0
    },
    Mistake("fewer workers than none", "Soup.Pool.workers must be from 1 to Soup.Pool.limit, which is 256, not -1") {
      Soup.Pool.workers = -1
    },
    Mistake("too many workers", "Soup.Pool.workers must be from 1 to Soup.Pool.limit, which is 256, not 257") {
      Soup.Pool.workers = 257
    },
    Mistake("more workers than a lower limit", "Soup.Pool.workers must be from 1 to Soup.Pool.limit, which is 5, not 6")
    {
      Soup.Pool.workers = 3
      Soup.Pool.limit = 5
      Soup.Pool.workers = 6
    },
    Mistake("a limit below the workers", "Soup.Pool.limit must be from Soup.Pool.workers, which is 3, to 1024, not 2") {
      Soup.Pool.workers = 3
      Soup.Pool.limit = 2
    },
    Mistake("a limit below none", "Soup.Pool.limit must be from Soup.Pool.workers, which is 3, to 1024, not -1") {
      Soup.Pool.workers = 3
      Soup.Pool.limit = -1
    },
    Mistake("too high a limit", "Soup.Pool.limit must be from Soup.Pool.workers, which is 3, to 1024, not 1025") {
      Soup.Pool.workers = 3
      Soup.Pool.limit = 1025
    },
    early("pause") { $0.pause() }, early("resume") { $0.resume() }, early("clear") { $0.clear() },
    early("stop") { $0.blocking.stop() }, early("restart") { try? $0.blocking.restart() },
    Mistake("several of two soups at once", "into soup 'home' (@3)", "molecule 'stranger' is of soup 'abroad'") {
      let home: Injector<Void> = oneName("home", "a").0
      let stranger: Injector<Void> = oneName("abroad", "stranger").0
      Soup.inject((home, ()), (home, ()), (stranger, ()))
    },
    Mistake("more at once than can be counted", "a count of molecules to inject must not be 1099511627777") {
      oneName("home", "a").0.inject(count: (1 << 40) + 1)
    },
    Mistake("fewer than none at once", "a count of molecules to inject must not be -1") {
      oneName("home", "a").0.inject(count: -1)
    },
    Mistake("a retry that is none", "retry: the limit must be from 1 to 63, not 0") { _ = Recovery.retry(limit: 0) },
    Mistake("a retry without end", "retry: the limit must be from 1 to 63, not 64") { _ = Recovery.retry(limit: 64) },
    Mistake("a decision without end", "decide: the limit must be from 1 to 63, not 64") {
      _ = Recovery.decide(limit: 64) { _ in .retry }
    },
    Mistake("a timer without a period", "every: the period of 'a' must be a microsecond or more, not", "@1") {
      oneName("home", "a").0.every(.nanoseconds(999))
    },
    Mistake("a snapshot asked for a foreign name", "soup 'home' (@2)", "molecule 'stranger' is of soup 'abroad'") {
      let control: Soup.Control = oneName("home", "a").1
      _ = control.snapshot()[oneName("abroad", "stranger").0]
    },
    Mistake("a clear of a foreign name", "clear of soup 'home' (@2)", "molecule 'stranger' is of soup 'abroad'") {
      let control: Soup.Control = oneName("home", "a").1
      control.clear(oneName("abroad", "stranger").0)
    },
    Mistake("a drain announced by a foreign name", "soup 'home' (@2)", "molecule 'stranger' is of soup 'abroad'") {
      let stranger = oneName("abroad", "stranger").0
      Soup.define("home") { soup in soup.whenDraining(stranger) }
    },
    Mistake("a step by a number without a reaction", "step of soup 'home' (@1): no reaction has the number 1, of 1") {
      oneName("home", "a").1.step(only: 1)
    },
  ]

  /// A use of the control before the definition has ended.
  private static func early(_ verb: String, _ act: @escaping @Sendable (Soup.Control) -> Void) -> Mistake {
    Mistake("a \(verb) before the scope has ended", "soup 'early' (@1): \(verb): the definition has not ended yet") {
      Soup.define("early") { soup in
        soup.react(soup.slow("a")) { _ in }
        act(soup.control)
      }
    }
  }
}

private func oneName(_ soup: String, _ name: String) -> (Injector<Void>, Soup.Control) {
  Soup.define(soup) { soup in
    let a = soup.slow(name)
    soup.react(a) { _ in }
    return (a, soup.control)
  }
}
