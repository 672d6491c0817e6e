import Crucible
import CrucibleTestSupport
import Testing

/// Contract 1 and 2: reactions take all inputs or none. No molecule is lost or taken twice. At rest nothing is enabled.
@Suite(.watched, .serialized)
struct `Conservation` {
  /// Patterns over names that all carry unique payloads. Each number is a name.
  static let chemistries: [Chemistry] = [
    Chemistry("join of two", [[0, 1]]),
    Chemistry("join of three", [[0, 1, 2]]),
    Chemistry("reactions that share names", [[0, 1], [1, 2], [2, 0]]),
    Chemistry("one name twice", [[0, 0]]),
    Chemistry("names repeated across reactions", [[0, 0, 1], [0, 1, 1], [2, 0, 2]]),
    Chemistry("one reaction inside another", [[0], [0, 1], [0, 1, 2]]),
    Chemistry("two components", [[0, 1], [2, 3], [3, 3, 2]]),
    Chemistry("eleven names in one component", (0..<11).map { [$0, ($0 + 1) % 11] }),
    Chemistry("thirty-one names in one component", (0..<31).map { [$0, ($0 + 1) % 31] }),
  ]

  @Test(arguments: chemistries, Run.setups)
  func `Every injected molecule is consumed or present, and no reaction is enabled at rest`(
    chemistry: Chemistry, setup: Setup
  ) async throws {
    let perThread = scaled(3000)
    let seed = Run.seed(of: "conservation of \(chemistry)")
    let census = Census()
    let ledger = Ledger(capacity: 8 * perThread)
    let outcome = Log<String>()
    let injected = (0..<chemistry.nameCount).map { _ in Tally() }
    let consumed = (0..<chemistry.nameCount).map { _ in Tally() }

    func run() async throws {
      let (names, control) = Soup.define(chemistry.label, with: .init(matcher: setup.matcher, seed: seed)) { soup in
        let names = soup.slow("n", of: Item.self, count: chemistry.nameCount)
        for pattern in chemistry.patterns {
          soup.react(pattern.map { names[$0] }, on: setup.placement) { items in
            if items.map(\.name) != pattern { outcome.append("\(pattern) got \(items.map(\.name))") }
            for item in items {
              ledger.consume(item.payload.number)
              consumed[item.name].add()
            }
          }
        }
        return (names, soup.control)
      }
      try await onThreads(8) { thread in
        var random = Seeded(seed &+ UInt64(thread))
        for _ in 0..<perThread {
          let name = Int.random(in: 0..<names.count, using: &random)
          injected[name].add()
          names[name](Item(name: name, payload: census.live(ledger.issue()!)))
        }
      }
      await control.settle()
      let present = control.snapshot().counts.map(\.molecules)
      for name in 0..<chemistry.nameCount {
        #expect(injected[name].count == consumed[name].count + present[name], "name \(name) lost or doubled some")
      }
      for pattern in chemistry.patterns {
        #expect(!chemistry.isEnabled(pattern, with: present), "\(pattern) is enabled at rest, with \(present)")
      }
      #expect(ledger.outstanding == present.reduce(0, +))
    }

    try await run()
    #expect(ledger.duplicates == 0)
    #expect(outcome.all == [])
    #expect(census.born == 8 * perThread)
    await census.expectExtinction()
  }
}

struct Item: Sendable {
  let name: Int
  let payload: Live
}

/// Reactions as lists of names, each name as often as it is taken.
struct Chemistry: Sendable, CustomTestStringConvertible, CustomStringConvertible {
  let label: String
  let patterns: [[Int]]
  var nameCount: Int { patterns.joined().max()! + 1 }
  var testDescription: String { label }
  var description: String { label }

  init(_ label: String, _ patterns: [[Int]]) {
    self.label = label
    self.patterns = patterns
  }

  func isEnabled(_ pattern: [Int], with present: [Int]) -> Bool {
    Set(pattern).allSatisfy { name in present[name] >= pattern.count { $0 == name } }
  }
}
