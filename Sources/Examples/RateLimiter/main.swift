// A rate limiter: at most `limit` requests begin in any interval. Further requests wait for their turn.
//
//   swift run rate-limiter
//
// A `permit` comes back one interval after a request has taken it. The body that waits is `async`, so it blocks no
// thread.

import Crucible

func makeLimiter(_ limit: Int, per interval: Duration) -> FastInjector<Void, Void> {
  Soup.define("rate limiter") { soup in
    let request = soup.fast("request", returning: Void.self)
    let permit = soup.slow("permit")

    soup.react(request, permit) { call, _ in
      call.reply()
      try await Task.sleep(for: interval)
      permit()
    }

    permit.inject(count: limit)
    return request
  }
}

let interval = Duration.milliseconds(100)
let request = makeLimiter(3, per: interval)
let start = ContinuousClock.now

for number in 1...9 {
  try await request()
  let waited = (ContinuousClock.now - start) / interval
  print("request \(number) begins in interval \(Int(waited) + 1)")
}
