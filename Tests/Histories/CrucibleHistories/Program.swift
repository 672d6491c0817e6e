import CHistories
import Crucible
import Glibc

/// The program `histories`: runs chemistries of consecutive seeds, or that of one seed again and again, or lists the
/// matchers.
struct Program {
  private var seed = UInt64.random(in: 1...1_000_000_000)
  /// Whether every run has the chemistry of the seed, each with a noise of its own.
  private var isReplay = false
  private var seconds = 10.0
  private var matcher = Soup.Matcher.automatic
  private var patience = 30.0
  private var output = "failed"

  @available(*, noasync)
  mutating func run(_ arguments: [String]) -> Int32 {
    if arguments == ["matchers"] {
      for matcher in Soup.Matcher.all { print(matcher) }
      return 0
    }
    if let problem = parse(arguments) {
      say("histories: \(problem)")
      return 2
    }
    return explore(in: Laboratory(matcher: matcher, patience: .seconds(patience)))
  }

  private mutating func parse(_ arguments: [String]) -> String? {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { return "\(option) takes a value" }
      switch option {
      case "--seed", "--replay":
        seed = UInt64(value) ?? 0
        isReplay = option == "--replay"
      case "--seconds": seconds = Double(value) ?? 0
      case "--patience": patience = Double(value) ?? 30
      case "--output": output = value
      case "--matcher":
        guard let matcher = Soup.Matcher(value) else {
          return "no matcher '\(value)': automatic\(Soup.Matcher.all.map { ", \($0)" }.joined())"
        }
        self.matcher = matcher
      default: return "unknown option \(option)"
      }
    }
    return seed == 0 || seconds == 0 ? "a number is not one" : nil
  }

  @available(*, noasync)
  private func explore(in laboratory: Laboratory) -> Int32 {
    let begin = ContinuousClock.now
    var total = Laboratory.Verdict()
    var done = 0
    while ContinuousClock.now - begin < .seconds(seconds) {
      let seed = isReplay ? self.seed : self.seed &+ UInt64(done)
      let chemistry = Chemistry(seed: seed)
      // Before it is run, so that it is there however the process ends.
      save("seed \(seed)\n\(chemistry)\n", as: output)
      let verdict = laboratory.run(chemistry, "seed \(seed)", attempt: isReplay ? done : 0)
      if !verdict.mistakes.isEmpty {
        save(laboratory.record, as: "\(output).history")
        say(
          "FAILED histories: seed \(seed) on \(matcher), its history in \(output).history\n\(chemistry)\n"
            + verdict.mistakes.map { "  \($0)" }.joined(separator: "\n"))
        return 1
      }
      total.molecules += verdict.molecules
      total.firings += verdict.firings
      total.operations += verdict.operations
      total.overlapped += verdict.overlapped
      done += 1
    }
    let elapsed = (ContinuousClock.now - begin) / .seconds(1)
    say(
      """
      passed histories on \(matcher): \(done) from seed \(seed)\(isReplay ? " alone" : " on"); \
      checked \(total.molecules) molecules in \(total.firings) firings, \
      \(Int(Double(total.molecules) / elapsed)) per second; \
      \(total.operations) operations, \(total.overlapped * 100 / max(total.operations, 1)) % overlapped; \
      noise: \(histories_noise_made())
      """)
    if !isReplay && done > 10 && total.overlapped == 0 {
      say("FAILED histories: no operation overlapped another thread's")
      return 1
    }
    return 0
  }
}

private func save(_ text: String, as path: String) {
  guard let file = fopen(path, "w") else { fatalError("Histories: cannot write \(path)") }
  fputs(text, file)
  fclose(file)
}

@_cdecl("histories_main")
func historiesMain(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>>) -> Int32 {
  var program = Program()
  return program.run((1..<Int(count)).map { String(cString: arguments[$0]) })
}
