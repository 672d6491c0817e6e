// Merge sort: two sorted runs react to become one. Ready-made, for any reduction: `mapReduce` of Compounds.
//
// The textbook's `run & run` leaves the last run in the soup, and no code learns that it is the last. Without numbers
// there is no run at all. Here a run that has all numbers completes the sort, and an empty list completes it at once.

import Crucible

func mergeSort(_ numbers: [Int], _ options: Soup.Options = .init()) async throws -> [Int] {
  let (run, sorted) = Soup.define("merge sort", with: options) { soup in
    let run = soup.slow("run", of: [Int].self)
    let complete = soup.slow("complete", of: [Int].self)
    let sorted = soup.fast("sorted", returning: [Int].self)

    soup.react(run, run) { a, b in
      let merged = merge(a, b)
      if merged.count == numbers.count { complete(merged) } else { run(merged) }
    }
    soup.react(sorted, complete) { call, numbers in call.reply(numbers) }

    if numbers.count < 2 { complete(numbers) }
    return (run, sorted)
  }
  if numbers.count > 1 { run.inject(contentsOf: numbers.map { [$0] }) }
  return try await sorted()
}

private func merge(_ a: [Int], _ b: [Int]) -> [Int] {
  var (i, j, merged) = (0, 0, [Int]())
  while i < a.count || j < b.count {
    if j == b.count || i < a.count && a[i] <= b[j] {
      merged.append(a[i])
      i += 1
    } else {
      merged.append(b[j])
      j += 1
    }
  }
  return merged
}
