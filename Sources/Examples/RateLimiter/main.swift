// A rate limiter: at most three requests begin in any interval. Further requests wait for their turn.
//
//   swift run rate-limiter
//
// `RateLimiter` of Compounds is one reaction: it consumes a request and a permit, and a timer injects the permit again
// one interval later. A request that gives up takes no permit. No thread waits for the interval to end.

import Compounds

let interval = Duration.milliseconds(100)
let limiter = RateLimiter(3, per: interval)
let start = ContinuousClock.now

for number in 1...9 {
  try await limiter.pass()
  let waited = (ContinuousClock.now - start) / interval
  print("request \(number) begins in interval \(Int(waited) + 1)")
}
