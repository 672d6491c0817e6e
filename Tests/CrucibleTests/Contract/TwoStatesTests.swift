import Crucible
import CrucibleTestSupport
import Testing

/// Two states in one pattern: taken at once, changed in place, returned at once.
@Suite(.watched, .serialized)
struct `Two states in one pattern` {
  @Test(arguments: matchers)
  func `Two states of one pattern are both absent while a body has them`(matcher: Matcher) {
    let counts = Log<[Int]>()
    let (go, control) = matcher.define(slow("go")) { soup, go in
      let first = soup.state("first", 1)
      let second = soup.state("second", "")
      let control = soup.control
      soup.react(state: first, state: second, go, on: .inline) { _, _, _ in counts.append(control.states) }
    }
    #expect(control.states == [1, 1])
    go()
    #expect(counts.all == [[0, 0]])
    #expect(control.states == [1, 1])
  }

  @Test(arguments: Run.setups)
  func `Two accounts keep their sum under transfers both ways`(setup: Setup) async throws {
    let rounds = scaled(1000)
    let (forth, back, balances, control) = setup.define(
      slow("forth", of: Int.self), slow("back", of: Int.self), fast("balances", returning: [Int].self)
    ) { soup, forth, back, balances in
      let giro = soup.state("giro", 1000)
      let savings = soup.state("savings", 500)
      soup.react(state: giro, state: savings, forth) { giro, savings, amount in
        giro -= amount
        savings += amount
      }
      soup.react(state: savings, state: giro, back) { savings, giro, amount in
        savings -= amount
        giro += amount
      }
      soup.react(state: giro, state: savings, balances) { giro, savings, call in
        call.reply([giro, savings])
      }
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
  func `Two states of one pattern stay as a body that throws left them`(setup: Setup) async throws {
    let (fail, look, control) = setup.define(
      fast("fail", of: Int.self, returning: Void.self), fast("look", returning: [Int].self)
    ) { soup, fail, look in
      let first = soup.state("first", 0)
      let second = soup.state("second", [Int]())
      soup.react(state: first, state: second, fail) { first, second, call in
        first += call.input
        second.append(call.input)
        throw Boom(first)
      }
      soup.react(state: first, state: second, look) { first, second, call in
        call.reply([first] + second)
      }
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
