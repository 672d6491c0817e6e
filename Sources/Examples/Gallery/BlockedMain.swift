// The main thread starts many tasks, and at once blocks in a call.
//
// A join calculus that runs everything on one thread, or on the caller's, hangs here. In Crucible a blocked thread
// delays no reaction. The pool runs the bodies, and replaces its own threads while they block.

import Crucible

/// Returns the sum of 1…`count`. A separate body adds each number.
@available(*, noasync)
func sumWhileBlocked(upTo count: Int, _ options: Soup.Options = .init()) throws -> Int {
  let (task, sum) = Soup.define("tasks", with: options) { soup in
    let task = soup.slow("task", of: Int.self)
    let total = soup.state("total", (sum: 0, missing: count))
    let done = soup.slow("done", of: Int.self)
    let complete = soup.slow("complete", of: Int.self)
    let sum = soup.fast("sum", returning: Int.self)

    soup.react(task) { number in done(number) }
    soup.react(state: total, done) { total, number in
      total.sum += number
      total.missing -= 1
      if total.missing == 0 { complete(total.sum) }
    }
    soup.react(sum, complete) { call, sum in call.reply(sum) }

    if count == 0 { complete(0) }
    return (task, sum)
  }
  for number in 0..<count { task(number + 1) }
  return try sum.blocking()
}
