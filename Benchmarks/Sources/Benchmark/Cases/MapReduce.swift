import CHarness
import Crucible
import Synchronization

/// item(x) → mapped(f(x)) on the pool; total & mapped(y) → total + y, inline, on the worker that mapped it. A round is
/// an item, which causes both reactions. Meanwhile one thread injects all items. Verified by the sum.
func mapReduce(_ setting: Setting) -> Contender {
  let run = MapReduceRun()
  if setting.strategy == .taskGroup { return run.contender { mapInTasks($0, run) } }
  let (item, control) = Soup.define("mapreduce", with: setting.options) { soup in
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
  return run.contender(control) { for x in 0..<$0 { item(x) } }
}

private struct Total {
  var sum = 0
  var items = 0
}

/// Baseline: a child task for each item. The parent sums up their results.
private func mapInTasks(_ items: Int, _ run: MapReduceRun) {
  Task.detached {
    let sum = await withTaskGroup(of: Int.self) { group in
      for x in 0..<items {
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

/// The number of items, and their sum once it is known.
private final class MapReduceRun: Sendable {
  private let gate = Gate()
  let items = Atomic(0)
  private let sum = Atomic(0)

  @inline(__always)
  static func map(_ x: Int) -> Int { 3 &* x &+ 1 }

  func finish(_ sum: Int) {
    self.sum.store(sum, ordering: .relaxed)
    gate.open()
  }

  func contender(_ control: Soup.Control? = nil, start: @escaping (_ items: Int) -> Void) -> Contender {
    Contender { (rounds, _) throws(Wrong) in
      self.items.store(rounds, ordering: .relaxed)
      var sample = self.gate.run { start(rounds) }
      try control?.rest()
      harness_tally_overlap(&sample)
      sample.reactions = UInt64(rounds)
      try Wrong.unlessEqual("items mapped", expected: UInt64(rounds), found: harness_tally_total().count)
      let expected = 3 &* Int(sumOfNumbers(below: rounds)) &+ rounds
      try Wrong.unlessEqual("sum", expected: expected, found: self.sum.load(ordering: .relaxed))
      return sample
    }
  }
}
