import Crucible
import CrucibleTestSupport
import Dispatch
import Glibc
import Testing

/// Any thread may inject, call and reply without registration. `Lives` starts and ends very many.
@Suite(.watched, .serialized)
struct `Threads of every kind` {
  @Test(arguments: matcherNames)
  func `Short-lived threads leak nothing`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("short-lived threads")
      let count = 3000
      let (sum, bursts) = (Tally(), Shared<Int>(nil))
      let (add, _, ask, control) = Matcher(matcher)!.define(
        slow("add", of: Int.self), slow("token"), fast("ask", returning: Int.self)
      ) { soup, add, token, ask in
        soup.react(add, token, on: .inline) { n, _ in
          sum.add(n)
          token()
        }
        soup.react(ask, on: .inline) { $0.reply(1) }
        token()
      }
      try await onThread {
        @Sendable func burst(_ count: Int) {
          for start in stride(from: 0, to: count, by: 4) {
            let threads = (start..<min(start + 4, count)).map { n in
              spawn(stackSize: 64 << 10) {
                add(1)
                if n % 16 == 0 { sum.add((try? ask.blocking()) ?? 0) }
              }
            }
            for thread in threads { thread.join() }
          }
        }
        // Thread records are never freed. Later no more threads live at once than now, even if they are slow to end.
        _ = runThreads(200) { _ in add(1) }
        burst(1000)
        // Memory of a busy machine may be retired late. A leak shows in each burst: 6 bytes of each thread are more.
        var grown: [Int] = []
        repeat {
          let before = Memory.settledBytes
          burst(count)
          grown.append(Memory.settledBytes - before)
        } while grown.count < 3 && grown.last! > 16 << 10
        #expect(grown.min()! <= 16 << 10, "grown by \(grown) bytes")
        bursts.put(grown.count)
      }
      #expect(sum.count == 200 + 1000 + 63 + bursts.value! * (count + (count + 15) / 16))
      await control.settle()
    }
  }

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
