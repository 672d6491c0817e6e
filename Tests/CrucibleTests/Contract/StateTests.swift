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
  func `A state that owns an object stays its only owner`(setup: Setup) async throws {
    let (use, shared, control) = setup.define(slow("use"), fast("shared", returning: Int.self)) { soup, use, shared in
      let state = soup.state("state", Owner())
      soup.react(state: state, use) { state, _ in
        if !isKnownUniquelyReferenced(&state.object) { state.shared += 1 }
        state.object.uses += 1
      }
      soup.react(state: state, shared) { state, call in
        call.reply(state.shared * 1_000_000 + state.object.uses)
      }
    }
    try await onThreads(4) { _ in for _ in 0..<500 { use() } }
    await control.settle()
    #expect(try await shared() == 2000)
  }

  @Test(arguments: matchers)
  func `States of several components do not exclude each other`(matcher: Matcher) {
    let inner = Tally()
    let (outer, _, _) = matcher.define(slow("a"), slow("b")) { soup, a, b in
      let first = soup.state("first", 0)
      let second = soup.state("second", 0)
      soup.react(state: first, a, on: .inline) { _, _ in
        b()
        // `b` has run by now, in the middle of this body.
        inner.add(inner.count == 1 ? 10 : 100)
      }
      soup.react(state: second, b, on: .inline) { _, _ in inner.add() }
    }
    outer()
    #expect(inner.count == 11)
  }
}

private struct Storage {
  var numbers: [Int]
  var address: UInt = 0
  var moves = 0
}

private struct Owner {
  final class Object { var uses = 0 }
  var object = Object()
  var shared = 0
}
