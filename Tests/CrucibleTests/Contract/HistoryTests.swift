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

  /// A caller whose reply came right before a look can wake at any time. Here it wakes right after the question.
  @Test(arguments: matchers)
  func `A history ends a look at rest before it asks its callers anything`(matcher: Matcher) async throws {
    let (isAtRest, events) = try await onThread {
      let recorder = Recorder(capacity: 100)
      let world = World(CrucibleHistories.Chemistry(seed: 1 as UInt64), matcher: matcher, recorder)
      let isAtRest = Performer(world: world, waiting: WaitingFlag()).look {
        recorder.note(.begin, recorder.subject(), CrucibleHistories.Chemistry.Code.call.rawValue, 0)
        return true
      }
      return (isAtRest, recorder.all)
    }
    #expect(isAtRest)
    let end = try #require(events.lastIndex { $0.kind == .end })
    let begins = events.indices.filter { events[$0].kind == .begin }
    #expect(begins.count == 2 && begins[0] < end && end < begins[1], "\(events.map(\.kind))")
  }
}
