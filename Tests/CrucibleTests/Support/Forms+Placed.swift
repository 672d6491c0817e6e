import Crucible

// A form has a shorter way for single names, so each is here with an array or a group, too.

extension Form where Where == Placement, Body == PlacedBody<Name> {
  static var all: [Form] {
    [
      Form("one", 1) { soup, n, on, by, body in
        soup.react(n[0], on: on, recovery: by) { a in try body([a], []) }
      },
      Form("two", 2) { soup, n, on, by, body in
        soup.react(n[0], n[1], on: on, recovery: by) { a, b in try body([a, b], []) }
      },
      Form("three", 3) { soup, n, on, by, body in
        soup.react(n[0], n[1], n[2], on: on, recovery: by) { a, b, c in try body([a, b, c], []) }
      },
      Form("four", 4) { soup, n, on, by, body in
        soup.react(n[0], n[1], n[2], n[3], on: on, recovery: by) { a, b, c, d in try body([a, b, c, d], []) }
      },
      Form("five", 5) { soup, n, on, by, body in
        soup.react(n[0], n[1], n[2], n[3], n[4], on: on, recovery: by) { a, b, c, d, e in
          try body([a, b, c, d, e], [])
        }
      },
      Form("seven", 7) { soup, n, on, by, body in
        soup.react(n[0], n[1], n[2], n[3], n[4], n[5], n[6], on: on, recovery: by) { a, b, c, d, e, f, g in
          try body([a, b, c, d, e, f, g], [])
        }
      },
      Form("an array", 3) { soup, n, on, by, body in
        soup.react(n, on: on, recovery: by) { values in try body(values, []) }
      },
      Form("a state and one", 1, states: 1) { soup, n, on, by, body in
        soup.react(state: soup.number(), n[0], on: on, recovery: by) { s, a in try body([a], [step(&s)]) }
      },
      Form("a state and two", 2, states: 1) { soup, n, on, by, body in
        soup.react(state: soup.number(), n[0], n[1], on: on, recovery: by) { s, a, b in try body([a, b], [step(&s)]) }
      },
      Form("a state and three", 3, states: 1) { soup, n, on, by, body in
        soup.react(state: soup.number(), n[0], n[1], n[2], on: on, recovery: by) { s, a, b, c in
          try body([a, b, c], [step(&s)])
        }
      },
      Form("a state and four", 4, states: 1) { soup, n, on, by, body in
        soup.react(state: soup.number(), n[0], n[1], n[2], n[3], on: on, recovery: by) { s, a, b, c, d in
          try body([a, b, c, d], [step(&s)])
        }
      },
      Form("two states and one", 1, states: 2) { soup, n, on, by, body in
        soup.react(state: soup.number(), state: soup.text(), n[0], on: on, recovery: by) { s, t, a in
          try body([a], [step(&s), step(&t)])
        }
      },
      Form("three states and one", 1, states: 3) { soup, n, on, by, body in
        soup.react(state: soup.number(), state: soup.text(), state: soup.list(), n[0], on: on, recovery: by) {
          s, t, u, a in
          try body([a], [step(&s), step(&t), step(&u)])
        }
      },
      Form("a group of one", 1) { soup, n, on, by, body in
        let group = Soup.Group(n[0])
        soup.react(group, on: on, recovery: by) { values in try body([values.all], []) }
      },
      Form("one and an array of one", 2) { soup, n, on, by, body in
        soup.react(n[0], [n[1]], on: on, recovery: by) { a, b in try body([a] + b, []) }
      },
      Form("two arrays and one between", 6) { soup, n, on, by, body in
        soup.react(Array(n[..<2]), n[2], Array(n[3...]), on: on, recovery: by) { a, b, c in try body(a + [b] + c, []) }
      },
      Form("three and an array of one", 4) { soup, n, on, by, body in
        soup.react(n[0], n[1], n[2], [n[3]], on: on, recovery: by) { a, b, c, d in try body([a, b, c] + d, []) }
      },
      Form("four and an array of one", 5) { soup, n, on, by, body in
        soup.react(n[0], n[1], n[2], n[3], [n[4]], on: on, recovery: by) { a, b, c, d, e in
          try body([a, b, c, d] + e, [])
        }
      },
      Form("five and an array of one", 6) { soup, n, on, by, body in
        soup.react(n[0], n[1], n[2], n[3], n[4], [n[5]], on: on, recovery: by) { a, b, c, d, e, f in
          try body([a, b, c, d, e] + f, [])
        }
      },
      Form("a state and an array", 3, states: 1) { soup, n, on, by, body in
        soup.react(state: soup.number(), n, on: on, recovery: by) { s, values in try body(values, [step(&s)]) }
      },
      Form("a state, an array and one", 4, states: 1) { soup, n, on, by, body in
        soup.react(state: soup.number(), Array(n[..<3]), n[3], on: on, recovery: by) { s, a, b in
          try body(a + [b], [step(&s)])
        }
      },
      Form("a state, two and an array of one", 3, states: 1) { soup, n, on, by, body in
        soup.react(state: soup.number(), n[0], n[1], [n[2]], on: on, recovery: by) { s, a, b, c in
          try body([a, b] + c, [step(&s)])
        }
      },
      Form("a state, three and an array of one", 4, states: 1) { soup, n, on, by, body in
        soup.react(state: soup.number(), n[0], n[1], n[2], [n[3]], on: on, recovery: by) { s, a, b, c, d in
          try body([a, b, c] + d, [step(&s)])
        }
      },
      Form("two states and an array", 3, states: 2) { soup, n, on, by, body in
        soup.react(state: soup.number(), state: soup.text(), n, on: on, recovery: by) { s, t, values in
          try body(values, [step(&s), step(&t)])
        }
      },
      Form("three states and a group of two, an array and a group", 6, states: 3) { soup, n, on, by, body in
        soup.react(state: soup.number(), state: soup.text(), state: soup.list(), grouped(n), on: on, recovery: by) {
          s, t, u, values in
          try body(ungrouped(values), [step(&s), step(&t), step(&u)])
        }
      },
    ]
  }
}
