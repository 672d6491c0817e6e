import Crucible
import CrucibleHistories
import CrucibleTestSupport
import Testing

/// The contract on chemistries that nobody thought of: names, reactions, the scripts of eight threads with calls, deadlines and
/// control are drawn from a seed, and what happened is checked against a model. Tests/Histories/run does more of it, on a core with
/// noise under it.
@Suite(.watched, .serialized)
struct `Histories` {
  @Test(arguments: matchers)
  func `of random chemistries are as the model allows`(matcher: Soup.Matcher) async throws {
    let seed = Run.seed(of: "histories") >> 1
    let count = scaled(40)
    let failure = try await onThread { () -> String? in
      let laboratory = Laboratory(matcher: matcher, patience: .seconds(120))
      var (molecules, overlapped) = (0, 0)
      for number in 0..<count {
        let chemistry = CrucibleHistories.Chemistry(seed: seed + UInt64(number))
        let verdict = laboratory.run(chemistry, "seed \(seed + UInt64(number))")
        if !verdict.mistakes.isEmpty { return "\(chemistry)\n\(verdict.mistakes.joined(separator: "\n"))" }
        molecules += verdict.molecules
        overlapped += verdict.overlapped
      }
      if molecules > 10 * count && overlapped > 0 { return nil }
      return "hardly anything happened: \(molecules) molecules, \(overlapped) operations overlapped"
    }
    #expect(failure == nil, "\(failure ?? ""), from seed \(seed)")
  }

  @Test func `come from bytes that a chemistry gives back`() {
    for seed in 1...300 as ClosedRange<UInt64> {
      let chemistry = CrucibleHistories.Chemistry(seed: seed)
      #expect(CrucibleHistories.Chemistry(bytes: chemistry.bytes) == chemistry, "\(chemistry)")
    }
  }
}
