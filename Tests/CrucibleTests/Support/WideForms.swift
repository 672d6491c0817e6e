import Crucible

/// The forms with arrays and groups beside other inputs, and with three states.

extension Form where Where == Placement, Body == PlacedBody {
  static var wide: [Form] {
    [
      Form("two arrays and one between", 6, 0) { soup, n, place, body in
        soup.react(Array(n[..<2]), n[2], Array(n[3...]), on: place) { a, b, c in body(a + [b] + c) }
      },
      Form("a state, an array and one", 4, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), Array(n[..<3]), n[3], on: place) { s, a, b in body(a + [b, step(&s)]) }
      },
      Form("two states and an array", 3, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n, on: place) { s, t, a in
          body(a + [step(&s), step(&t)])
        }
      },
      Form("three states and one", 1, 3) { soup, n, place, body in
        let (s, t, u) = (soup.state("s", 0), soup.state("t", ""), soup.state("u", [Int]()))
        soup.react(state: s, state: t, state: u, n[0], on: place) { s, t, u, a in
          body([a, step(&s), step(&t), step(&u)])
        }
      },
      Form("three states and a group of two, an array and a group", 6, 3) { soup, n, place, body in
        let (s, t, u) = (soup.state("s", 0), soup.state("t", ""), soup.state("u", [Int]()))
        let group = Soup.Group(n[0], Array(n[1...2]), n[3], Soup.Group(n[4], n[5]))
        soup.react(state: s, state: t, state: u, group, on: place) { s, t, u, values in
          let (a, b, c, inner) = values.all
          let (d, e) = inner.all
          body([a] + b + [c, d, e, step(&s), step(&t), step(&u)])
        }
      },
      Form("a state and a group of six", 6, 1) { soup, n, place, body in
        let group = Soup.Group(n[0], n[1], n[2], n[3], n[4], n[5])
        soup.react(state: soup.state("s", 0), group, on: place) { s, values in
          let (a, b, c, d, e, f) = values.all
          body([a, b, c, d, e, f, step(&s)])
        }
      },
    ]
  }
}

extension Form where Where == Placement, Body == AsyncBody {
  static var wide: [Form] {
    [
      Form("two arrays and one between", 6, 0) { soup, n, place, body in
        soup.react(Array(n[..<2]), n[2], Array(n[3...]), on: place) { a, b, c in await body(a + [b] + c) }
      },
      Form("a state, an array and one", 4, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), Array(n[..<3]), n[3], on: place) { s, a, b in
          await body(a + [b, step(&s)])
        }
      },
      Form("two states and an array", 3, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n, on: place) { s, t, a in
          await body(a + [step(&s), step(&t)])
        }
      },
      Form("three states and one", 1, 3) { soup, n, place, body in
        let (s, t, u) = (soup.state("s", 0), soup.state("t", ""), soup.state("u", [Int]()))
        soup.react(state: s, state: t, state: u, n[0], on: place) { s, t, u, a in
          await body([a, step(&s), step(&t), step(&u)])
        }
      },
      Form("three states and a group of two, an array and a group", 6, 3) { soup, n, place, body in
        let (s, t, u) = (soup.state("s", 0), soup.state("t", ""), soup.state("u", [Int]()))
        let group = Soup.Group(n[0], Array(n[1...2]), n[3], Soup.Group(n[4], n[5]))
        soup.react(state: s, state: t, state: u, group, on: place) { s, t, u, values in
          let (a, b, c, inner) = values.all
          let (d, e) = inner.all
          await body([a] + b + [c, d, e, step(&s), step(&t), step(&u)])
        }
      },
      Form("a state and a group of six", 6, 1) { soup, n, place, body in
        let group = Soup.Group(n[0], n[1], n[2], n[3], n[4], n[5])
        soup.react(state: soup.state("s", 0), group, on: place) { s, values in
          let (a, b, c, d, e, f) = values.all
          await body([a, b, c, d, e, f, step(&s)])
        }
      },
    ]
  }
}
