import CHarness
import Glibc

/// The program in `Peers/`, which does some of the cases by oneTBB. `Benchmarks/run` builds it for `--peers` and for
/// `--matcher onetbb`.
struct Peers {
  private let program: String
  let cases: [String]

  init(program: String?) throws(Wrong) {
    guard let program else {
      throw Wrong("onetbb needs the program that Benchmarks/run builds: start this by Benchmarks/run")
    }
    guard let list = output(of: [program, "--list"]) else { throw Wrong("\(program) does not run") }
    self.program = program
    cases = list.split(separator: "\n").map(String.init)
  }

  func has(_ one: Case) -> Bool { cases.contains(one.name) }

  /// Returns a case that oneTBB does. Each sample is a separate process, which warms up and verifies its results.
  func contender(_ one: Case, threads: Int) -> Contender {
    // The number of threads that inject. On the pool, the pool decides how many threads work.
    let needed = one.place == .inline ? threads : 1
    return Contender { (rounds, _) throws(Wrong) in
      guard let text = output(of: [program, one.name, String(threads), String(rounds)]) else {
        throw Wrong("oneTBB's program failed")
      }
      let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
      guard figures.count == 5, figures[0] >= 1, figures[1] == Double(rounds) else {
        throw Wrong("oneTBB's program printed \(text)")
      }
      var sample = harness_sample()
      sample.nanoseconds = UInt64(figures[0])
      sample.reactions = UInt64(figures[1])
      sample.threads = UInt32(figures[2])
      sample.overlap = sample.threads < needed ? 0 : figures[3]
      sample.busy = figures[4]
      return sample
    }
  }
}
