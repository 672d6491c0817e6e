import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// A compound that acts on numbers by time.
struct Acting: Sendable, CustomTestStringConvertible {
  typealias Action = @Sendable (Int) async throws -> Void

  let testDescription: String
  /// The label of its state.
  let state: String
  /// Whether it acts on every value, and not on the latest ones only.
  var keepsAll = false
  /// Makes the compound. Returns its control, and a function that has it act on a number.
  let make: @Sendable (Soup.Options, ManualClock, @escaping Action) -> (Soup.Control, @Sendable (Int) -> Void)

  static let all = [
    Acting(testDescription: "a debounce", state: "last") { options, clock, action in
      let debounce = Debounce<Int>(for: .seconds(1), options: options, action)
      return (
        debounce.control,
        { number in
          debounce.send(number)
          clock.advance(by: .seconds(1))
        }
      )
    },
    Acting(testDescription: "a throttle", state: "latest") { options, clock, action in
      let throttle = Throttle<Int>(every: .seconds(1), options: options, action)
      return (
        throttle.control,
        { number in
          throttle.send(number)
          clock.advance(by: .seconds(1))
        }
      )
    },
    Acting(testDescription: "a batcher", state: "batch", keepsAll: true) { options, _, action in
      let batcher = Batcher<Int>(size: 1, within: .seconds(1), options: options) { try await action($0[0]) }
      return (batcher.control, { number in batcher.add(number) })
    },
  ]
}

@Suite(.watched)
struct `The actions of debounces, throttles and batchers` {
  @Test(arguments: matchers, Acting.all)
  func `A compound that acts by time reports an action that throws, and runs the next one`(
    matcher: Matcher, acting: Acting
  ) async throws {
    let (clock, log, errors) = (ManualClock(), Log<Int>(), Log<Fault>())
    let options = Soup.Options(matcher: matcher, clock: clock, onError: { errors.append($0.error as! Fault) })
    let (control, act) = acting.make(options, clock) { number in
      if number % 2 == 1 { throw Fault(number: number) }
      log.append(number)
    }
    for number in 1...4 {
      act(number)
      #expect(await control.quiet(within: patience))
    }
    #expect(errors.all == [Fault(number: 1), Fault(number: 3)])
    #expect(log.all == [2, 4])
    #expect(control.snapshot()[acting.state] == 1)
  }

  @Test(arguments: matchers, Acting.all)
  func `A compound that acts by time runs its actions one after the other, in the order of their values`(
    matcher: Matcher, acting: Acting
  ) async throws {
    let (clock, begun, ended) = (ManualClock(), Log<Int>(), Log<Int>())
    let (hasBegun, mayEnd) = (Gate(), Gate())
    let (control, act) = acting.make(Soup.Options(matcher: matcher, clock: clock), clock) { number in
      begun.append(number)
      hasBegun.open()
      await mayEnd.wait()
      ended.append(number)
    }
    act(1)
    await hasBegun.wait()
    for number in 2...9 {
      act(number)
      // Until it has made room for itself.
      await eventually("\(number) rests: \(control.explain())") {
        let snapshot = control.snapshot()
        return snapshot[acting.state] == 1 && (snapshot["act"] ?? 0) <= (acting.keepsAll ? number - 1 : 1)
          && (snapshot["send"] ?? 0) + (snapshot["due"] ?? 0) + (snapshot["add"] ?? 0) == 0
      }
    }
    #expect(begun.all == [1] && ended.all == [])
    mayEnd.open()
    clock.advance(by: .seconds(1))
    await eventually("all actions have ended: \(control.explain())") { ended.all.last == 9 }
    await control.quiet(within: patience)
    #expect(begun.all == ended.all && ended.all == ended.all.sorted())
    // At most one value waited when the last one came.
    #expect(acting.keepsAll ? ended.all == Array(1...9) : ended.all.count <= 3, "old values waited: \(ended.all)")
  }
}
