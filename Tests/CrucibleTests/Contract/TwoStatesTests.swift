import Crucible
import CrucibleTestSupport
import Synchronization
import Testing

/// Two states in one pattern: taken at once, changed in place, returned at once.
@Suite(.watched, .serialized)
struct `Two states in one pattern` {
  @Test(arguments: matchers)
  func `Two states of one pattern are both absent while a body has them`(matcher: Matcher) {
    let counts = Log<[Int]>()
    let (go, control) = Soup.define("absent", with: .init(matcher: matcher)) { soup in
      let first = soup.state("first", 1)
      let second = soup.state("second", "")
      let go = soup.slow("go")
      let control = soup.control
      soup.react(state: first, state: second, go, on: .inline) { _, _, _ in counts.append(control.states) }
      return (go, soup.control)
    }
    #expect(control.states == [1, 1])
    go()
    #expect(counts.all == [[0, 0]])
    #expect(control.states == [1, 1])
  }

  @Test(arguments: matchers)
  func `An exchange swaps two whole states, by a slow molecule or by a call, though their values cannot be sent`(
    matcher: Matcher
  ) async throws {
    let (flip, flipped, look) = Soup.define("exchange", with: .init(matcher: matcher, placement: .inline)) { soup in
      let first = soup.state("first") { Node(1) }
      let second = soup.state("second") { Node(2) }
      let flip = soup.slow("flip")
      let flipped = soup.fast("flipped", returning: Void.self)
      let look = soup.fast("look", returning: [Int].self)
      soup.exchange(first, second, when: flip)
      soup.exchange(first, second, when: flipped)
      soup.react(state: first, state: second, look) { first, second, call in
        first.turns += 1
        call.reply([first.number, second.number, first.turns])
      }
      return (flip, flipped, look)
    }
    #expect(try await look() == [1, 2, 1])
    flip()
    #expect(try await look() == [2, 1, 1])
    try await flipped()
    #expect(try await look() == [1, 2, 2])
  }

  @Test(arguments: Run.setups)
  func `A body gets its two states first, and then the molecules in the order of the pattern`(setup: Setup) async throws
  {
    let (inject, content, control) = Soup.define("orders", with: .init(matcher: setup.matcher)) { soup in
      let count = soup.state("count", 0)
      let text = soup.state("text", "")
      let names = (1...4).map { size in soup.slow("of \(size)", of: Int.self, count: size) }
      let content = soup.fast("content", returning: [String].self)
      let write = { @Sendable (count: inout Int, text: inout String, numbers: [Int]) in
        count += numbers.count
        text += numbers.map(String.init).joined() + " "
      }
      let (one, two, three, four) = (names[0], names[1], names[2], names[3])
      soup.react(state: count, state: text, one[0], on: setup.placement) { write(&$0, &$1, [$2]) }
      soup.react(state: count, state: text, Soup.Group(two[0], two[1]), on: setup.placement) { count, text, values in
        let (a, b) = values.all
        write(&count, &text, [a, b])
      }
      soup.react(state: count, state: text, three, on: setup.placement) { write(&$0, &$1, $2) }
      soup.react(state: count, state: text, Soup.Group(four[0], Array(four[1...])), on: setup.placement) {
        count, text, values in
        let (a, rest) = values.all
        write(&count, &text, [a] + rest)
      }
      soup.react(state: count, state: text, content, on: setup.placement) { count, text, call in
        call.reply(["\(count)", text])
      }
      return (names, content, soup.control)
    }
    for names in inject {
      for (index, name) in names.enumerated().reversed() { name(index + 1) }
      await control.settle()
    }
    #expect(try await content() == ["10", "1 12 123 1234 "])
    #expect(try await onThread { try content.blocking() } == ["10", "1 12 123 1234 "])
  }

  @Test(arguments: Run.setups)
  func `Two accounts keep their sum under transfers both ways`(setup: Setup) async throws {
    let rounds = scaled(1000)
    let (forth, back, balances, control) = Soup.define("bank", with: .init(matcher: setup.matcher)) { soup in
      let giro = soup.state("giro", 1000)
      let savings = soup.state("savings", 500)
      let forth = soup.slow("forth", of: Int.self)
      let back = soup.slow("back", of: Int.self)
      let balances = soup.fast("balances", returning: [Int].self)
      soup.react(state: giro, state: savings, forth, on: setup.placement) { giro, savings, amount in
        giro -= amount
        savings += amount
      }
      soup.react(state: savings, state: giro, back, on: setup.placement) { savings, giro, amount in
        savings -= amount
        giro += amount
      }
      soup.react(state: giro, state: savings, balances, on: setup.placement) { giro, savings, call in
        call.reply([giro, savings])
      }
      return (forth, back, balances, soup.control)
    }
    let wrong = Tally()
    try await onThreads(8) { thread in
      for round in 1...rounds {
        if thread.isMultiple(of: 2) { forth(round) } else { back(round + 1) }
        if round.isMultiple(of: 20), try balances.blocking().reduce(0, +) != 1500 { wrong.add() }
      }
    }
    await control.settle()
    #expect(wrong.count == 0)
    #expect(try await balances() == [1000 + 4 * rounds, 500 - 4 * rounds])
    await control.settle()
    #expect(control.snapshot()["giro"] == 1)
    #expect(control.snapshot()["savings"] == 1)
  }

  @Test(arguments: Run.setups)
  func `Two states of one pattern keep all reactions apart that share either of them`(setup: Setup) async throws {
    let perThread = scaled(1000)
    let overlaps = Tally()
    let inside = [Room(), Room()]
    let (one, other, both, counts, control) = Soup.define("exclusion", with: .init(matcher: setup.matcher)) { soup in
      let first = soup.state("first", 0)
      let second = soup.state("second", 0)
      let one = soup.slow("one")
      let other = soup.slow("other", of: Int.self)
      let both = soup.slow("both")
      let counts = soup.fast("counts", returning: [Int].self)
      soup.react(state: first, one, on: setup.placement) { first, _ in
        first += 1
        if !inside[0].visit() { overlaps.add() }
      }
      soup.react(state: second, other, on: setup.placement) { second, _ in
        second += 1
        if !inside[1].visit() { overlaps.add() }
      }
      soup.react(state: first, state: second, both, on: setup.placement) { first, second, _ in
        first += 1
        second += 1
        for room in inside where !room.visit() { overlaps.add() }
      }
      soup.react(state: first, state: second, counts, on: setup.placement) { first, second, call in
        call.reply([first, second])
      }
      return (one, other, both, counts, soup.control)
    }
    try await onThreads(8) { thread in
      for number in 0..<perThread {
        one()
        other(number)
        if thread.isMultiple(of: 2) { both() }
      }
    }
    await control.settle()
    #expect(overlaps.count == 0)
    #expect(try await counts() == [12 * perThread, 12 * perThread], "no count is lost")
    await control.settle()
    #expect(control.states == [1, 1])
    #expect(control.snapshot()[one] + control.snapshot()[other] + control.snapshot()[both] == 0)
  }

  @Test(arguments: Run.setups)
  func `Two states of one pattern need not be Sendable, and may exchange what they hold`(setup: Setup) async throws {
    let (turn, look, control) = Soup.define("not sendable", with: .init(matcher: setup.matcher)) { soup in
      let left = soup.state("left", Node(1))
      let right = soup.state("right", Node(2))
      let turn = soup.slow("turn")
      let look = soup.fast("look", returning: [Int].self)
      soup.react(state: left, state: right, turn, on: setup.placement) { left, right, _ in
        (left.number, right.number) = (right.number, left.number)
        left.turns += 1
      }
      soup.react(state: left, state: right, look, on: setup.placement) { left, right, call in
        call.reply([left.number, right.number, left.turns + right.turns])
      }
      return (turn, look, soup.control)
    }
    for _ in 0..<7 { turn() }
    await control.settle()
    #expect(try await look() == [2, 1, 7])
  }

  @Test(arguments: Run.setups)
  func `Two states of one pattern stay as a body that throws left them`(setup: Setup) async throws {
    let (fail, look, control) = Soup.define("throwing", with: .init(matcher: setup.matcher)) { soup in
      let first = soup.state("first", 0)
      let second = soup.state("second", [Int]())
      let fail = soup.fast("fail", of: Int.self, returning: Void.self)
      let look = soup.fast("look", returning: [Int].self)
      soup.react(state: first, state: second, fail, on: setup.placement) { first, second, call in
        first += call.input
        second.append(call.input)
        throw Boom(first)
      }
      soup.react(state: first, state: second, look, on: setup.placement) { first, second, call in
        call.reply([first] + second)
      }
      return (fail, look, soup.control)
    }
    await #expect(throws: CallError.failed(Boom(1))) { try await fail(1) }
    await #expect(throws: CallError.failed(Boom(3))) { try await onThread { try fail.blocking(2) } }
    #expect(try await look() == [3, 1, 2])
    await control.settle()
    #expect(control.states == [1, 1])
  }
}

extension Soup.Control {
  /// The numbers of copies of the states `first` and `second`.
  fileprivate var states: [Int] { [snapshot()["first"]!, snapshot()["second"]!] }
}

private final class Node {
  var number: Int
  var turns = 0

  init(_ number: Int) { self.number = number }
}

/// A room that admits one body at a time.
private final class Room: Sendable {
  private let isTaken = Atomic<Bool>(false)

  /// Returns false if another body is inside.
  func visit() -> Bool {
    if isTaken.exchange(true, ordering: .acquiringAndReleasing) { return false }
    isTaken.store(false, ordering: .releasing)
    return true
  }
}
