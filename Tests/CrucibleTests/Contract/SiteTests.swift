import Crucible
import CrucibleTestSupport
import Testing

/// A soup reuses the common parts of earlier soups of its site. Programs cannot see this.
@Suite(.watched)
struct `Soups that are defined again and again at one place` {
  @Test(arguments: matchers)
  func `A soup defined again at one place describes itself as the first one does`(matcher: Matcher) {
    let soups = (0..<5).map { _ in Sums().make(matcher) }
    for soup in soups {
      #expect(soup.control.graph == soups[0].control.graph)
      #expect(soup.control.description == soups[0].control.description)
      #expect(soup.control.explain().description == soups[0].control.explain().description)
      #expect(soup.control.snapshot().description == soups[0].control.snapshot().description)
      #expect(soup.control.warnings == [])
    }
  }

  @Test(arguments: Sums.different, matchers)
  func `A soup defined again at one place may differ in any of its steps`(shape: Sums, matcher: Matcher) throws {
    for number in 0..<10 {
      let other = number == 4 || number > 6 ? shape : Sums()
      try other.check(other.make(matcher))
    }
  }

  @Test(arguments: matchers)
  func `A repeated definition may end before an earlier one did`(matcher: Matcher) {
    for number in 0..<8 {
      let isShort = number == 4
      let fired = Log<String>()
      let names = Soup.define("short", with: .init(matcher: matcher, placement: .inline)) { soup in
        let a = soup.slow("a")
        soup.react(a, a) { _, _ in fired.append("two") }
        if isShort { return [a] }
        let b = soup.slow("b")
        soup.react(a, b) { _, _ in fired.append("both") }
        return [a, b]
      }
      names[0]()
      names[isShort ? 0 : 1]()
      #expect(fired.all == [isShort ? "two" : "both"], "soup \(number)")
    }
  }

  @Test(arguments: matchers)
  func `Soups defined again at one place differ by the types of their names`(matcher: Matcher) throws {
    for number in 0..<6 {
      try #expect(echo(number, matcher) == number)
      try #expect(echo("\(number)", matcher) == "\(number)")
      try #expect(echo([number, number, number], matcher) == [number, number, number])
      try #expect(echo(FourWords(last: number), matcher) == FourWords(last: number))
      try echo((), matcher)
    }
  }

  @Test(arguments: matchers)
  func `A soup defined again at one place has its own captures until it goes`(matcher: Matcher) throws {
    for number in 0..<12 {
      weak var left: Log<String>?
      try {
        let seen = Log<String>()
        left = seen
        let kind: Capturing = number == 5 || number == 9 ? .throwing : number % 3 == 1 ? .anotherType : .common
        try capture(seen, number, kind, matcher)
        #expect(seen.all == kind.expected(number))
      }()
      #expect(left == nil, "soup \(number)")
    }
  }

  @Test(arguments: matchers)
  func `A soup defined again at one place takes over no options of an earlier one`(matcher: Matcher) {
    let observed = Log<Int>()
    for number in 0..<16 {
      var options = Soup.Options(matcher: matcher, placement: .inline, seed: number % 3 == 1 ? 7 : nil)
      let isObserved = number % 4 == 3 && number != 15
      if isObserved { options.observer = { _ in observed.append(number) } }
      let label = number % 5 == 4 ? "another" : "options"
      let (a, control) = Soup.define(label, with: options) { soup in
        let a = soup.slow("a")
        soup.react(a, a) { _, _ in }
        return (a, soup.control)
      }
      a()
      a()
      #expect(observed.all.contains(number) == isObserved, "soup \(number)")
      #expect(observed.all.allSatisfy { $0 % 4 == 3 })
      #expect(control.graph.soup == label)
      #expect(control.snapshot().counts.map(\.molecules) == [0])
    }
  }

  @Test(arguments: matchers)
  func `A name that does not own stays with its soup when others are defined at the same place`(matcher: Matcher) {
    var leaked: [Injector<Void>] = []
    for number in 0..<12 {
      let fired = Log<Int>()
      let name = Soup.define("leaking", with: .init(matcher: matcher, placement: .inline)) { soup in
        let a = soup.slow("a")
        let kept = soup.state("kept", a)
        soup.react(state: kept, a) { kept, _ in
          fired.append(number)
          _ = kept
        }
        if number % 3 == 1 { leaked.append(a) }
        return a
      }
      // The other names belong to soups that are gone.
      let mine = number % 3 == 1 ? leaked.last : nil
      for other in leaked.dropLast(mine == nil ? 0 : 1) {
        #expect(!other(), "soup \(number)")
        #expect(!other.owning()(), "soup \(number)")
      }
      #expect(mine?() ?? true)
      name()
      #expect(fired.all == (mine == nil ? [number] : [number, number]))
      if number == 7 { leaked = [] }
    }
  }

  @Test(arguments: matchers)
  func `A soup defined again at one place has its own warnings`(matcher: Matcher) {
    for number in 0..<5 {
      let (_, control) = Soup.define("late", with: .init(matcher: matcher)) { soup in
        let a = soup.slow("a")
        soup.react(a) { _ in }
        if number == 3 {
          let b = soup.slow("b")
          let never = soup.slow("never")
          soup.react(b, never) { _, _ in }
          return ([a, b], soup.control)
        }
        return ([a], soup.control)
      }
      #expect(control.warnings.map(\.kind) == (number == 3 ? [.neverFires] : []))
    }
    for number in 0..<5 {
      let (_, control) = Soup.define("common", with: .init(matcher: matcher)) { soup in
        let a = soup.slow("a")
        let lost = soup.slow("lost")
        if number == 3 {
          soup.react(a, lost) { _, _ in }
          let late = soup.slow("late")
          soup.react(late) { _ in }
          return (late, soup.control)
        }
        soup.react(a) { _ in lost() }
        soup.react(lost) { _ in }
        return (a, soup.control)
      }
      #expect(control.warnings.map(\.kind) == (number == 3 ? [.neverFires] : []))
    }
  }

  @Test func `Soups defined again at one place return all their memory, and later ones take less`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("sites")
      let (none, sizes, left) = try await onThread {
        Memory.makeThreadReady()
        let none = Memory.settledBytes
        let sizes = (0..<4).map { _ in
          let before = Memory.settledBytes
          let soup = Sums().make(.word)
          defer { withExtendedLifetime(soup) {} }
          return Memory.settledBytes - before
        }
        return (none, sizes, Memory.settledBytes)
      }
      #expect(sizes[1] < sizes[0], "the second soup reuses what the first one found")
      #expect(sizes[2] == sizes[1])
      #expect(sizes[3] == sizes[1])
      #expect(left == none)
    }
  }
}

/// A chemistry, and the ways in which it may differ.
struct Sums: CustomTestStringConvertible {
  var label = "sums"
  var name = "add"
  var first = 0
  var others = 1
  var isSwapped = false
  var addsTwo = false
  var takesWide = false
  var placement = Placement.inline
  var recovery = Recovery.report
  var testDescription = "the same"

  /// Chemistries with one difference each.
  static let different: [Sums] = [
    Sums(label: "other", testDescription: "another label"),
    Sums(name: "plus", testDescription: "a name with another label"),
    Sums(first: 7, testDescription: "another first value"),
    Sums(others: 3, testDescription: "more names"),
    Sums(others: 0, testDescription: "fewer names"),
    Sums(isSwapped: true, testDescription: "another order of reactions"),
    Sums(addsTwo: true, testDescription: "another pattern"),
    Sums(takesWide: true, testDescription: "wider values"),
    Sums(placement: .pool, testDescription: "another placement"),
    Sums(placement: .queue(.global()), testDescription: "an executor"),
    Sums(recovery: .retry(limit: 1), testDescription: "another recovery"),
  ]

  struct Made: Leaving {
    let add: [Injector<Int>]
    let addWide: [Injector<FourWords>]
    let others: [Injector<Void>]
    let total: FastInjector<Void, Int>
    let control: Soup.Control
  }

  func make(_ matcher: Matcher) -> Made {
    Soup.define(label, with: .init(matcher: matcher, placement: placement)) { soup in
      let sum = soup.state("sum", FourWords(last: first))
      let add = takesWide ? [] : [soup.slow(name, of: Int.self)]
      let addWide = takesWide ? [soup.slow(name, of: FourWords.self)] : []
      let others = soup.slow("other", count: others)
      let total = soup.fast("total", returning: Int.self)
      func reactToCalls() {
        soup.react(state: sum, total, on: .inline) { sum, call in call.reply(sum.last) }
      }
      if isSwapped { reactToCalls() }
      for add in add {
        if addsTwo {
          soup.react(state: sum, add, add, recovery: recovery) { sum, n, m in sum.last += n + m }
        } else {
          soup.react(state: sum, add, recovery: recovery) { sum, n in sum.last += n }
        }
      }
      for add in addWide { soup.react(state: sum, add, recovery: recovery) { sum, wide in sum.last += wide.last } }
      for (index, other) in others.enumerated() { soup.react(state: sum, other) { sum, _ in sum.last += 100 << index } }
      if !isSwapped { reactToCalls() }
      return Made(add: add, addWide: addWide, others: others, total: total, control: soup.control)
    }
  }

  /// Uses a soup, and inspects it.
  func check(_ made: Made) throws {
    for n in 1...4 {
      for add in made.add { add(n) }
      for add in made.addWide { add(FourWords(last: n)) }
    }
    for other in made.others { other() }
    try #require(made.control.blocking.quiet(within: patience))
    let expected = first + 10 + (0..<others).reduce(0) { $0 + 100 << $1 }
    #expect(try made.total.blocking() == expected)
    let graph = made.control.graph
    #expect(graph.soup == label)
    #expect(graph.names.map(\.label) == ["sum", name] + (0..<others).map { "other[\($0)]" } + ["total"])
    #expect(graph.reactions.count == 2 + others)
    #expect(graph.reactions.filter { $0.placement == "inline" }.count == (placement == .inline ? 2 + others : 1))
    #expect(made.control.snapshot()[name] == 0)
  }
}

/// The kinds of bodies that one place may declare.
private enum Capturing: Error {
  case common, anotherType, throwing

  func expected(_ number: Int) -> [String] {
    switch self {
    case .common: ["first \(number)", "second"]
    case .anotherType: ["\(number)", "second"]
    case .throwing: []
    }
  }
}

/// Defines a soup, and uses it once. Its bodies capture the log, names of the soup, and values of several types.
private func capture(_ seen: Log<String>, _ number: Int, _ kind: Capturing, _ matcher: Matcher) throws {
  do {
    let first = try Soup.define("capturing", with: .init(matcher: matcher, placement: .inline)) { soup in
      let first = soup.slow("first")
      let second = soup.slow("second")
      let text = "first \(number)"
      let other: @Sendable () -> Void = {
        seen.append("\(number)")
        second()
      }
      let common: @Sendable () -> Void = {
        seen.append(text)
        second()
      }
      let body = kind == .anotherType ? other : common
      soup.react(first) { _ in body() }
      if kind == .throwing { throw kind }
      soup.react(second) { _ in seen.append("second") }
      return first
    }
    first()
  } catch Capturing.throwing where kind == .throwing {}
}

@discardableResult
private func echo<Value: Sendable>(_ value: Value, _ matcher: Matcher) throws -> Value {
  let (put, get) = Soup.define("echo", with: .init(matcher: matcher, placement: .inline)) { soup in
    let put = soup.slow("put", of: Value.self)
    let get = soup.fast("get", returning: Value.self)
    soup.react(put, get) { value, call in call.reply(value) }
    return (put, get)
  }
  put(value)
  return try get.blocking()
}

/// A value too large for the room that a name has for a state.
struct FourWords: Hashable, Sendable {
  var rest: (Int, Int, Int) = (1, 2, 3)
  var last: Int

  static func == (a: FourWords, b: FourWords) -> Bool { a.rest == b.rest && a.last == b.last }
  func hash(into hasher: inout Hasher) { hasher.combine(last) }
}
