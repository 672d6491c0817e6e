import Crucible
import CrucibleTestSupport
import Synchronization
import Testing

/// States: exactly one copy, changed in place, and never in two bodies at once.
@Suite(.watched, .serialized)
struct `States` {
  @Test(arguments: Run.setups)
  func `A state is in one body at a time, and loses nothing that it counts`(setup: Setup) async throws {
    let perThread = scaled(5000)
    let (increment, value, control) = Soup.define("counter", with: .init(matcher: setup.matcher)) { soup in
      let counter = soup.state("counter", 0)
      let increment = soup.slow("increment")
      let value = soup.fast("value", returning: Int.self)
      soup.react(state: counter, increment, on: setup.placement) { n, _ in n += 1 }
      soup.react(state: counter, value, on: setup.placement) { n, call in call.reply(n) }
      return (increment, value, soup.control)
    }
    try await onThreads(8) { _ in for _ in 0..<perThread { increment() } }
    await control.settle()
    #expect(try await value() == 8 * perThread)
    await control.settle()
    #expect(control.snapshot()["counter"] == 1)
  }

  @Test(arguments: Run.setups)
  func `A state keeps the reactions that share it apart`(setup: Setup) async throws {
    let perThread = scaled(2000)
    let overlaps = Tally()
    let inside = Flag()
    let enter = { @Sendable in
      if !inside.raise() { overlaps.add() }
      inside.lower()
    }
    let (a, b, control) = Soup.define("exclusion", with: .init(matcher: setup.matcher)) { soup in
      let state = soup.state("state", ())
      let a = soup.slow("a")
      let b = soup.slow("b", of: Int.self)
      soup.react(state: state, a, on: setup.placement) { _, _ in enter() }
      soup.react(state: state, b, on: setup.placement) { _, _ in enter() }
      soup.react(state: state, a, b, on: setup.placement) { _, _, _ in enter() }
      return (a, b, soup.control)
    }
    try await onThreads(8) { thread in
      for n in 0..<perThread { if thread % 2 == 0 { a() } else { b(n) } }
    }
    await control.settle()
    #expect(overlaps.count == 0)
    #expect(control.snapshot()[a] + control.snapshot()[b] == 0)
  }

  @Test(arguments: matchers)
  func `A state that is an array grows in place, without a copy`(matcher: Matcher) async throws {
    let (add, moves) = Soup.define("array", with: .init(matcher: matcher)) { soup in
      var room = [Int]()
      room.reserveCapacity(2000)
      let array = soup.state("array", Storage(numbers: room))
      let add = soup.slow("add", of: Int.self)
      let moves = soup.fast("moves", returning: Int.self)
      soup.react(state: array, add, on: .inline) { array, n in
        array.numbers.append(n)
        let address = array.numbers.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        if address != array.address { array.moves += 1 }
        array.address = address
      }
      soup.react(state: array, moves, on: .inline) { array, call in call.reply(array.moves) }
      return (add, moves)
    }
    for n in 0..<2000 { add(n) }
    #expect(try await moves() == 1, "only the first append sees a new address")
  }

  @Test(arguments: Run.setups)
  func `A state that owns an object stays its only owner`(setup: Setup) async throws {
    let (use, shared, control) = Soup.define("unique", with: .init(matcher: setup.matcher)) { soup in
      let state = soup.state("state", Owner())
      let use = soup.slow("use")
      let shared = soup.fast("shared", returning: Int.self)
      soup.react(state: state, use, on: setup.placement) { state, _ in
        if !isKnownUniquelyReferenced(&state.object) { state.shared += 1 }
        state.object.uses += 1
      }
      soup.react(state: state, shared, on: setup.placement) { state, call in
        call.reply(state.shared * 1_000_000 + state.object.uses)
      }
      return (use, shared, soup.control)
    }
    try await onThreads(4) { _ in for _ in 0..<500 { use() } }
    await control.settle()
    #expect(try await shared() == 2000)
  }

  @Test(arguments: Run.setups)
  func `A state need not be Sendable`(setup: Setup) async throws {
    let (push, sum) = Soup.define("not sendable", with: .init(matcher: setup.matcher)) { soup in
      let node = soup.state("node", Node(0, next: nil))
      let push = soup.slow("push", of: Int.self)
      let sum = soup.fast("sum", returning: Int.self)
      soup.react(state: node, push, on: setup.placement) { node, n in node = Node(n, next: node) }
      soup.react(state: node, sum, on: setup.placement) { node, call in
        call.reply(sequence(first: node, next: \.next).reduce(0) { $0 + $1.number })
      }
      return (push, sum)
    }
    for n in 1...10 { push(n) }
    // The pushes may still wait on the pool. Two names have no common order.
    while try await sum() != 55 { await Task.yield() }
  }

  @Test(arguments: matchers)
  func `States of several components do not exclude each other`(matcher: Matcher) {
    let inner = Tally()
    let outer: Injector<Void> = Soup.define("two states", with: .init(matcher: matcher)) { soup in
      let first = soup.state("first", 0)
      let second = soup.state("second", 0)
      let a = soup.slow("a")
      let b = soup.slow("b")
      soup.react(state: first, a, on: .inline) { _, _ in
        b()
        // `b` has run by now, in the middle of this body.
        inner.add(inner.count == 1 ? 10 : 100)
      }
      soup.react(state: second, b, on: .inline) { _, _ in inner.add() }
      return a
    }
    outer()
    #expect(inner.count == 11)
  }

  @Test(arguments: Run.setups)
  func `A state that many threads give back at once serves every call that waits`(setup: Setup) async throws {
    let rounds = scaled(2000)
    let (take, put) = Soup.define("cell", with: .init(matcher: setup.matcher)) { soup in
      let cell = soup.state("cell", [Int]())
      let take = soup.fast("take", returning: Int?.self)
      let put = soup.fast("put", of: Int.self, returning: Int.self)
      soup.react(state: cell, take, on: setup.placement) { cell, call in call.reply(cell.popLast()) }
      soup.react(state: cell, put, on: setup.placement) { cell, call in
        cell.append(call.input)
        call.reply(cell.count)
      }
      return (take, put)
    }
    let taken = try await onThreads(4) { thread in
      var taken = 0
      for round in 0..<rounds {
        _ = try put.blocking(thread * rounds + round)
        if try take.blocking() != nil { taken += 1 }
      }
      return taken
    }
    #expect(taken.reduce(0, +) == 4 * rounds, "each thread puts before it takes")
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

private final class Node {
  let number: Int
  let next: Node?

  init(_ number: Int, next: Node?) {
    self.number = number
    self.next = next
  }
}

private final class Flag: Sendable {
  private let raised = Atomic<Bool>(false)
  func raise() -> Bool { !raised.exchange(true, ordering: .acquiringAndReleasing) }
  func lower() { raised.store(false, ordering: .releasing) }
}
