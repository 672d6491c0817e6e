// A page for each visitor, which costs much to make, and a limit for those who ask too often.

import Compounds

func visitors() async throws {
  let made = Counter("made")
  let pages = Cache<String, String>(limit: 1_000, keeping: .seconds(60)) { visitor in
    _ = try await made.add(1)
    return "Hello \(visitor)"
  }
  let limiter = KeyedRateLimiter<String>(5, per: .seconds(3_600))

  /// Returns nil if the visitor has asked too often.
  @Sendable func page(for visitor: String) async throws -> String? {
    if try await limiter.attempt(visitor) != nil { return nil }
    return try await pages.value(visitor)
  }

  for visitor in ["Ada", "Alan"] {
    let count = try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try await page(for: visitor) } }
      return try await group.reduce(0) { $0 + ($1 == "Hello \(visitor)" ? 1 : 0) }
    }
    print("\(visitor) got \(count) pages of 8")
  }
  print("\(try await made.add(0)) pages were made")
}
