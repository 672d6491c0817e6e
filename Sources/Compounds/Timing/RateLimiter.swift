public import Crucible

/// Lets a limited number of callers pass in any interval, in the order in which they came.
///
/// ```swift
/// let limiter = RateLimiter(10, per: .seconds(1))
/// try await limiter.pass()
/// ```
///
/// The definition. A permit comes back one interval after a caller has taken it:
///
/// ```
/// soup.react(pass, permit) { call, _ in if call.reply() { permit.after(interval) } else { permit() } }
/// ```
///
/// If a caller gives up, its call is withdrawn, and it has not passed. The interval goes by the clock of the options.
///
/// - Complexity: O(1), and a timer for each caller that passes.
public struct RateLimiter: Compound {
  /// Waits until the caller may pass. A limit of zero tries.
  public let pass: FastInjector<Void, Void>
  public let control: Soup.Control

  /// Makes a limiter that lets `count` callers pass in any interval. A count below 1 ends the program.
  public init(
    _ count: Int, per interval: Duration, _ label: String = "rate limiter", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line
  ) {
    MadeAt("rate limiter", label, file, line).require("the number of callers", count, in: 1...1 << 40)
    (pass, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let pass = soup.fast("pass", returning: Void.self)
      let permit = soup.slow("permit")
      soup.react(pass, permit, on: .inline) { call, _ in
        if call.reply() { permit.after(interval) } else { permit() }
      }
      soup.initially { permit.inject(count: count) }
      return (pass, soup.control)
    }
  }
}
