// Chameneos: creatures of three colours meet in a mall, two at a time, and both take the colour that completes theirs.
//
// The mall is a reaction over two calls and a permit for one meeting. When the permits are used up, `closed` answers.

import Crucible

enum Colour: CaseIterable, Sendable {
  case blue, red, yellow

  func complement(_ other: Colour) -> Colour {
    self == other ? self : Colour.allCases.first { $0 != self && $0 != other }!
  }
}

/// Lets creatures of these colours meet so many times. Returns the number of meetings of each.
func meet(_ colours: [Colour], meetings: Int, _ options: Soup.Options = .init()) async throws -> [Int] {
  let (visit, control) = Soup.define("mall", with: options) { soup in
    let visit = soup.fast("visit", of: Colour.self, returning: Colour?.self)
    let open = soup.slow("open", of: Int.self)
    let closed = soup.slow("closed")

    soup.react(visit, visit, open) { a, b, left in
      if left > 1 { open(left - 1) } else { closed() }
      let colour = a.input.complement(b.input)
      a.reply(colour)
      b.reply(colour)
    }
    soup.react(visit, closed) { call, _ in
      closed()
      call.reply(nil)
    }

    // A single creature would wait for ever.
    if meetings > 0 && colours.count > 1 { open(meetings) } else { closed() }
    return (visit, soup.control)
  }
  let counts = try await together(colours.count) { creature in
    var (colour, count) = (colours[creature], 0)
    while let next = try await visit(colour) { (colour, count) = (next, count + 1) }
    return count
  }
  _ = try await control.leftovers()
  return counts
}
