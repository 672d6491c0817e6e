// The thread ring: a token is passed around a ring of soups. The soup where it stops replies with its number.

import Crucible

/// Returns the number of the node, 0 ..< `nodes`, that gets the token after so many passes. Requires: at least one
/// node.
func passToken(around nodes: Int, passes: Int, _ options: Soup.Options = .init()) async throws -> Int {
  let (stopped, result) = Soup.define("result", with: options) { soup in
    let stopped = soup.slow("stopped", of: Int.self)
    let result = soup.fast("result", returning: Int.self)
    soup.react(result, stopped) { call, node in call.reply(node) }
    return (stopped, result)
  }
  let ring = (0..<nodes).map { number in
    Soup.define("node \(number)", with: options) { soup in
      let next = soup.state("next", Injector<Int>?.none)
      let link = soup.slow("link", of: Injector<Int>.self)
      let token = soup.slow("token", of: (Int).self)
      let held = soup.slow("held", of: Int.self)
      let linked = soup.slow("linked")
      soup.react(state: next, link) { next, name in
        next = name
        linked()
      }
      // A token that arrives before the link waits for it.
      soup.react(token, linked) { passes, _ in
        linked()
        if passes == 0 { stopped(number) } else { held(passes - 1) }
      }
      soup.react(state: next, held) { next, passes in next!(passes) }
      return (link: link, token: token)
    }
  }
  // Weak, because nodes that owned each other would keep each other alive for ever.
  for (number, node) in ring.enumerated() { node.link(ring[(number + 1) % nodes].token.weak) }
  ring[0].token(passes)
  let node = try await result()
  return withExtendedLifetime(ring) { node }
}
