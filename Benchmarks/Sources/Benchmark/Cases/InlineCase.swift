import CHarness
import Crucible

/// An inline case with one reaction a round. The tally counts the reactions and sums up the values that they consumed.
final class InlineCase: Contender {
  private let crew: Crew
  private let job: Job
  private let control: Soup.Control
  private let valuesPerRound: Int
  private let waiting: () -> Int

  /// - Parameters:
  ///   - valuesPerRound: the number of times that a reaction gets the number of its round.
  ///   - waiting: counts the remaining molecules.
  init(_ setting: Setting, _ job: Job, control: Soup.Control, valuesPerRound: Int, waiting: @escaping () -> Int) {
    crew = setting.crew
    self.job = job
    self.control = control
    self.valuesPerRound = valuesPerRound
    self.waiting = waiting
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    harness_tally_reset()
    var sample = crew.run(job, rounds: rounds, recorders: recorders)
    try control.settle(&sample)
    let total = harness_tally_total()
    let rounds = Int(sample.rounds)
    sample.reactions = sample.rounds
    try Wrong.unlessEqual("reactions", expected: UInt64(rounds), found: total.count)
    let sum = UInt64(valuesPerRound) &* sumOfNumbers(below: rounds)
    try Wrong.unlessEqual("sum of the values", expected: sum, found: total.sum)
    try Wrong.unlessEqual("molecules left over", expected: 0, found: waiting())
    return sample
  }
}
