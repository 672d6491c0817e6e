import Crucible
import CrucibleTestSupport
import Dispatch
import Testing

/// Any thread may inject, call and reply without registration. `Lives` starts and ends very many.
@Suite(.watched, .serialized)
struct `Threads of every kind` {
  @Test(arguments: Run.setups)
  func `Threads of GCD inject and call`(setup: Setup) async throws {
    let (add, total, control) = counter(setup)
    let group = DispatchGroup()
    let (done, errors) = (Gate(), Log<CallError>())
    for n in 0..<200 {
      DispatchQueue.global().async(group: group) {
        add(n)
        if n % 10 == 0, case .failure(let error) = total.blockingOutcome((), within: nil) { errors.append(error) }
      }
    }
    group.notify(queue: .global()) { done.open() }
    await done.wait()
    await control.settle()
    #expect(errors.all == [])
    #expect(try await total() == 199 * 200 / 2)
  }

  @Test(arguments: Run.setups)
  func `Threads that reply to the calls of others and end leave no call open`(setup: Setup) async throws {
    let calls = Log<Call<Int, Int>>()
    let (ask, _) = setup.react(fast("ask", of: Int.self, returning: Int.self)) { calls.append($0) }
    async let callers = onThreads(8) { try ask.blocking($0) }
    while calls.count < 8 { await Task.yield() }
    try await onThreads(8) { calls.all[$0].reply(calls.all[$0].input * 2) }
    #expect(try await callers == (0..<8).map { $0 * 2 })
  }

  private func counter(_ setup: Setup) -> (Injector<Int>, FastInjector<Void, Int>, Soup.Control) {
    setup.define(slow("add", of: Int.self), fast("total", returning: Int.self)) { soup, add, total in
      let sum = soup.state("sum", 0)
      soup.react(state: sum, add) { sum, n in sum += n }
      soup.react(state: sum, total) { sum, call in call.reply(sum) }
    }
  }
}
