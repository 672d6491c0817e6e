import Crucible

/// A body sees only what its placement allows, and states stay in their soups.
@MainActor var title = ""
@MainActor func show(_ text: String) { title = text }

final class Page { var text = "" }

actor Shelf { var count = 0 }

func unisolated() {
  Soup.define { soup in
    let a = soup.slow("a", of: String.self)
    // refused: call to main actor-isolated global function 'show' in a synchronous nonisolated context
    soup.react(a) { text in show(text) }
    // refused: main actor-isolated var 'title' can not be mutated from a nonisolated context
    soup.react(a, on: .inline) { text in title = text }
    // refused: call to main actor-isolated global function 'show' in a synchronous nonisolated context
    soup.react(a, on: .queue(.main)) { text in show(text) }
  }
}

func otherActors(_ shelf: Shelf) {
  Soup.define { soup in
    let a = soup.slow("a", of: Int.self)
    // refused: actor-isolated property 'count' can not be mutated from the main actor
    soup.react(a, on: .main) { n in shelf.count += n }
    // refused: actor-isolated property 'count' can not be mutated from a Sendable closure
    soup.react(a) { n in shelf.count += n }
  }
}

func unsendable() {
  Soup.define { soup in
    // refused: type 'Page' does not conform to the 'Sendable' protocol
    _ = soup.slow("a", of: Page.self)
  }
}

func leaves() {
  // refused: does not conform to the 'Sendable' protocol
  let state = Soup.define { soup in
    let state = soup.state("state", 0)
    let a = soup.slow("a")
    soup.react(state: state, a) { _, _ in }
    return state
  }
  _ = state
}
