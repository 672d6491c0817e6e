import Crucible
import CrucibleTestSupport
import Testing

/// Molecules carry values of every kind. Each value arrives as it was sent, and is destroyed exactly once.
@Suite(.watched)
struct `Values` {
  @Test(arguments: Run.setups)
  func `Values arrive as they were sent, plain or with memory, large, small and of no size`(setup: Setup) async throws {
    try await roundTrip((0..<200).map { UInt8(truncatingIfNeeded: $0) }, setup)
    try await roundTrip((0..<200).map { $0 % 3 == 0 }, setup)
    try await roundTrip(Array(0..<200), setup)
    try await roundTrip((0..<200).map { Double($0) / 7 }, setup)
    try await roundTrip((0..<200).map { Odd(a: UInt8($0), b: UInt16($0), c: UInt8($0)) }, setup)
    try await roundTrip((0..<200).map { String(repeating: "long enough not to be inline ", count: $0 % 5) }, setup)
    try await roundTrip((0..<200).map { Array(0..<$0) }, setup)
    try await roundTrip((0..<200).map { $0 % 2 == 0 ? nil : [$0: "\($0)"] }, setup)
    try await roundTrip((0..<200).map { Shape(number: $0) }, setup)
    try await roundTrip((0..<200).map { Line(filledWith: $0) }, setup)
    try await roundTrip((0..<40).map { Page(filledWith: $0) }, setup)
    try await roundTrip(Array(repeating: Nothing(), count: 200), setup)
    try await roundTrip(Array(repeating: Only.one, count: 200), setup)
    #expect(MemoryLayout<Line>.size == 64 && MemoryLayout<Page>.size == 4096 && MemoryLayout<Nothing>.size == 0)
  }

  @Test(arguments: Run.setups)
  func `Values that want a coarse alignment lie on it`(setup: Setup) async throws {
    // On a thread, because Swift 6.3 assumes that wide vectors are aligned in the frames of `async` functions. That
    // corrupts the heap in release builds, with or without this library.
    let mistakes = try await onThread {
      try mistakesInBlockingRoundTrip((0..<100).map { SIMD2<Int64>(repeating: $0) }, setup)
        + mistakesInBlockingRoundTrip((0..<100).map { SIMD64<Float>(repeating: Float($0)) }, setup)
        + mistakesInBlockingRoundTrip(
          (0..<100).map { Aligned(before: UInt8($0), vector: .init(repeating: Double($0))) }, setup)
    }
    #expect(mistakes == 0)
    #expect(MemoryLayout<Aligned>.alignment >= 16)

    // Only the value in a state's cell and the one in a body's argument have an address.
    let misaligned = Tally()
    let (go, control) = setup.define(slow("go")) { soup, go in
      let state = soup.state("state", Aligned(before: 1, vector: .zero))
      soup.react(state: state, go) { state, _ in
        let address = withUnsafePointer(to: &state) { UInt(bitPattern: $0) }
        if address % UInt(MemoryLayout<Aligned>.alignment) != 0 { misaligned.add() }
      }
    }
    for _ in 0..<10 { go() }
    await control.settle()
    #expect(misaligned.count == 0)
  }

  @Test(arguments: Run.setups)
  func `Closures, objects and existentials arrive as they were sent`(setup: Setup) async {
    let census = Census()
    do {
      let numbers = Log<Int>()
      let (closure, object, existential, name, _, control) = setup.define(
        slow("closure", of: (@Sendable (Int) -> Int).self), slow("object", of: Live.self),
        slow("existential", of: (any Numbered).self), slow("name", of: Injector<Live>.self),
        slow("final", of: Live.self)
      ) { soup, closure, object, existential, name, final in
        soup.react(closure, object) { closure, object in numbers.append(closure(object.number)) }
        soup.react(existential, name) { existential, name in
          name(census.live(existential.numberOfIt))
        }
        soup.react(final) { numbers.append($0.number) }
        name(final)
      }
      _ = name
      for n in 0..<100 {
        let captured = census.live(1000)
        closure { $0 + captured.number }
        object(census.live(n))
      }
      existential(census.live(5000))
      existential(Large(line: Line(filledWith: 1), live: census.live(6000)))
      await control.settle()
      #expect(numbers.all.sorted() == (0..<100).map { $0 + 1000 } + [5000])
      #expect(control.snapshot()[existential] == 1)
    }
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `Values that hold weak references arrive, and the references keep working`(setup: Setup) async throws {
    let census = Census()
    let kept = census.live(7)
    let seen = Log<Int?>()
    do {
      let (item, go, echo, control) = setup.define(
        slow("item", of: Weak.self), slow("go"), fast("echo", of: Weak.self, returning: Weak.self)
      ) { soup, item, go, echo in
        soup.react(item, go) { item, _ in seen.append(item.live?.number) }
        soup.react(echo) { $0.reply($0.input) }
      }
      // A backlog longer than a bag's first ring, so that values move.
      for _ in 0..<300 { item(Weak(kept)) }
      do {
        let shortLived = census.live(8)
        item(Weak(shortLived))
      }
      for _ in 0..<301 { go() }
      item(Weak(kept))
      await control.settle()
      #expect(seen.all.count == 301)
      #expect(seen.all.count { $0 == 7 } == 300)
      #expect(seen.all.count { $0 == nil } == 1)
      let reply = try await echo(Weak(kept))
      #expect(reply.live?.number == 7)
    }
    #expect(census.alive == 1)
    withExtendedLifetime(kept) {}
  }

  /// Sends `values` as slow molecules and as calls, and checks that they arrive unchanged.
  private func roundTrip<Value: Sendable & Equatable>(_ values: [Value], _ setup: Setup) async throws {
    let seen = Log<Value>()
    let (item, go, echo, control) = echoes(values, seen, setup)
    for value in values { item(value) }
    for _ in values { go() }
    for value in values {
      go()
      item(value)
    }
    await control.settle()
    #expect(seen.all == values + values, "\(Value.self)")
    for value in values.prefix(20) { #expect(try await echo(value) == value, "\(Value.self)") }
    let call = values[0]
    #expect(try await onThread { try echo.blocking(call) } == call, "\(Value.self)")
  }
}

/// A soup that logs every `item` that meets a `go`, and answers `echo` with its input. A state keeps the last value.
private func echoes<Value: Sendable>(
  _ values: [Value], _ seen: Log<Value>, _ setup: Setup
) -> (Injector<Value>, Injector<Void>, FastInjector<Value, Value?>, Soup.Control) {
  setup.define(
    slow("item", of: Value.self), slow("go"), fast("echo", of: Value.self, returning: Value?.self),
    named: "\(Value.self)"
  ) { soup, item, go, echo in
    let last = soup.state("last", values.first)
    soup.react(state: last, item, go) { last, value, _ in
      last = value
      seen.append(value)
    }
    soup.react(state: last, echo) { last, call in
      last = call.input
      call.reply(last)
    }
  }
}

/// Sends `values` as slow molecules and as blocking calls. Returns the number that changed or did not arrive.
private func mistakesInBlockingRoundTrip<Value: Sendable & Equatable>(_ values: [Value], _ setup: Setup) throws -> Int {
  let seen = Log<Value>()
  let (item, go, echo, control) = echoes(values, seen, setup)
  for value in values { item(value) }
  for _ in values { go() }
  if !control.blocking.quiet(within: patience) { return values.count }
  let changed = abs(seen.count - values.count) + zip(seen.all, values).count { $0 != $1 }
  return try changed + values.count { try echo.blocking($0) != $0 }
}

private struct Odd: Sendable, Equatable {
  var a: UInt8
  var b: UInt16
  var c: UInt8
}

private struct Nothing: Sendable, Equatable {}

private enum Only: Sendable, Equatable { case one }

private struct Aligned: Sendable, Equatable {
  var before: UInt8
  var vector: SIMD8<Double>
}

private indirect enum Shape: Sendable, Equatable {
  case nothing
  case number(Int)
  case text(String, Line)
  case pair(Shape, Shape)

  init(number: Int) {
    switch number % 4 {
    case 0: self = .nothing
    case 1: self = .number(number)
    case 2: self = .text("number \(number) in many letters", Line(filledWith: UInt64(number)))
    default: self = .pair(Shape(number: number - 1), Shape(number: number - 2))
    }
  }
}

private protocol Numbered: Sendable { var numberOfIt: Int { get } }

extension Live: Numbered { fileprivate var numberOfIt: Int { number } }

private struct Large: Numbered {
  let line: Line
  let live: Live
  var numberOfIt: Int { live.number }
}
