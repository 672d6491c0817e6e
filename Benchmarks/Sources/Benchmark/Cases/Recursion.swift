import CHarness
import Crucible

// fib-N: each call of the recursion has a soup of its own, held inline: the two parts come to it as molecules, which a
// state sums up. async-let: each call awaits two child tasks. A reaction is a call that has parts. Verified by the sum.

func fib(_ n: Int) -> @Sendable (Setting) -> any Contender {
  { setting in
    if setting.strategy == .asyncLet { return AsyncFibCase(n: n) }
    let matcher = setting.matcher
    return FibCase(n: n) { fibInSoups(n, matcher) }
  }
}

@inline(never)
private func fibInSoups(_ n: Int, _ matcher: Soup.Matcher) -> Int {
  if n < 2 { return n }
  let (part, sum) = Soup.define("fib", with: .init(matcher: matcher, placement: .inline)) { soup in
    let total = soup.state("total", 0)
    let part = soup.slow("part", of: Int.self)
    let sum = soup.fast("sum", returning: Int.self)
    soup.react(state: total, part, on: .inline) { total, part in total += part }
    soup.react(state: total, sum, on: .inline) { total, call in call.reply(total) }
    return (part, sum)
  }
  part(fibInSoups(n - 1, matcher))
  part(fibInSoups(n - 2, matcher))
  return (try? sum.blocking()) ?? 0
}

private func fibInTasks(_ n: Int) async -> Int {
  if n < 2 { return n }
  async let a = fibInTasks(n - 1)
  async let b = fibInTasks(n - 2)
  return await a + b
}

/// The result, and how many calls it takes that have parts.
private func expected(_ n: Int) -> (value: Int, calls: Int) {
  var (last, next) = (0, 1)
  for _ in 0..<n { (last, next) = (next, last + next) }
  return (last, next - 1)
}

private final class FibCase: Contender {
  private let n: Int
  private let compute: () -> Int

  init(n: Int, _ compute: @escaping () -> Int) {
    self.n = n
    self.compute = compute
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let (value, calls) = expected(n)
    let times = max(1, rounds / calls / 64)
    let allocations = harness_allocations()
    var sample = harness_sample()
    sample.began = harness_now()
    var sum = 0
    for _ in 0..<times { sum += compute() }
    sample.nanoseconds = harness_now() - sample.began
    sample.allocations = harness_allocations() - allocations
    sample.rounds = UInt64(rounds)
    sample.reactions = UInt64(times * calls)
    sample.threads = 1
    sample.overlap = 1
    try Wrong.unlessEqual("sum", expected: times * value, found: sum)
    return sample
  }
}

private final class AsyncFibCase: Contender {
  private let n: Int
  private let crew = TaskCrew(tasks: 1)

  init(n: Int) { self.n = n }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let (value, calls) = expected(n)
    let times = max(1, rounds / calls / 64)
    let total = Sum()
    var sample = crew.run(rounds: times) { [n] share in
      var sum = 0
      while let portion = share.take() {
        for _ in portion { sum += await fibInTasks(n) }
      }
      total.add(sum)
    }
    sample.rounds = UInt64(rounds)
    sample.reactions = UInt64(times * calls)
    try Wrong.unlessEqual("sum", expected: times * value, found: total.value)
    return sample
  }
}
