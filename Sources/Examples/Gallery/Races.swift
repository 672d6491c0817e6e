// First result, and parallel or: one result out of many computations. Ready-made: `Promise.first` of Compounds.
//
// A textbook waits for the first success. If none succeeds, or there is no computation, it waits for ever. Here the
// failures are counted too, and the last one replies.

import Crucible

/// Returns the first value that a job returns, or nil if none returns one.
func firstResult<Value: Sendable>(
  of jobs: [@Sendable () async -> Value?], _ options: Soup.Options = .init()
) async throws -> Value? {
  let (job, first) = Soup.define("first result", with: options) { soup in
    let job = soup.slow("job", of: Int.self)
    let ended = soup.slow("ended", of: Value?.self)
    let race = soup.state("race", (isOver: false, missing: jobs.count))
    let complete = soup.slow("complete", of: Value?.self)
    let first = soup.fast("first", returning: Value?.self)

    soup.react(job) { number async in ended(await jobs[number]()) }
    soup.react(state: race, ended) { race, value in
      race.missing -= 1
      if race.isOver || value == nil && race.missing > 0 { return }
      race.isOver = true
      complete(value)
    }
    soup.react(first, complete) { call, value in call.reply(value) }

    if jobs.isEmpty { complete(nil) }
    return (job, first)
  }
  job.inject(contentsOf: jobs.indices)
  return try await first()
}

/// Returns true as soon as one condition is true, and false when all are false. Without conditions it returns false.
func parallelOr(
  _ conditions: [@Sendable () async -> Bool], _ options: Soup.Options = .init()
) async throws -> Bool {
  try await firstResult(of: conditions.map { condition in { await condition() ? true : nil } }, options) ?? false
}
