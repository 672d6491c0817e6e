import CHarness
import Crucible
import Soups
import Synchronization

// A user's own chemistry, measured as a case of --compare. Rounds run on as many threads as the cell has.

extension Case {
  init(_ chemistry: Chemistry) {
    self.init(name: chemistry.name, summary: chemistry.summary, place: .inline, timesCalls: true) { setting in
      SoupCase(setting, chemistry)
    }
  }
}

extension Region {
  /// Makes the dimension of one chemistry: the number of threads that use it.
  init(_ chemistry: Chemistry, threads: [Int]) {
    self.init(
      name: chemistry.name, of: "threads",
      cells: threads.map { Cell(at: $0, name: chemistry.name, threads: $0, chemistry: chemistry.name) })
  }
}

private final class SoupCase: Contender {
  private let crew: Crew
  private let control: Soup.Control
  private let round: Chemistry.Round

  init(_ setting: Setting, _ chemistry: Chemistry) {
    crew = setting.crew
    (control, round) = chemistry.define(.init(matcher: setting.matcher))
  }

  /// Measures rounds. A reaction is a round here, even if the round causes several reactions. Verified: no round
  /// throws, and afterwards as many molecules wait in the soup as before.
  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let before = waiting
    let errors = Atomic(0)
    let work = Rounds(round: round) { errors.add(1, ordering: .relaxed) }
    var sample = crew.run(Job(work), rounds: rounds, recorders: recorders)
    try control.settle(&sample)
    sample.reactions = sample.rounds
    try Wrong.unlessEqual("rounds that threw", expected: 0, found: errors.load(ordering: .relaxed))
    try Wrong.unlessEqual("molecules that wait", expected: before, found: waiting)
    return sample
  }

  private var waiting: [Int] { control.snapshot().counts.map(\.molecules) }
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
