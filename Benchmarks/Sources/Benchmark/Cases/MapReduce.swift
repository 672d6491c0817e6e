import CHarness
import Crucible
import Synchronization

/// item(x) → mapped(f(x)) on the pool; total & mapped(y) → total + y, inline, on the worker that mapped it. A round is
/// an item, which causes both reactions. Meanwhile one thread injects all items. Verified by the sum.
func mapReduce(_ setting: Setting) -> any Contender {
  if setting.strategy == .taskGroup { return TaskGroupCase() }
  let run = MapReduceRun()
  let (item, control) = Soup.define("mapreduce", with: .init(matcher: setting.matcher)) { soup in
    let item = soup.slow("item", of: Int.self)
    let mapped = soup.slow("mapped", of: Int.self)
    let total = soup.state("total", Total())
    soup.react(item) { x in
      tallyStamped(x)
      mapped(MapReduceRun.map(x))
    }
    soup.react(state: total, mapped, on: .inline) { total, y in
      total.sum &+= y
      total.items += 1
      if total.items == run.items.load(ordering: .relaxed) {
        run.finish(total.sum)
        total = Total()
      }
    }
    return (item, soup.control)
  }
  return MapReduceCase(run: run, item: item, control: control)
}

private struct Total {
  var sum = 0
  var items = 0
}

private final class MapReduceCase: Contender {
  private let run: MapReduceRun
  private let item: Injector<Int>
  private let control: Soup.Control

  init(run: MapReduceRun, item: Injector<Int>, control: Soup.Control) {
    self.run = run
    self.item = item
    self.control = control
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    run.items.store(rounds, ordering: .relaxed)
    var sample = run.gate.run {
      for x in 0..<rounds { item(x) }
    }
    try control.rest()
    try run.check(&sample, rounds: rounds)
    return sample
  }
}

/// Baseline: a child task for each item. The parent sums up their results.
private final class TaskGroupCase: Contender {
  private let run = MapReduceRun()

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    var sample = run.gate.run { [run] in
      Task.detached {
        let sum = await withTaskGroup(of: Int.self) { group in
          for x in 0..<rounds {
            group.addTask {
              tallyStamped(x)
              return MapReduceRun.map(x)
            }
          }
          return await group.reduce(0, &+)
        }
        run.finish(sum)
      }
    }
    try run.check(&sample, rounds: rounds)
    return sample
  }
}

/// The number of items, and their sum once it is known.
private final class MapReduceRun: Sendable {
  let gate = Gate()
  let items = Atomic(0)
  private let sum = Atomic(0)

  @inline(__always)
  static func map(_ x: Int) -> Int { 3 &* x &+ 1 }

  func finish(_ sum: Int) {
    self.sum.store(sum, ordering: .relaxed)
    gate.open()
  }

  func check(_ sample: inout harness_sample, rounds: Int) throws(Wrong) {
    harness_tally_overlap(&sample)
    sample.reactions = UInt64(rounds)
    try Wrong.unlessEqual("items mapped", expected: UInt64(rounds), found: harness_tally_total().count)
    let expected = 3 &* Int(sumOfNumbers(below: rounds)) &+ rounds
    try Wrong.unlessEqual("sum", expected: expected, found: sum.load(ordering: .relaxed))
  }
}
