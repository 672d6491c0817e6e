import Crucible
import Glibc

/// What libFuzzer calls: the bytes are the chemistry. On a mistake the process is aborted, and libFuzzer keeps them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
  Fuzzer.shared.run(Chemistry(bytes: UnsafeBufferPointer(start: data, count: size)))
  return 0
}

private final class Fuzzer: Sendable {
  static let shared = Fuzzer()
  private let laboratory = Laboratory(matcher: .automatic, patience: .seconds(30))

  func run(_ chemistry: Chemistry) {
    let verdict = laboratory.run(chemistry, "an input of the fuzzer")
    if verdict.mistakes.isEmpty { return }
    say("FAILED histories:\n\(chemistry)\n" + verdict.mistakes.map { "  \($0)" }.joined(separator: "\n"))
    abort()
  }
}
