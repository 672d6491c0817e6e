import Crucible
import Testing

/// A reaction over some names that may fail, with any recovery; its body is called with their values.
struct Retrying: Sendable, CustomTestStringConvertible {
  typealias Body = @Sendable ([Int]) throws -> Void
  let testDescription: String
  let arity: Int
  let react: @Sendable (Soup, [Injector<Int>], Placement, Recovery, @escaping Body) -> Void

  private init(
    _ description: String, _ arity: Int,
    _ react: @escaping @Sendable (Soup, [Injector<Int>], Placement, Recovery, @escaping Body) -> Void
  ) {
    testDescription = description
    self.arity = arity
    self.react = react
  }

  static let all: [Retrying] = [
    Retrying("one", 1) { soup, n, on, by, body in soup.react(n[0], on: on, recovery: by) { try body([$0]) } },
    Retrying("two", 2) { soup, n, on, by, body in
      soup.react(n[0], n[1], on: on, recovery: by) { try body([$0, $1]) }
    },
    Retrying("three", 3) { soup, n, on, by, body in
      soup.react(n[0], n[1], n[2], on: on, recovery: by) { try body([$0, $1, $2]) }
    },
    Retrying("four", 4) { soup, n, on, by, body in
      soup.react(n[0], n[1], n[2], n[3], on: on, recovery: by) { try body([$0, $1, $2, $3]) }
    },
    Retrying("five", 5) { soup, n, on, by, body in
      soup.react(n[0], n[1], n[2], n[3], n[4], on: on, recovery: by) { try body([$0, $1, $2, $3, $4]) }
    },
    Retrying("six", 6) { soup, n, on, by, body in
      soup.react(n[0], n[1], n[2], n[3], n[4], n[5], on: on, recovery: by) {
        try body([$0, $1, $2, $3, $4, $5])
      }
    },
    Retrying("a state and one", 1) { soup, n, on, by, body in
      soup.react(state: soup.state("s", 0), n[0], on: on, recovery: by) { _, a in try body([a]) }
    },
    Retrying("a state and two", 2) { soup, n, on, by, body in
      soup.react(state: soup.state("s", 0), n[0], n[1], on: on, recovery: by) { _, a, b in try body([a, b]) }
    },
    Retrying("a state and three", 3) { soup, n, on, by, body in
      soup.react(state: soup.state("s", 0), n[0], n[1], n[2], on: on, recovery: by) { _, a, b, c in
        try body([a, b, c])
      }
    },
    Retrying("a state and four", 4) { soup, n, on, by, body in
      soup.react(state: soup.state("s", 0), n[0], n[1], n[2], n[3], on: on, recovery: by) { _, a, b, c, d in
        try body([a, b, c, d])
      }
    },
    Retrying("a state and five", 5) { soup, n, on, by, body in
      soup.react(state: soup.state("s", 0), n[0], n[1], n[2], n[3], n[4], on: on, recovery: by) { _, a, b, c, d, e in
        try body([a, b, c, d, e])
      }
    },
    Retrying("two states and one", 1) { soup, n, on, by, body in
      soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n[0], on: on, recovery: by) { _, _, a in
        try body([a])
      }
    },
    Retrying("two states and two", 2) { soup, n, on, by, body in
      let (s, t) = (soup.state("s", 0), soup.state("t", ""))
      soup.react(state: s, state: t, n[0], n[1], on: on, recovery: by) { _, _, a, b in try body([a, b]) }
    },
    Retrying("two states and three", 3) { soup, n, on, by, body in
      let (s, t) = (soup.state("s", 0), soup.state("t", ""))
      soup.react(state: s, state: t, n[0], n[1], n[2], on: on, recovery: by) { _, _, a, b, c in try body([a, b, c]) }
    },
    Retrying("two states and four", 4) { soup, n, on, by, body in
      let (s, t) = (soup.state("s", 0), soup.state("t", ""))
      soup.react(state: s, state: t, n[0], n[1], n[2], n[3], on: on, recovery: by) { _, _, a, b, c, d in
        try body([a, b, c, d])
      }
    },
    Retrying("an array", 3) { soup, n, on, by, body in
      soup.react(n, on: on, recovery: by) { try body($0) }
    },
    Retrying("seven", 7) { soup, n, on, by, body in
      soup.react(n[0], n[1], n[2], n[3], n[4], n[5], n[6], on: on, recovery: by) {
        try body([$0, $1, $2, $3, $4, $5, $6])
      }
    },
    Retrying("two and an array", 5) { soup, n, on, by, body in
      soup.react(n[0], n[1], Array(n[2...]), on: on, recovery: by) { a, b, rest in try body([a, b] + rest) }
    },
    Retrying("a state, one and an array", 4) { soup, n, on, by, body in
      soup.react(state: soup.state("s", 0), n[0], Array(n[1...]), on: on, recovery: by) { _, a, rest in
        try body([a] + rest)
      }
    },
    Retrying("two states and an array, async", 4) { soup, n, on, by, body in
      let (s, t) = (soup.state("s", 0), soup.state("t", ""))
      soup.react(state: s, state: t, n, on: on, recovery: by) { _, _, values async throws in try body(values) }
    },
    Retrying("three states and a group of two and an array", 4) { soup, n, on, by, body in
      let (s, t, u) = (soup.state("s", 0), soup.state("t", ""), soup.state("u", [Int]()))
      let group = Soup.Group(n[0], n[1], Array(n[2...]))
      soup.react(state: s, state: t, state: u, group, on: on, recovery: by) { _, _, _, values in
        let (a, b, rest) = values.all
        try body([a, b] + rest)
      }
    },
    Retrying("a group of one", 1) { soup, n, on, by, body in
      soup.react(Soup.Group(n[0]), on: on, recovery: by) { values in try body([values.all]) }
    },
    Retrying("three and an array of one", 4) { soup, n, on, by, body in
      soup.react(n[0], n[1], n[2], [n[3]], on: on, recovery: by) { a, b, c, d in try body([a, b, c] + d) }
    },
    Retrying("four and an array of one", 5) { soup, n, on, by, body in
      soup.react(n[0], n[1], n[2], n[3], [n[4]], on: on, recovery: by) { a, b, c, d, e in try body([a, b, c, d] + e) }
    },
    Retrying("five and an array of one", 6) { soup, n, on, by, body in
      soup.react(n[0], n[1], n[2], n[3], n[4], [n[5]], on: on, recovery: by) { a, b, c, d, e, f in
        try body([a, b, c, d, e] + f)
      }
    },
    Retrying("a state, two and an array of one", 3) { soup, n, on, by, body in
      soup.react(state: soup.state("s", 0), n[0], n[1], [n[2]], on: on, recovery: by) { _, a, b, c in
        try body([a, b] + c)
      }
    },
    Retrying("a state, three and an array of one", 4) { soup, n, on, by, body in
      soup.react(state: soup.state("s", 0), n[0], n[1], n[2], [n[3]], on: on, recovery: by) { _, a, b, c, d in
        try body([a, b, c] + d)
      }
    },
    Retrying("a state, four and an array of one", 5) { soup, n, on, by, body in
      soup.react(state: soup.state("s", 0), n[0], n[1], n[2], n[3], [n[4]], on: on, recovery: by) { _, a, b, c, d, e in
        try body([a, b, c, d] + e)
      }
    },
    Retrying("two states, one and an array of one", 2) { soup, n, on, by, body in
      let (s, t) = (soup.state("s", 0), soup.state("t", ""))
      soup.react(state: s, state: t, n[0], [n[1]], on: on, recovery: by) { _, _, a, b in try body([a] + b) }
    },
    Retrying("two states, two and an array of one", 3) { soup, n, on, by, body in
      let (s, t) = (soup.state("s", 0), soup.state("t", ""))
      soup.react(state: s, state: t, n[0], n[1], [n[2]], on: on, recovery: by) { _, _, a, b, c in try body([a, b] + c) }
    },
    Retrying("two states, three and an array of one", 4) { soup, n, on, by, body in
      let (s, t) = (soup.state("s", 0), soup.state("t", ""))
      soup.react(state: s, state: t, n[0], n[1], n[2], [n[3]], on: on, recovery: by) { _, _, a, b, c, d in
        try body([a, b, c] + d)
      }
    },
  ]
}
