import Crucible
import Soups

// A user's own chemistry, measured as a case of --compare. Rounds run on as many threads as the cell has.

extension Case {
  init(_ chemistry: Chemistry) {
    self.init(chemistry.name, chemistry.summary, .inline, timesCalls: true) { setting in
      measured(setting, chemistry)
    }
  }
}

extension Region {
  /// Makes the dimension of one chemistry: the number of threads that use it.
  init(_ chemistry: Chemistry, threads: [Int]) {
    self.init(name: chemistry.name, cells: threads.map { Cell(name: chemistry.name, threads: $0) })
  }
}

/// Measures rounds. A reaction is a round here, even if the round causes several reactions. Verified: no round throws,
/// and afterwards as many molecules wait in the soup as before.
private func measured(_ setting: Setting, _ chemistry: Chemistry) -> Contender {
  let (control, round) = chemistry.define(setting.options)
  return Contender { (rounds, recorders) throws(Wrong) in
    let before = control.snapshot().counts.map(\.molecules)
    let errors = Sum()
    let job = Job(Rounds(round: round) { errors.add(1) })
    var sample = setting.crew.run(job, rounds: rounds, recorders: recorders)
    try control.settle(&sample)
    try Wrong.unlessEqual("rounds that threw", expected: 0, found: errors.value)
    try Wrong.unlessEqual("molecules that wait", expected: before, found: control.snapshot().counts.map(\.molecules))
    return sample
  }
}

private struct Rounds: ThreadWork {
  let round: Chemistry.Round
  let fail: @Sendable () -> Void

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { number in
      probe.measure {
        do { try round(number) } catch { fail() }
      }
    }
  }
}
