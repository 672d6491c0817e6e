public import Crucible
import Foundation

/// SplitMix64: a seed gives the same numbers everywhere.
public struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  public init(_ seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

public typealias Matcher = Soup.Matcher

/// All matchers. Every test of a contract runs on each of them, through the same code.
public let matchers = Matcher.all

/// The settings of a run, from its environment.
public enum Run {
  /// CRUCIBLE_SEED, or a new one each time.
  public static let seed = variable("CRUCIBLE_SEED").flatMap { UInt64($0) } ?? .random(in: 1...UInt64.max)

  /// CRUCIBLE_SCALE multiplies how much the stress tests do.
  public static let scale = variable("CRUCIBLE_SCALE").flatMap { Double($0) } ?? 1

  /// CRUCIBLE_CASES, or enough to keep the processors busy: how many test cases run at a time.
  public static let casesAtOnce =
    variable("CRUCIBLE_CASES").flatMap { Int($0) } ?? max(4, 2 * ProcessInfo.processInfo.activeProcessorCount)

  /// The seed of one stress test; prints how to replay it.
  public static func seed(of test: String, _ number: Int = 0) -> UInt64 {
    print("\(test): CRUCIBLE_SEED=\(seed), number \(number)")
    var generator = Seeded(seed &+ UInt64(number))
    return generator.next() | 1
  }

  private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}

/// `count`, scaled by CRUCIBLE_SCALE; at least 1.
public func scaled(_ count: Int) -> Int { max(1, Int(Double(count) * Run.scale)) }
