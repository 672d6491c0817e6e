import Compounds
import Crucible
import CrucibleTestSupport
import Testing

/// Agents that ask each other on one thread.
@Suite(.watched)
struct `Agents that ask each other` {
  private func deadlock(_ work: () throws -> Int) -> Deadlock? {
    do { _ = try work() } catch CallError.failed(let error) { return error as? Deadlock } catch { return nil }
    return nil
  }

  @Test(arguments: matchers)
  func `An agent that is asked by another one, which it asks itself, throws Deadlock with both`(matcher: Matcher)
    async throws
  {
    let a = Agent("a", options: .init(matcher: matcher)) { 1 }
    let b = Agent("b", options: .init(matcher: matcher)) { 2 }
    let found = Log<Deadlock?>()
    let sum = try await onThread {
      try a.blocking.ask { (one: inout Int) in
        let two = try b.blocking.ask { (two: inout Int) in
          found.append(deadlock { try a.blocking.ask { $0 } })
          return two
        }
        return one + two
      }
    }
    #expect(sum == 3, "both went on")
    #expect(found.all.map { $0?.bodies.map(\.soup.label) } == [["a", "b"]])
  }
}
