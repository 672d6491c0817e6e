import Crucible
import CrucibleTestSupport
import Synchronization
import Testing

/// Contract 11, calls in hand: a drain finishes the calls that bodies have kept beyond their ends.
@Suite(.watched, .serialized)
struct `Draining a soup whose calls are in hand` {
  /// Where a body puts its call.
  enum Hand: CaseIterable { case callback, object, state, task, inAsyncBody, molecule }

  /// Holds calls until a gate opens, and then hands their results on.
  private final class Holder: Sendable {
    let calls = Mutex<[Call<Int, Int>]>([])
    let gate = Gate()
    let held = Tally()

    func hold(_ act: @escaping @Sendable () -> Void) {
      held.add()
      Task {
        await gate.wait()
        act()
      }
    }
  }

  private typealias Service = (fetch: FastInjector<Int, Int>, control: Soup.Control, results: Tally)

  /// A soup whose results come by a molecule with the call in a tuple, after the holder's gate has opened.
  private func service(_ setup: Setup, _ hand: Hand, _ holder: Holder) -> Service {
    let results = Tally()
    let (fetch, _, _, _, control) = setup.matcher.define(
      fast("fetch", of: Int.self, returning: Int.self), slow("result", of: (Call<Int, Int>, Int).self),
      slow("next", of: Call<Int, Int>.self), slow("ready"), named: "service"
    ) { soup, fetch, result, next, ready in
      let finish = { @Sendable (call: Call<Int, Int>) in
        if !result((call, call.input * 2)) { call.fail(Boom(call.input)) }
      }
      switch hand {
      case .callback: soup.react(fetch, on: setup.placement) { call in holder.hold { finish(call) } }
      case .object:
        soup.react(fetch, on: setup.placement) { call in
          holder.calls.withLock { $0.append(call) }
          holder.hold { finish(holder.calls.withLock { $0.removeLast() }) }
        }
      case .state:
        let parked = soup.state("parked", [Call<Int, Int>]())
        soup.react(state: parked, fetch, on: setup.placement) { parked, call in
          parked.append(call)
          holder.hold { ready() }
        }
        soup.react(state: parked, ready, on: setup.placement) { parked, _ in finish(parked.removeLast()) }
      case .task:
        soup.react(fetch, on: setup.placement) { call in
          Task.detached {
            holder.hold {}
            await holder.gate.wait()
            finish(call)
          }
        }
      case .inAsyncBody:
        soup.react(fetch, on: .task) { call async in holder.hold { finish(call) } }
      case .molecule:
        soup.react(fetch, on: setup.placement) { call in next(call) }
        soup.react(next, on: setup.placement) { call in holder.hold { finish(call) } }
      }
      if hand != .state {
        let idle = soup.state("idle", 0)
        soup.react(state: idle, ready) { _, _ in }
      }
      if hand != .molecule { soup.react(next) { call in call.reply(0) } }
      soup.react(result, on: setup.placement) { call, number in
        results.add()
        call.reply(number)
      }
    }
    return (fetch, control, results)
  }

  @Test(arguments: Run.setups, Hand.allCases)
  func `A drain waits for calls in hand, and accepts what their holders inject`(setup: Setup, hand: Hand) async {
    let holder = Holder()
    let (fetch, control, results) = service(setup, hand, holder)
    let ways = WayToCall.allCases
    let calls = ways.enumerated().map { number, way in Task { await way.call(fetch, number) } }
    while holder.held.count < calls.count { await Task.yield() }
    await control.settle()
    let drain = Task { await control.drain(within: patience) }
    while !control.snapshot().isDraining { await Task.yield() }
    for _ in 0..<200 { await Task.yield() }
    #expect(control.snapshot().isDraining, "the calls are in hand")
    holder.gate.open()
    let report = await drain.value
    #expect(report.description == "quiet")
    #expect(results.count == calls.count)
    for (number, call) in calls.enumerated() { #expect(await call.value == .success(2 * number)) }
    #expect(control.snapshot().isStopped)
  }

  @Test(arguments: Run.setups)
  func `A drain whose limit is over lists the calls in hand, and their holders still answer`(setup: Setup) async {
    let holder = Holder()
    let (fetch, control) = setup.react(fast("fetch", of: Int.self, returning: Int.self)) { call in
      holder.hold { call.reply(call.input) }
    }
    let calls = WayToCall.allCases.map { way in Task { await way.call(fetch, 7) } }
    while holder.held.count < calls.count || control.explain().callers.count < calls.count { await Task.yield() }
    let report = await control.drain(within: .milliseconds(1))
    #expect(!report.isQuiet)
    #expect(report.description == "not quiet, left: \(calls.count) × fetch")
    #expect(control.snapshot().dropped == 0, "no caller is told that its call was dropped")
    holder.gate.open()
    for call in calls { #expect(await call.value == .success(7)) }
  }

  @Test(arguments: Run.setups)
  func `A call that waits as a molecule for a partner does not hold a drain up`(setup: Setup) async {
    let (fetch, _, _, control) = setup.matcher.define(
      fast("fetch", of: Int.self, returning: Int.self), slow("parked", of: Call<Int, Int>.self), slow("never"),
      named: "parked"
    ) { soup, fetch, parked, never in
      soup.react(fetch, on: setup.placement) { call in parked(call) }
      soup.react(parked, never) { call, _ in call.reply(0) }
    }
    let call = Task { await WayToCall.allCases[0].call(fetch, 7) }
    while control.snapshot()["parked"] == 0 { await Task.yield() }
    let report = await control.drain(within: patience)
    #expect(report.description == "quiet, left: 1 × parked")
    #expect(await call.value == .failure(.stopped))
  }

  @Test(arguments: Run.setups)
  func `A drain does not wait for calls in hand that nobody awaits, or that were dropped`(setup: Setup) async {
    let kept = Shared<[Call<Int, Int>]>([])
    let (fetch, control) = setup.react(fast("fetch", of: Int.self, returning: Int.self)) { call in
      kept.put(kept.value! + [call])
    }
    let cancelled = Task { try await fetch(1) }
    while kept.value!.count < 1 { await Task.yield() }
    let dropped = Task { try await onThread { try fetch.blocking(2) } }
    while kept.value!.count < 2 { await Task.yield() }
    cancelled.cancel()
    _ = await cancelled.result
    kept.put([])
    #expect(await control.drain(within: patience).description == "quiet")
    await #expect(throws: CallError.neverReplied) { try await dropped.value }
  }

  @Test(arguments: Run.setups)
  func `A call in hand may be answered together with another one, and is unfinished no longer`(setup: Setup) async {
    let (swap, control) = setup.define(fast("swap", of: Int.self, returning: Int.self)) { soup, swap in
      let parked = soup.state("parked", [Call<Int, Int>]())
      soup.react(state: parked, swap) { parked, call in
        if let other = parked.popLast() {
          other.reply(call.input, with: call, other.input)
        } else {
          parked.append(call)
        }
      }
    }
    for way in WayToCall.allCases {
      async let first = way.call(swap, 1)
      async let second = way.call(swap, 2)
      let results = await [first, second]
      #expect(results == [.success(2), .success(1)], "\(way)")
    }
    #expect(await control.drain(within: patience).isQuiet)
  }

  @Test(arguments: matchers)
  func `Of bodies that end at once with copies of a call, one counts it`(matcher: Matcher) async throws {
    let seen = Tally()
    let soups = (0..<2).map { number in
      matcher.react(slow("see", of: Call<Int, Int>.self), on: .pool, named: "see \(number)") { _ in seen.add() }
    }
    let held = Shared<Call<Int, Int>>(nil)
    let (ask, _) = matcher.on(.inline).define(fast("ask", of: Int.self, returning: Int.self), named: "ask") {
      soup, ask in
      soup.react(ask) { call in
        held.put(call)
        for soup in soups { soup.0(call) }
      }
    }
    for round in 1...100 {
      async let answer = onThread { try ask.blocking(round) }
      while seen.count < 2 * round { await Task.yield() }
      let call = try #require(held.take())
      call.reply(call.input)
      #expect(try await answer == round)
    }
    for soup in soups { #expect(await soup.1.drain(within: patience).description == "quiet") }
  }
}
