import Crucible

/// Code that must compile, and without a warning.
@MainActor var title = ""
@MainActor func show(_ text: String) { title = text }

actor Shelf { var count = 0 }

func passes(_ shelf: Shelf) {
  let (a, b) = Soup.define { soup in
    let total = soup.state("total", 0)
    let a = soup.slow("a", of: String.self)
    let b = soup.slow("b", of: Int.self)
    soup.react(a, on: .main) { text in show(text) }
    soup.react(a, on: .main) { text in
      await Task.yield()
      show(text)
    }
    soup.react(state: total, b, on: .main) { total, n in
      total += n
      show("\(total)")
    }
    soup.react(b, on: .actor(shelf)) { shelf, n in shelf.count += n }
    soup.react(state: total, b, on: .actor(shelf)) { shelf, total, n in
      total += n
      await Task.yield()
      shelf.count = total
    }
    soup.react(state: total, [b, b], a, on: .main) { total, numbers, text in total += numbers[0] }
    soup.react(state: total, [b, b], a, on: .actor(shelf)) { shelf, total, numbers, text in shelf.count = numbers[0] }
    soup.react(a, b) { text, n in await show(text) }
    soup.react(state: total, Soup.Group(b, b, b, a, b, b)) { total, values in total += values.all.0 }
    soup.react(state: total, Soup.Group(b, b, b, a, b, b), on: .main) { total, values in
      total += values.all.0
      show(values.all.3)
    }
    soup.react(Soup.Group(b, a, [b, b]), on: .actor(shelf)) { shelf, values in
      let (n, _, rest) = values.all
      await Task.yield()
      shelf.count += n + rest[0]
    }
    soup.react(state: total, Soup.Group(b, b, b, a, b, b, a), on: .actor(shelf)) { shelf, total, values in
      let (n, _, _, _, _, _, _) = values.all
      shelf.count += n
    }
    return (a, b)
  }
  a("a")
  b(1)
}

func callsInThread(_ ask: FastInjector<Int, Int>, _ control: Soup.Control) throws {
  _ = try ask.blocking(1)
  control.blocking.quiet(within: .seconds(1))
}
