import Crucible

/// Declares one reaction of a chemistry, whose types are known only when it runs: each form of a pattern once, generic
/// over the names that come.
struct Definition {
  private let soup: Soup
  private let reaction: Chemistry.Reaction
  private let bodies: Bodies

  init(_ soup: Soup, _ chemistry: Chemistry, _ index: Int, _ bodies: Bodies) {
    self.soup = soup
    reaction = chemistry.reactions[index]
    self.bodies = bodies
  }

  func declare(_ names: [World.Name], _ states: [Soup.State<Register>]) {
    let inputs = reaction.pattern.map { names[$0].consumable }
    let states = reaction.states.map { states[$0] }
    switch inputs.count {
    case 1: declare(states, inputs[0])
    case 2: declare(states, inputs[0], inputs[1])
    case 3: declare(states, inputs[0], inputs[1], inputs[2])
    default: declare(states, inputs[0], inputs[1], inputs[2], inputs[3])
    }
  }

  private var place: Placement {
    switch reaction.place {
    case .inline: .inline
    case .pool: .pool
    case .task: .task
    }
  }

  private func declare<A: Consumable>(_ states: [Soup.State<Register>], _ a: A) {
    let bodies = bodies
    switch states.count {
    case 0: soup.react(a, on: place) { a in try bodies.stateless([Taken(a)]) }
    case 1: soup.react(state: states[0], a, on: place) { s, a in try bodies.one(&s, [Taken(a)]) }
    default:
      soup.react(state: states[0], state: states[1], a, on: place) { s, t, a in try bodies.two(&s, &t, [Taken(a)]) }
    }
  }

  private func declare<A: Consumable, B: Consumable>(_ states: [Soup.State<Register>], _ a: A, _ b: B) {
    let bodies = bodies
    switch states.count {
    case 0: soup.react(a, b, on: place) { a, b in try bodies.stateless([Taken(a), Taken(b)]) }
    case 1: soup.react(state: states[0], a, b, on: place) { s, a, b in try bodies.one(&s, [Taken(a), Taken(b)]) }
    default:
      soup.react(state: states[0], state: states[1], Soup.Group(a, b), on: place) { s, t, values in
        try bodies.two(&s, &t, [Taken(values.all.0), Taken(values.all.1)])
      }
    }
  }

  private func declare<A: Consumable, B: Consumable, C: Consumable>(
    _ states: [Soup.State<Register>], _ a: A, _ b: B, _ c: C
  ) {
    let bodies = bodies
    switch states.count {
    case 0:
      soup.react(a, b, c, on: place) { a, b, c in try bodies.stateless([Taken(a), Taken(b), Taken(c)]) }
    case 1:
      soup.react(state: states[0], a, b, c, on: place) { s, a, b, c in
        try bodies.one(&s, [Taken(a), Taken(b), Taken(c)])
      }
    default:
      soup.react(state: states[0], state: states[1], Soup.Group(a, b, c), on: place) { s, t, values in
        try bodies.two(&s, &t, [Taken(values.all.0), Taken(values.all.1), Taken(values.all.2)])
      }
    }
  }

  private func declare<A: Consumable, B: Consumable, C: Consumable, D: Consumable>(
    _ states: [Soup.State<Register>], _ a: A, _ b: B, _ c: C, _ d: D
  ) {
    let bodies = bodies
    switch states.count {
    case 0:
      soup.react(a, b, c, d, on: place) { a, b, c, d in
        try bodies.stateless([Taken(a), Taken(b), Taken(c), Taken(d)])
      }
    case 1:
      soup.react(state: states[0], a, b, c, d, on: place) { s, a, b, c, d in
        try bodies.one(&s, [Taken(a), Taken(b), Taken(c), Taken(d)])
      }
    default:
      soup.react(state: states[0], state: states[1], Soup.Group(a, b, c, d), on: place) { s, t, values in
        try bodies.two(&s, &t, [Taken(values.all.0), Taken(values.all.1), Taken(values.all.2), Taken(values.all.3)])
      }
    }
  }
}

extension Bodies {
  fileprivate func stateless(_ inputs: [Taken]) throws {
    let firing = begin()
    defer { end(firing) }
    try run(firing, inputs)
  }

  fileprivate func one(_ s: inout Register, _ inputs: [Taken]) throws {
    let firing = begin()
    enter(&s, firing)
    defer {
      leave(&s)
      end(firing)
    }
    try run(firing, inputs)
  }

  fileprivate func two(_ s: inout Register, _ t: inout Register, _ inputs: [Taken]) throws {
    let firing = begin()
    enter(&s, firing)
    enter(&t, firing)
    defer {
      leave(&s)
      leave(&t)
      end(firing)
    }
    try run(firing, inputs)
  }
}
