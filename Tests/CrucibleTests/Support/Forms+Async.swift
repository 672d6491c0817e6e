import Crucible

extension Form where Where == Placement, Body == AsyncBody<Name> {
  static var all: [Form] {
    [
      Form("six and an array of one", 7) { soup, n, on, by, body in
        soup.react(n[0], n[1], n[2], n[3], n[4], n[5], [n[6]], on: on, recovery: by) { a, b, c, d, e, f, g in
          try await body([a, b, c, d, e, f] + g, [])
        }
      },
      Form("a state and one", 1, states: 1) { soup, n, on, by, body in
        soup.react(state: soup.number(), n[0], on: on, recovery: by) { s, a in try await body([a], [step(&s)]) }
      },
      Form("a state and two", 2, states: 1) { soup, n, on, by, body in
        soup.react(state: soup.number(), n[0], n[1], on: on, recovery: by) { s, a, b in
          try await body([a, b], [step(&s)])
        }
      },
      Form("a state and three", 3, states: 1) { soup, n, on, by, body in
        soup.react(state: soup.number(), n[0], n[1], n[2], on: on, recovery: by) { s, a, b, c in
          try await body([a, b, c], [step(&s)])
        }
      },
      Form("two states and one", 1, states: 2) { soup, n, on, by, body in
        soup.react(state: soup.number(), state: soup.text(), n[0], on: on, recovery: by) { s, t, a in
          try await body([a], [step(&s), step(&t)])
        }
      },
      Form("three states and a group of two, an array and a group", 6, states: 3) { soup, n, on, by, body in
        soup.react(state: soup.number(), state: soup.text(), state: soup.list(), grouped(n), on: on, recovery: by) {
          s, t, u, values in
          try await body(ungrouped(values), [step(&s), step(&t), step(&u)])
        }
      },
    ]
  }
}
