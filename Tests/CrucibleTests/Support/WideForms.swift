import Crucible

/// The forms with an array beside other inputs, with three states, and with many inputs beside states.

extension Form where Where == Placement, Body == PlacedBody {
  static var wide: [Form] {
    [
      Form("one and an array", 3, 0) { soup, n, place, body in
        soup.react(n[0], all: Array(n[1...]), on: place) { a, rest in
          body([a] + rest)
        }
      },
      Form("three and an array", 5, 0) { soup, n, place, body in
        soup.react(n[0], n[1], n[2], all: Array(n[3...]), on: place) { a, b, c, rest in
          body([a, b, c] + rest)
        }
      },
      Form("a state and an array", 3, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), all: n, on: place) { s, rest in
          s += 1
          body(rest + [s])
        }
      },
      Form("a state, one and an array", 4, 1) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), n[0], all: Array(n[1...]), on: place
        ) { s, values in
          s += 1
          let (a, rest) = values.all
          body([a] + rest + [s])
        }
      },
      Form("a state, two and an array", 4, 1) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), n[0], n[1], all: Array(n[2...]), on: place
        ) { s, values in
          s += 1
          let (a, b, rest) = values.all
          body([a, b] + rest + [s])
        }
      },
      Form("two states, one and an array", 3, 2) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), n[0], all: Array(n[1...]), on: place
        ) { s, t, values in
          s += 1
          t += "x"
          let (a, rest) = values.all
          body([a] + rest + [s, t.count])
        }
      },
      Form("three states and an array", 2, 3) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), state: soup.state("u", [Int]()), all: n, on: place
        ) { s, t, u, rest in
          s += 1
          t += "x"
          u.append(0)
          body(rest + [s, t.count, u.count])
        }
      },
      Form("three states, two and an array", 5, 3) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), state: soup.state("u", [Int]()), n[0], n[1],
          all: Array(n[2...]), on: place
        ) { s, t, u, values in
          s += 1
          t += "x"
          u.append(0)
          let (a, b, rest) = values.all
          body([a, b] + rest + [s, t.count, u.count])
        }
      },
      Form("two states and an array", 3, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), all: n, on: place) { s, t, rest in
          s += 1
          t += "x"
          body(rest + [s, t.count])
        }
      },
      Form("three states and one", 1, 3) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), state: soup.state("u", [Int]()), n[0], on: place
        ) { s, t, u, a in
          s += 1
          t += "x"
          u.append(0)
          body([a, s, t.count, u.count])
        }
      },
      Form("three states and two", 2, 3) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), state: soup.state("u", [Int]()), n[0], n[1], on: place
        ) { s, t, u, values in
          s += 1
          t += "x"
          u.append(0)
          let (a, b) = values.all
          body([a, b, s, t.count, u.count])
        }
      },
      Form("three states and three", 3, 3) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), state: soup.state("u", [Int]()), n[0], n[1], n[2],
          on: place
        ) { s, t, u, values in
          s += 1
          t += "x"
          u.append(0)
          let (a, b, c) = values.all
          body([a, b, c, s, t.count, u.count])
        }
      },
      Form("a state and six", 6, 1) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), n[0], n[1], n[2], n[3], n[4], n[5], on: place
        ) { s, values in
          s += 1
          let (a, b, c, d, e, f) = values.all
          body([a, b, c, d, e, f, s])
        }
      },
      Form("a state and seven", 7, 1) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), n[0], n[1], n[2], n[3], n[4], n[5], n[6], on: place
        ) { s, values in
          s += 1
          let (a, b, c, d, e, f, g) = values.all
          body([a, b, c, d, e, f, g, s])
        }
      },
      Form("two states and five", 5, 2) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), n[0], n[1], n[2], n[3], n[4], on: place
        ) { s, t, values in
          s += 1
          t += "x"
          let (a, b, c, d, e) = values.all
          body([a, b, c, d, e, s, t.count])
        }
      },
    ]
  }
}

extension Form where Where == Placement, Body == AsyncBody {
  static var wide: [Form] {
    [
      Form("one and an array", 3, 0) { soup, n, place, body in
        soup.react(n[0], all: Array(n[1...]), on: place) { a, rest in
          await body([a] + rest)
        }
      },
      Form("three and an array", 5, 0) { soup, n, place, body in
        soup.react(n[0], n[1], n[2], all: Array(n[3...]), on: place) { a, b, c, rest in
          await body([a, b, c] + rest)
        }
      },
      Form("a state and an array", 3, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), all: n, on: place) { s, rest in
          s += 1
          await body(rest + [s])
        }
      },
      Form("a state, one and an array", 4, 1) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), n[0], all: Array(n[1...]), on: place
        ) { s, values in
          s += 1
          let (a, rest) = values.all
          await body([a] + rest + [s])
        }
      },
      Form("a state, two and an array", 4, 1) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), n[0], n[1], all: Array(n[2...]), on: place
        ) { s, values in
          s += 1
          let (a, b, rest) = values.all
          await body([a, b] + rest + [s])
        }
      },
      Form("two states, one and an array", 3, 2) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), n[0], all: Array(n[1...]), on: place
        ) { s, t, values in
          s += 1
          t += "x"
          let (a, rest) = values.all
          await body([a] + rest + [s, t.count])
        }
      },
      Form("three states and an array", 2, 3) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), state: soup.state("u", [Int]()), all: n, on: place
        ) { s, t, u, rest in
          s += 1
          t += "x"
          u.append(0)
          await body(rest + [s, t.count, u.count])
        }
      },
      Form("three states, two and an array", 5, 3) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), state: soup.state("u", [Int]()), n[0], n[1],
          all: Array(n[2...]), on: place
        ) { s, t, u, values in
          s += 1
          t += "x"
          u.append(0)
          let (a, b, rest) = values.all
          await body([a, b] + rest + [s, t.count, u.count])
        }
      },
      Form("two states and an array", 3, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), all: n, on: place) { s, t, rest in
          s += 1
          t += "x"
          await body(rest + [s, t.count])
        }
      },
      Form("three states and one", 1, 3) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), state: soup.state("u", [Int]()), n[0], on: place
        ) { s, t, u, a in
          s += 1
          t += "x"
          u.append(0)
          await body([a, s, t.count, u.count])
        }
      },
      Form("three states and two", 2, 3) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), state: soup.state("u", [Int]()), n[0], n[1], on: place
        ) { s, t, u, values in
          s += 1
          t += "x"
          u.append(0)
          let (a, b) = values.all
          await body([a, b, s, t.count, u.count])
        }
      },
      Form("three states and three", 3, 3) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), state: soup.state("u", [Int]()), n[0], n[1], n[2],
          on: place
        ) { s, t, u, values in
          s += 1
          t += "x"
          u.append(0)
          let (a, b, c) = values.all
          await body([a, b, c, s, t.count, u.count])
        }
      },
      Form("a state and six", 6, 1) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), n[0], n[1], n[2], n[3], n[4], n[5], on: place
        ) { s, values in
          s += 1
          let (a, b, c, d, e, f) = values.all
          await body([a, b, c, d, e, f, s])
        }
      },
      Form("a state and seven", 7, 1) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), n[0], n[1], n[2], n[3], n[4], n[5], n[6], on: place
        ) { s, values in
          s += 1
          let (a, b, c, d, e, f, g) = values.all
          await body([a, b, c, d, e, f, g, s])
        }
      },
      Form("two states and five", 5, 2) { soup, n, place, body in
        soup.react(
          state: soup.state("s", 0), state: soup.state("t", ""), n[0], n[1], n[2], n[3], n[4], on: place
        ) { s, t, values in
          s += 1
          t += "x"
          let (a, b, c, d, e) = values.all
          await body([a, b, c, d, e, s, t.count])
        }
      },
    ]
  }
}
