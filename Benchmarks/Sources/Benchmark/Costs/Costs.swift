import CHarness
import Crucible

/// The cost of a reaction in countable units, for `Benchmarks/costs`, which runs this under callgrind.
///
/// Each case runs until it is warm, then for some rounds, then for twice as many, on one thread or one worker of the
/// pool. Work that happens once in a run is the same in both, so it is not in their difference. `harness_part` is
/// called before the first of the two runs, between them, and after the second. Every run is verified, like a timed
/// one.
struct Costs {
  /// The number of rounds. A crew deals them out in 32 portions, and so the rounds of the longer run. So taking
  /// portions costs the same in both.
  static let rounds = 16_384

  /// Prints a line for each entrant: case, layer, matcher, and the reactions and allocations of the shorter and the
  /// longer run.
  static func run(_ options: Options) -> Int32 {
    Soup.Pool.workers = 1
    do throws(Wrong) {
      let crew = try Crew(threads: 1)
      for one in options.cases {
        for entrant in Entrant.all {
          guard let layer = entrant.layer, options.layers.contains(layer),
            options.strategies.contains(entrant.strategy), one.has(entrant)
          else { continue }
          harness_watch("\(one.name), \(entrant.description)")
          let contender = try one.open(entrant, crew: crew)
          let (short, long) = try runs(of: contender)
          print(
            one.name, layer.rawValue, entrant.strategy.name, short.reactions, short.allocations,
            long.reactions, long.allocations, separator: "\t")
        }
      }
    } catch {
      printError("benchmark: \(error.message)")
      return 1
    }
    return 0
  }

  private static func runs(of contender: Contender) throws(Wrong) -> (harness_sample, harness_sample) {
    _ = try contender.measure(2 * rounds, nil)
    harness_count_allocations(true)
    defer { harness_count_allocations(false) }
    harness_part()
    let short = try contender.measure(rounds, nil)
    harness_part()
    let long = try contender.measure(2 * rounds, nil)
    harness_part()
    return (short, long)
  }
}
