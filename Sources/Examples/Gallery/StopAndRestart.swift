// A soup is stopped, runs again, and is stopped once more. A molecule of another soup reports each end.
//
// The worker injects itself for ever, so only `stop` ends it. `stop` waits for the bodies that run, and drops the
// molecules that wait. After `restart` the soup is as its definition left it, without its molecules.

import Crucible

/// Stops a worker `times` times. Returns a report for each stop: whether it found the worker quiet.
///
/// Without any stop there is no last report, so the definition itself completes the list.
func stopAgainAndAgain(times: Int, _ options: Soup.Options = .init()) async throws -> [Bool] {
  let (stopped, reports) = Soup.define("reports", with: options) { soup in
    let list = soup.state("list", [Bool]())
    let stopped = soup.slow("stopped", of: Bool.self)
    let reports = soup.fast("reports", of: Int.self, returning: [Bool].self)
    let complete = soup.slow("complete", of: [Bool].self)
    soup.react(state: list, stopped) { list, isQuiet in
      list.append(isQuiet)
      if list.count == times { complete(list) }
    }
    soup.react(reports, complete) { call, list in call.reply(list) }
    if times == 0 { complete([]) }
    return (stopped, reports)
  }
  let (work, control) = Soup.define("worker", with: options) { soup in
    let work = soup.slow("work", of: Int.self)
    // Not `.inline`: a body that ran itself would never return to the code that injected it.
    soup.react(work, on: .pool) { n in work(n &+ 1) }
    return (work, soup.control)
  }
  for round in 0..<times {
    if round > 0 { try await control.restart() }
    work(0)
    let report = await control.stop()
    stopped(report.isQuiet)
  }
  return try await reports(times)
}
