import Crucible
import Testing

/// A reaction of every form that a pattern can have, whose body is called with the values of its molecules and, behind
/// them, what its states are after it has added one to a number and one letter to a text.
struct Form<Where: Sendable, Body: Sendable>: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let arity: Int
  let states: Int
  let react: @Sendable (Soup, [Injector<Int>], Where, Body) -> Void

  init(
    _ description: String, _ arity: Int, _ states: Int,
    _ react: @escaping @Sendable (Soup, [Injector<Int>], Where, Body) -> Void
  ) {
    testDescription = description
    self.arity = arity
    self.states = states
    self.react = react
  }

  /// The arguments that the body of the `round`-th firing must get, if molecules carry their indices.
  func expected(_ round: Int) -> [Int] { Array(0..<arity) + Array(repeating: round, count: states) }
}

/// Changes a state in place, as the body of a form does, and answers what it is then.
func step(_ state: inout Int) -> Int {
  state += 1
  return state
}

func step(_ state: inout String) -> Int {
  state += "x"
  return state.count
}

func step(_ state: inout [Int]) -> Int {
  state.append(0)
  return state.count
}

/// Isolated to the main actor.
typealias MainBody = @MainActor @Sendable ([Int]) -> Void
typealias AsyncMainBody = @MainActor @Sendable ([Int]) async -> Void
/// On a placement.
typealias PlacedBody = @Sendable ([Int]) -> Void
typealias AsyncBody = @Sendable ([Int]) async -> Void
/// Isolated to an actor.
typealias ActorBody<T: Teller> = @Sendable (isolated T, [Int]) async -> Void

extension Form where Where == Placement, Body == PlacedBody {
  static var all: [Form] {
    [
      Form("one", 1, 0) { soup, n, place, body in
        soup.react(n[0], on: place) { a in body([a]) }
      },
      Form("two", 2, 0) { soup, n, place, body in
        soup.react(n[0], n[1], on: place) { a, b in body([a, b]) }
      },
      Form("three", 3, 0) { soup, n, place, body in
        soup.react(n[0], n[1], n[2], on: place) { a, b, c in body([a, b, c]) }
      },
      Form("four", 4, 0) { soup, n, place, body in
        soup.react(n[0], n[1], n[2], n[3], on: place) { a, b, c, d in body([a, b, c, d]) }
      },
      Form("five", 5, 0) { soup, n, place, body in
        soup.react(n[0], n[1], n[2], n[3], n[4], on: place) { a, b, c, d, e in body([a, b, c, d, e]) }
      },
      Form("six", 6, 0) { soup, n, place, body in
        soup.react(n[0], n[1], n[2], n[3], n[4], n[5], on: place) { a, b, c, d, e, f in body([a, b, c, d, e, f]) }
      },
      Form("a state and one", 1, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], on: place) { s, a in body([a, step(&s)]) }
      },
      Form("a state and two", 2, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], n[1], on: place) { s, a, b in body([a, b, step(&s)]) }
      },
      Form("a state and three", 3, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], n[1], n[2], on: place) { s, a, b, c in body([a, b, c, step(&s)]) }
      },
      Form("a state and four", 4, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], n[1], n[2], n[3], on: place) { s, a, b, c, d in
          body([a, b, c, d, step(&s)])
        }
      },
      Form("a state and five", 5, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], n[1], n[2], n[3], n[4], on: place) { s, a, b, c, d, e in
          body([a, b, c, d, e, step(&s)])
        }
      },
      Form("two states and one", 1, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n[0], on: place) { s, t, a in
          body([a, step(&s), step(&t)])
        }
      },
      Form("two states and two", 2, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n[0], n[1], on: place) { s, t, a, b in
          body([a, b, step(&s), step(&t)])
        }
      },
      Form("two states and three", 3, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n[0], n[1], n[2], on: place) {
          s, t, a, b, c in body([a, b, c, step(&s), step(&t)])
        }
      },
      Form("two states and four", 4, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n[0], n[1], n[2], n[3], on: place) {
          s, t, a, b, c, d in body([a, b, c, d, step(&s), step(&t)])
        }
      },
      Form("an array", 3, 0) { soup, n, place, body in
        soup.react(n, on: place) { values in body(values) }
      },
      Form("seven", 7, 0) { soup, n, place, body in
        soup.react(n[0], n[1], n[2], n[3], n[4], n[5], n[6], on: place) { a, b, c, d, e, f, g in
          body([a, b, c, d, e, f, g])
        }
      },
    ] + wide
  }
}

extension Form where Where == Placement, Body == AsyncBody {
  static var all: [Form] {
    [
      Form("one", 1, 0) { soup, n, place, body in
        soup.react(n[0], on: place) { a in await body([a]) }
      },
      Form("a state and one", 1, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], on: place) { s, a in await body([a, step(&s)]) }
      },
      Form("a state and two", 2, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], n[1], on: place) { s, a, b in await body([a, b, step(&s)]) }
      },
      Form("a state and three", 3, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], n[1], n[2], on: place) { s, a, b, c in
          await body([a, b, c, step(&s)])
        }
      },
      Form("a state and four", 4, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], n[1], n[2], n[3], on: place) { s, a, b, c, d in
          await body([a, b, c, d, step(&s)])
        }
      },
      Form("a state and five", 5, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], n[1], n[2], n[3], n[4], on: place) { s, a, b, c, d, e in
          await body([a, b, c, d, e, step(&s)])
        }
      },
      Form("two states and one", 1, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n[0], on: place) { s, t, a in
          await body([a, step(&s), step(&t)])
        }
      },
      Form("two states and two", 2, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n[0], n[1], on: place) { s, t, a, b in
          await body([a, b, step(&s), step(&t)])
        }
      },
      Form("two states and three", 3, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n[0], n[1], n[2], on: place) {
          s, t, a, b, c in await body([a, b, c, step(&s), step(&t)])
        }
      },
      Form("two states and four", 4, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n[0], n[1], n[2], n[3], on: place) {
          s, t, a, b, c, d in await body([a, b, c, d, step(&s), step(&t)])
        }
      },
      Form("an array", 3, 0) { soup, n, place, body in
        soup.react(n, on: place) { values in await body(values) }
      },
      Form("seven", 7, 0) { soup, n, place, body in
        soup.react(n[0], n[1], n[2], n[3], n[4], n[5], n[6], on: place) { a, b, c, d, e, f, g in
          await body([a, b, c, d, e, f, g])
        }
      },
    ] + wide
  }
}
