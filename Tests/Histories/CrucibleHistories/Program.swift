import CHistories
import Crucible
import Glibc

/// The program `histories`: runs chemistries of consecutive seeds, or one from a file, or lists the matchers.
struct Program {
  private var first = UInt64.random(in: 1...1_000_000_000)
  private var count = Int.max
  private var seconds: Double?
  private var matcher = Soup.Matcher.automatic
  private var file: String?
  private var shrunk: String?
  private var attempts = Int.max
  private var patience = 30.0
  private var output = "failed.chemistry"

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
    if let shrunk { return Shrinker(shrunk, on: "\(matcher)", patience: patience).run() }
    let laboratory = Laboratory(matcher: matcher, patience: .seconds(patience))
    if let file { return replay(file, in: laboratory) }
    return explore(in: laboratory)
  }

  private mutating func parse(_ arguments: [String]) -> String? {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { return "\(option) takes a value" }
      switch option {
      case "--seed": first = UInt64(value) ?? 0
      case "--count": count = Int(value) ?? 0
      case "--seconds": seconds = Double(value)
      case "--attempts": attempts = Int(value) ?? 1
      case "--patience": patience = Double(value) ?? 30
      case "--file": file = value
      case "--shrink": shrunk = value
      case "--output": output = value
      case "--matcher":
        guard let matcher = Soup.Matcher(value) else {
          return "no matcher '\(value)': automatic\(Soup.Matcher.all.map { ", \($0)" }.joined())"
        }
        self.matcher = matcher
      default: return "unknown option \(option)"
      }
    }
    if first == 0 || count == 0 { return "a number is not one" }
    if count == .max && attempts == .max && seconds == nil { seconds = 10 }
    return nil
  }

  @available(*, noasync)
  private func explore(in laboratory: Laboratory) -> Int32 {
    let clock = ContinuousClock()
    let begin = clock.now
    var total = Laboratory.Verdict()
    var done = 0
    while done < count {
      if let seconds, clock.now - begin > .seconds(seconds) { break }
      let seed = first &+ UInt64(done)
      let chemistry = Chemistry(seed: seed)
      save(chemistry.bytes, as: output)  // before it is run, so that it is there however the process ends
      let verdict = run(chemistry, "seed \(seed), in \(output),", 0, in: laboratory)
      if !verdict.mistakes.isEmpty { return 1 }
      total.molecules += verdict.molecules
      total.firings += verdict.firings
      total.operations += verdict.operations
      total.overlapped += verdict.overlapped
      done += 1
    }
    let elapsed = (clock.now - begin) / .seconds(1)
    say(
      """
      passed histories on \(matcher): seeds \(first)...\(first &+ UInt64(done) &- 1); \
      checked \(total.molecules) molecules in \(total.firings) firings, \
      \(Int(Double(total.molecules) / elapsed)) per second; \
      \(total.operations) operations, \(total.overlapped * 100 / max(total.operations, 1)) % overlapped; \
      noise: \(histories_noise_made())
      """)
    if done > 10 && total.overlapped == 0 {
      say("FAILED histories: no operation overlapped another thread's")
      return 1
    }
    return 0
  }

  @available(*, noasync)
  private func run(_ chemistry: Chemistry, _ name: String, _ attempt: Int, in laboratory: Laboratory)
    -> Laboratory.Verdict
  {
    let verdict = laboratory.run(chemistry, name, attempt: attempt)
    if !verdict.mistakes.isEmpty {
      save(Array(laboratory.record.utf8), as: "\(output).history")
      say(
        "FAILED histories: \(name) on \(matcher), its history in \(output).history\n\(chemistry)\n"
          + verdict.mistakes.map { "  \($0)" }.joined(separator: "\n"))
    }
    return verdict
  }

  @available(*, noasync)
  private func replay(_ path: String, in laboratory: Laboratory) -> Int32 {
    guard let bytes = load(path) else {
      say("histories: cannot read \(path)")
      return 2
    }
    let chemistry = Chemistry(bytes: bytes)
    let begin = ContinuousClock.now
    var attempt = 0
    while attempt < attempts {
      if let seconds, ContinuousClock.now - begin > .seconds(seconds) { break }
      let verdict = run(chemistry, "attempt \(attempt) of \(path)", attempt, in: laboratory)
      if !verdict.mistakes.isEmpty { return 1 }
      attempt += 1
    }
    say("passed \(attempt) attempts of \(path):\n\(chemistry)")
    return 0
  }
}

func save(_ bytes: [UInt8], as path: String) {
  guard let file = fopen(path, "w") else { fatalError("Histories: cannot write \(path)") }
  fwrite(bytes, 1, bytes.count, file)
  fclose(file)
}

/// Nil: there is no such file.
func load(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 16)
  bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
  return bytes
}

@_cdecl("histories_main")
func historiesMain(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>>) -> Int32 {
  var program = Program()
  return program.run((1..<Int(count)).map { String(cString: arguments[$0]) })
}
