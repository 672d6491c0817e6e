import Crucible
import CrucibleTestSupport
import Testing

/// States: exactly one copy, changed in place, and never in two bodies at once.
@Suite(.watched, .serialized)
struct `States` {
  @Test(arguments: matchers)
  func `A state that is an array grows in place, without a copy`(matcher: Matcher) async throws {
    let (add, moves, _) = matcher.define(slow("add", of: Int.self), fast("moves", returning: Int.self), named: "array")
    { soup, add, moves in
      var room = [Int]()
      room.reserveCapacity(2000)
      let array = soup.state("array", Storage(numbers: room))
      soup.react(state: array, add, on: .inline) { array, n in
        array.numbers.append(n)
        let address = array.numbers.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        if address != array.address { array.moves += 1 }
        array.address = address
      }
      soup.react(state: array, moves, on: .inline) { array, call in call.reply(array.moves) }
    }
    for n in 0..<2000 { add(n) }
    #expect(try await moves() == 1, "only the first append sees a new address")
  }

  @Test(arguments: Run.setups)
  func `A value that is not Sendable, made outside, becomes a state`(setup: Setup) async throws {
    let sent = Soup.Sent(Object())
    let (use, _) = setup.define(fast("use", returning: Int.self)) { soup, use in
      let state = soup.state("state", sent)
      soup.react(state: state, use) { state, call in
        state.uses += 1
        call.reply(state.uses)
      }
    }
    for uses in 1...3 { #expect(try await use() == uses) }
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

private struct Storage {
  var numbers: [Int]
  var address: UInt = 0
  var moves = 0
}

private final class Object { var uses = 0 }

extension Soup.Control {
  /// The numbers of copies of the states `first` and `second`.
  fileprivate var states: [Int] { [snapshot()["first"]!, snapshot()["second"]!] }
}
