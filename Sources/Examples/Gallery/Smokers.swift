// Cigarette smokers: the agent lays two of three ingredients on the table. The smoker that owns the third one smokes.
//
// With semaphores a smoker takes one ingredient and waits for the other, and all of them hang. The textbook adds three
// "pushers". A reaction takes both ingredients or none, so three reactions are the whole solution.

import Crucible

/// Lays `rounds` pairs out. Returns how often each smoker smoked, and the ingredients that remain on the table.
func smoke(rounds: Int, _ options: Soup.Options = .init()) async throws -> (smoked: [Int], left: [String: Int]) {
  let (result, control) = Soup.define("smokers", with: options) { soup in
    let ingredients = soup.slow("ingredient", count: 3)
    let lay = soup.slow("lay")
    let finished = soup.slow("finished", of: Int.self)
    let counts = soup.state("counts", [0, 0, 0])
    let complete = soup.slow("complete", of: [Int].self)
    let result = soup.fast("result", returning: [Int].self)

    soup.react(lay) { _ in
      let smoker = Int.random(in: 0..<3)
      ingredients[(smoker + 1) % 3]()
      ingredients[(smoker + 2) % 3]()
    }
    for smoker in 0..<3 {
      soup.react(ingredients[(smoker + 1) % 3], ingredients[(smoker + 2) % 3]) { _, _ in finished(smoker) }
    }
    soup.react(state: counts, finished) { counts, smoker in
      counts[smoker] += 1
      if counts.reduce(0, +) < rounds { lay() } else { complete(counts) }
    }
    soup.react(result, complete) { call, counts in call.reply(counts) }

    if rounds > 0 { lay() } else { complete([0, 0, 0]) }
    return (result, soup.control)
  }
  return (try await result(), try await control.leftovers())
}
