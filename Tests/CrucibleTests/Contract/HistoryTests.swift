import Crucible
import CrucibleTestSupport
import Testing

@testable import CrucibleHistories

/// The contract on random chemistries. A seed draws names, reactions, and the scripts of eight threads, with calls,
/// deadlines and control. A model checks what happened. Tests/Histories/run does more of it, on a core with noise.
@Suite(.watched, .serialized)
struct `Histories` {
  @Test(arguments: matchers)
  func `Histories of random chemistries are as the model allows`(matcher: Matcher) async throws {
    let seed = Run.seed(of: "histories") >> 1
    let count = scaled(40)
    let failure = try await onThread { () -> String? in
      let laboratory = Laboratory(matcher: matcher, patience: .seconds(120))
      var (molecules, overlapped, number) = (0, 0, 0)
      // On a busy machine, a thread may end its script before another one begins.
      while number < count || overlapped == 0 && number < 25 * count {
        let chemistry = CrucibleHistories.Chemistry(seed: seed + UInt64(number))
        let verdict = laboratory.run(chemistry, "seed \(seed + UInt64(number))")
        if !verdict.mistakes.isEmpty { return "\(chemistry)\n\(verdict.mistakes.joined(separator: "\n"))" }
        molecules += verdict.molecules
        overlapped += verdict.overlapped
        number += 1
      }
      if molecules > 10 * count && overlapped > 0 { return nil }
      return "hardly anything happened: \(molecules) molecules, \(overlapped) operations overlapped"
    }
    #expect(failure == nil, "\(failure ?? ""), from seed \(seed)")
  }
}
