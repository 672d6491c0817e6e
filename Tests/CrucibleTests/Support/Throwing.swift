import Crucible
import Testing

/// A reaction over some calls whose body throws ``Boom`` 1.
struct Throwing: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let arity: Int
  let react: @Sendable (Soup, [FastInjector<Void, Int>], Placement) -> Void

  private init(
    _ description: String, _ arity: Int,
    _ react: @escaping @Sendable (Soup, [FastInjector<Void, Int>], Placement) -> Void
  ) {
    testDescription = description
    self.arity = arity
    self.react = react
  }

  static let all: [Throwing] = [
    Throwing("one", 1) { $0.react($1[0], on: $2) { _ in throw Boom(1) } },
    Throwing("two", 2) { $0.react($1[0], $1[1], on: $2) { _, _ in throw Boom(1) } },
    Throwing("three", 3) { $0.react($1[0], $1[1], $1[2], on: $2) { _, _, _ in throw Boom(1) } },
    Throwing("four", 4) { $0.react($1[0], $1[1], $1[2], $1[3], on: $2) { _, _, _, _ in throw Boom(1) } },
    Throwing("five", 5) { soup, f, on in
      soup.react(f[0], f[1], f[2], f[3], f[4], on: on) { _, _, _, _, _ in throw Boom(1) }
    },
    Throwing("six", 6) { soup, f, on in
      soup.react(f[0], f[1], f[2], f[3], f[4], f[5], on: on) { _, _, _, _, _, _ in throw Boom(1) }
    },
    Throwing("a state and one", 1) { soup, f, on in
      soup.react(state: soup.state("s", 0), f[0], on: on) { _, _ in throw Boom(1) }
    },
    Throwing("a state and two", 2) { soup, f, on in
      soup.react(state: soup.state("s", 0), f[0], f[1], on: on) { _, _, _ in throw Boom(1) }
    },
    Throwing("a state and three", 3) { soup, f, on in
      soup.react(state: soup.state("s", 0), f[0], f[1], f[2], on: on) { _, _, _, _ in throw Boom(1) }
    },
    Throwing("a state and four", 4) { soup, f, on in
      soup.react(state: soup.state("s", 0), f[0], f[1], f[2], f[3], on: on) { _, _, _, _, _ in throw Boom(1) }
    },
    Throwing("a state and five", 5) { soup, f, on in
      soup.react(state: soup.state("s", 0), f[0], f[1], f[2], f[3], f[4], on: on) { _, _, _, _, _, _ in throw Boom(1) }
    },
    Throwing("two states and one", 1) { soup, f, on in
      soup.react(state: soup.state("s", 0), state: soup.state("t", ""), f[0], on: on) { _, _, _ in throw Boom(1) }
    },
    Throwing("two states and two", 2) { soup, f, on in
      soup.react(state: soup.state("s", 0), state: soup.state("t", ""), f[0], f[1], on: on) { _, _, _, _ in
        throw Boom(1)
      }
    },
    Throwing("two states and three", 3) { soup, f, on in
      let (s, t) = (soup.state("s", 0), soup.state("t", ""))
      soup.react(state: s, state: t, f[0], f[1], f[2], on: on) { _, _, _, _, _ in throw Boom(1) }
    },
    Throwing("two states and four", 4) { soup, f, on in
      let (s, t) = (soup.state("s", 0), soup.state("t", ""))
      soup.react(state: s, state: t, f[0], f[1], f[2], f[3], on: on) { _, _, _, _, _, _ in throw Boom(1) }
    },
    Throwing("an array", 3) { soup, f, on in soup.react(f, on: on) { _ in throw Boom(1) } },
    Throwing("seven", 7) { soup, f, on in
      soup.react(f[0], f[1], f[2], f[3], f[4], f[5], f[6], on: on) { _, _, _, _, _, _, _ in throw Boom(1) }
    },
    Throwing("a group of one, and an array", 3) { soup, f, on in
      soup.react(Soup.Group(f[0]), Array(f[1...]), on: on) { _, _ in throw Boom(1) }
    },
  ]
}

struct Boom: Error, Equatable {
  let number: Int
  init(_ number: Int) { self.number = number }
}
