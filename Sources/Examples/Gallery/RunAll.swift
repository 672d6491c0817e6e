// Runs many jobs, and reports once when all of them have ended. Ready-made: `runAll` of Compounds.
//
// A textbook counts the missing results down, and reports after the last one. Without jobs there is never a result, so
// the caller waits for ever. Here the definition itself reports an empty list.

import Crucible

func runAll<Value: Sendable>(
  _ jobs: [@Sendable () async -> Value], _ options: Soup.Options = .init()
) async throws -> [Value] {
  let (job, report) = Soup.define("run all", with: options) { soup in
    let job = soup.slow("job", of: Int.self)
    let result = soup.slow("result", of: (number: Int, value: Value).self)
    let results = soup.state("results", [Int: Value]())
    let complete = soup.slow("complete", of: [Int: Value].self)
    let report = soup.fast("report", returning: [Int: Value].self)

    soup.react(job) { number async in result((number, await jobs[number]())) }
    soup.react(state: results, result) { results, result in
      results[result.number] = result.value
      if results.count == jobs.count { complete(results) }
    }
    soup.react(report, complete) { call, results in call.reply(results) }

    if jobs.isEmpty { complete([:]) }
    return (job, report)
  }
  job.inject(contentsOf: jobs.indices)
  let results = try await report()
  return jobs.indices.map { results[$0]! }
}
