import Crucible

/// A state that is not `Sendable` stays in its soup. When a body ends, nothing that it leaves may refer to the state.
final class Page { var text = "" }

@MainActor var shown: Page?

actor Shelf { var pages: [Page] = [] }

func keep(_ shelf: Shelf) {
  Soup.define { soup in
    let page = soup.state("page") { Page() }
    let other = soup.state("other") { Page() }
    let a = soup.slow("a")
    // refused: 'inout sending' parameters 'page' and 'other' can be potentially accessed from each other
    soup.react(state: page, state: other, a) { page, other, _ in other = page }
    // refused: 'inout sending' parameters 'page' and 'other' can be potentially accessed from each other
    soup.react(state: page, state: other, a) { page, other, _ in swap(&page, &other) }
    // refused: 'inout sending' parameter 'page' cannot be main actor-isolated at end of function
    soup.react(state: page, a, on: .main) { page, _ in shown = page }
    soup.react(state: page, a, on: .main) { page, _ in
      await Task.yield()
      shown = page
      // refused: 'inout sending' parameter 'page' cannot be main actor-isolated at end of function
    }
    // refused: 'inout sending' parameter 'page' cannot be 'shelf'-isolated at end of function
    soup.react(state: page, a, on: .actor(shelf)) { shelf, page, _ in shelf.pages.append(page) }
    // refused: 'inout sending' parameter 'page' cannot be 'shelf'-isolated at end of function
    soup.react(state: page, state: other, a, on: .actor(shelf)) { shelf, page, other, _ in shelf.pages.append(page) }
    soup.react(state: page, a) { page, _ in
      let copy = page
      // refused: passing closure as a 'sending' parameter risks causing data races
      Task { copy.text = "later" }
    }
  }
}

func useWhatWasSent() {
  let page = Page()
  // refused: sending 'page' risks causing data races
  let sent = Soup.Sent(page)
  Soup.define { soup in
    let page = soup.state("page", sent)
    let a = soup.slow("a")
    soup.react(state: page, a) { page, _ in page.text = "inside" }
  }
  page.text = "outside"
}

func sendWhatOthersHave(_ page: Page) {
  // refused: sending 'page' risks causing data races
  _ = Soup.Sent(page)
}
