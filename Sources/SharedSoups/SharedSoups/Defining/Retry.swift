/// The rule for a firing whose body throws, or whose worker is lost.
///
/// ```swift
/// soup.react(order, retry: .upTo(8, backoff: .seconds(2))) { order in try await book(order) }
/// ```
public struct Retry: Sendable {
  let limit: Int
  let backoff: Duration
  let losses: Int

  /// Runs the body again, with the same id and inputs, up to so many times after the first one. Then the firing becomes
  /// a dead letter (``SharedControl/deadLetters()``).
  ///
  /// Before the first repetition passes the time `backoff`, and before each further one twice as long, up to an hour.
  /// Each time differs at random by up to a quarter.
  ///
  /// A firing whose worker is lost runs again at once. After `losses` lost workers it becomes a dead letter: else a
  /// body that ends its process would end one worker after the other.
  ///
  /// - Complexity: O(1).
  public static func upTo(_ limit: Int, backoff: Duration = .seconds(1), losses: Int = 5) -> Retry {
    Retry(limit: limit, backoff: backoff, losses: losses)
  }

  /// Makes a dead letter of the firing at the first error.
  public static var never: Retry { upTo(0) }

  /// The time until the next attempt in nanoseconds, after so many errors. Nil after the last one.
  func delay(after failures: Int) -> Int64? {
    if failures > limit { return nil }
    let backoff = Double(min(self.backoff.nanoseconds, 3_600_000_000_000))
    let delay = min(backoff * Double(1 << min(failures - 1, 40)), 3.6e12)
    return Int64(delay * Double.random(in: 0.75...1.25))
  }
}
