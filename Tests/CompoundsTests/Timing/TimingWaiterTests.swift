import Compounds
import Crucible
import CrucibleTestSupport
import Testing

extension Waiter {
  static let ofTiming: [Waiter] = [
    Waiter("a caller of a rate limiter") { options in
      let limiter = RateLimiter(1, per: .seconds(1_000_000), options: options)
      try await limiter.pass()
      return (limiter.control, calling(limiter.pass, ()))
    },
    Waiter("a caller of a pool whose connections are in use") { options in
      let pool = ConnectionPool(limit: 1, options: options) { 1 }
      _ = try await pool.take()
      // A caller may go on before the body that served it has given the state back.
      await pool.control.expectRest(["stock 1"])
      return (pool.control, calling(pool.take, ()))
    },
  ]
}

@Suite(.watched)
struct `A caller of a rate limiter or a pool of connections that gives up` {
  @Test(arguments: Waiter.ofTiming, matchers)
  func `A caller of a rate limiter or a pool of connections that gives up leaves nothing behind`(
    waiter: Waiter, matcher: Matcher
  ) async throws {
    try await waiter.expectNothingBehind(matcher)
  }
}
