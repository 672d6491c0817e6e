import Crucible

extension Form where Where == MainPlacement, Body == MainBody {
  static var all: [Form] {
    [
      Form("one", 1, 0) { soup, n, place, body in
        soup.react(n[0], on: place) { a in body([a]) }
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
      Form("three states and one", 1, 3) { soup, n, place, body in
        let (s, t, u) = (soup.state("s", 0), soup.state("t", ""), soup.state("u", [Int]()))
        soup.react(state: s, state: t, state: u, n[0], on: place) { s, t, u, a in
          body([a, step(&s), step(&t), step(&u)])
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
    ]
  }
}

extension Form where Where == MainPlacement, Body == AsyncMainBody {
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
      Form("three states and one", 1, 3) { soup, n, place, body in
        let (s, t, u) = (soup.state("s", 0), soup.state("t", ""), soup.state("u", [Int]()))
        soup.react(state: s, state: t, state: u, n[0], on: place) { s, t, u, a in
          await body([a, step(&s), step(&t), step(&u)])
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
    ]
  }
}

extension Form where Where: Teller, Body == ActorBody<Where> {
  static var all: [Form] {
    [
      Form("one", 1, 0) { soup, n, place, body in
        soup.react(n[0], on: .actor(place)) { teller, a in await body(teller, [a]) }
      },
      Form("two", 2, 0) { soup, n, place, body in
        soup.react(n[0], n[1], on: .actor(place)) { teller, a, b in await body(teller, [a, b]) }
      },
      Form("three", 3, 0) { soup, n, place, body in
        soup.react(n[0], n[1], n[2], on: .actor(place)) { teller, a, b, c in await body(teller, [a, b, c]) }
      },
      Form("four", 4, 0) { soup, n, place, body in
        soup.react(n[0], n[1], n[2], n[3], on: .actor(place)) { teller, a, b, c, d in await body(teller, [a, b, c, d]) }
      },
      Form("five", 5, 0) { soup, n, place, body in
        soup.react(n[0], n[1], n[2], n[3], n[4], on: .actor(place)) { teller, a, b, c, d, e in
          await body(teller, [a, b, c, d, e])
        }
      },
      Form("six", 6, 0) { soup, n, place, body in
        soup.react(n[0], n[1], n[2], n[3], n[4], n[5], on: .actor(place)) { teller, a, b, c, d, e, f in
          await body(teller, [a, b, c, d, e, f])
        }
      },
      Form("a state and one", 1, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], on: .actor(place)) { teller, s, a in
          await body(teller, [a, step(&s)])
        }
      },
      Form("a state and two", 2, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], n[1], on: .actor(place)) { teller, s, a, b in
          await body(teller, [a, b, step(&s)])
        }
      },
      Form("a state and three", 3, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], n[1], n[2], on: .actor(place)) { teller, s, a, b, c in
          await body(teller, [a, b, c, step(&s)])
        }
      },
      Form("a state and four", 4, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], n[1], n[2], n[3], on: .actor(place)) { teller, s, a, b, c, d in
          await body(teller, [a, b, c, d, step(&s)])
        }
      },
      Form("a state and five", 5, 1) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), n[0], n[1], n[2], n[3], n[4], on: .actor(place)) {
          teller, s, a, b, c, d, e in await body(teller, [a, b, c, d, e, step(&s)])
        }
      },
      Form("two states and one", 1, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n[0], on: .actor(place)) { teller, s, t, a in
          await body(teller, [a, step(&s), step(&t)])
        }
      },
      Form("two states and two", 2, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n[0], n[1], on: .actor(place)) {
          teller, s, t, a, b in await body(teller, [a, b, step(&s), step(&t)])
        }
      },
      Form("two states and three", 3, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n[0], n[1], n[2], on: .actor(place)) {
          teller, s, t, a, b, c in await body(teller, [a, b, c, step(&s), step(&t)])
        }
      },
      Form("two states and four", 4, 2) { soup, n, place, body in
        soup.react(state: soup.state("s", 0), state: soup.state("t", ""), n[0], n[1], n[2], n[3], on: .actor(place)) {
          teller, s, t, a, b, c, d in await body(teller, [a, b, c, d, step(&s), step(&t)])
        }
      },
      Form("three states and one", 1, 3) { soup, n, place, body in
        let (s, t, u) = (soup.state("s", 0), soup.state("t", ""), soup.state("u", [Int]()))
        soup.react(state: s, state: t, state: u, n[0], on: .actor(place)) { teller, s, t, u, a in
          await body(teller, [a, step(&s), step(&t), step(&u)])
        }
      },
      Form("an array", 3, 0) { soup, n, place, body in
        soup.react(n, on: .actor(place)) { teller, values in await body(teller, values) }
      },
    ]
  }
}
