import Crucible

/// Mistakes within a definition, where the compiler could blame the whole definition. It reports each at its own line.
enum Order: Sendable { case buy, sell }

actor Book { var count = 0 }

func typeErrorInAStatesBody() -> Injector<Int> {
  Soup.define { soup in
    let n = soup.state("n", 0)
    let a = soup.slow("a", of: Int.self)
    // refused: cannot convert value of type 'String' to expected argument type 'Int'
    soup.react(state: n, a) { n, x in n += "\(x)" }
    return a
  }
}

func typeErrorInASumOfInputs() -> Injector<Int> {
  Soup.define { soup in
    let n = soup.state("n", 0)
    let a = soup.slow("a", of: Int.self)
    let b = soup.slow("b", of: String.self)
    let c = soup.slow("c", of: Int.self)
    // refused: cannot convert value of type 'Injector<String>.Argument' (aka 'String') to expected argument type 'Int'
    soup.react(state: n, a, b, c) { n, a, b, c in n = a + b + c }
    return c
  }
}

func mistypedCase() -> Injector<Order> {
  Soup.define { soup in
    let n = soup.state("n", 0)
    let order = soup.slow("order", of: Order.self)
    soup.react(state: n, order) { n, order in
      switch order {
      case .buy: n += 1
      // refused: has no member 'cell'
      case .cell: n -= 1
      }
    }
    return order
  }
}

func mistypedMember() -> Injector<Int> {
  Soup.define { soup in
    let list = soup.state("list", [Int]())
    let a = soup.slow("a", of: Int.self)
    // refused: value of type '[Int]' has no member 'apend'
    soup.react(state: list, a) { list, x in list.apend(x) }
    return a
  }
}

func unknownName() -> Injector<Int> {
  Soup.define { soup in
    let list = soup.state("list", [Int]())
    let a = soup.slow("a", of: Int.self)
    // refused: cannot find 'y' in scope
    soup.react(state: list, a) { list, x in list.append(y) }
    return a
  }
}

func tooFewParameters() -> Injector<Int> {
  Soup.define { soup in
    let n = soup.state("n", 0)
    let a = soup.slow("a", of: Int.self)
    let b = soup.slow("b")
    // refused: expects 3 arguments, but 2 were used in closure body
    soup.react(state: n, a, b) { n, x in n += x }
    return a
  }
}

func tooManyParameters() -> Injector<Int> {
  Soup.define { soup in
    let a = soup.slow("a", of: Int.self)
    let b = soup.slow("b")
    // refused: expects 2 arguments, but 3 were used in closure body
    soup.react(a, b) { x, y, z in print(x) }
    return a
  }
}

func tooManyInputsBesideAState() -> Injector<Int> {
  Soup.define { soup in
    let n = soup.state("n", 0)
    let a = soup.slow("a", of: Int.self)
    // refused: at most four inputs beside a state, three if async or on an actor: write several as one
    soup.react(state: n, a, a, a, a, a) { n, a, b, c, d, e in n += a }
    return a
  }
}

func typeErrorInValuesThatComeAsOne() -> Injector<Int> {
  Soup.define { soup in
    let n = soup.state("n", 0)
    let m = soup.state("m", 0)
    let a = soup.slow("a", of: Int.self)
    let b = soup.slow("b", of: String.self)
    // refused: cannot convert value of type 'Injector<String>.Argument' (aka 'String') to expected argument type 'Int'
    soup.react(state: n, state: m, Soup.Group(a, a, b, a, a)) { n, m, values in n += values.all.2 }
    return a
  }
}

func wrongReply() -> FastInjector<Int, String> {
  Soup.define { soup in
    let n = soup.state("n", 0)
    let ask = soup.fast("ask", of: Int.self, returning: String.self)
    // refused: cannot convert value of type 'Int' to expected argument type 'String'
    soup.react(state: n, ask) { n, call in call.reply(n + call.input) }
    return ask
  }
}

func stateSecond() -> Injector<Int> {
  Soup.define { soup in
    let n = soup.state("n", 0)
    let a = soup.slow("a", of: Int.self)
    // refused: states first, then a molecule
    soup.react(a, state: n) { x, n in n += x }
    return a
  }
}

func stateWithoutItsLabel() -> Injector<Int> {
  Soup.define { soup in
    let n = soup.state("n", 0)
    let a = soup.slow("a", of: Int.self)
    // refused: 'Soup.UnlabelledState'
    soup.react(n, a) { n, x in n += x }
    return a
  }
}

func stateAlone() -> Soup.Control {
  Soup.define { soup in
    let n = soup.state("n", 0)
    // refused: states alone would fire for ever
    soup.react(state: n) { n in n += 1 }
    return soup.control
  }
}

func callWithoutAwait(_ ask: FastInjector<Int, String>) throws -> String {
  // refused: 'async' call in a function that does not support concurrency
  try ask(1)
}

func callWithoutAwaitInABody(_ ask: FastInjector<Int, String>) -> Injector<Int> {
  Soup.define { soup in
    let text = soup.state("text", "")
    let a = soup.slow("a", of: Int.self)
    // refused: 'async' call in a function that does not support concurrency
    soup.react(state: text, a) { text, x in text = try ask(x) }
    return a
  }
}

func actorWithoutItsParameter(_ book: Book) -> Injector<Int> {
  Soup.define { soup in
    let a = soup.slow("a", of: Int.self)
    // refused: expects 2 arguments, but 1 was used in closure body
    soup.react(a, on: .actor(book)) { x in print(x) }
    return a
  }
}

func wrongValue(_ a: Injector<Int>) {
  // refused: cannot convert value of type 'String' to expected argument type 'Int'
  a("one")
}

func callTakenForItsInput(_ soup: Soup, _ ask: FastInjector<Int, Int>) {
  // refused: (aka 'Call<Int, Int>') to expected argument type 'Int'
  soup.react(ask) { x in print(x + 1) }
}

func labelThatTheTupleLacks() -> Injector<Int> {
  let names = Soup.define { soup in
    let a = soup.slow("a", of: Int.self)
    soup.react(a) { _ in }
    return (add: a, control: soup.control)
  }
  // refused: has no member 'ad'
  return names.ad
}

func unusedResult() {
  // warned: result of call to 'define(_:with:file:line:_:)' is unused
  Soup.define { soup in
    let a = soup.slow("a", of: Int.self)
    soup.react(a) { _ in }
    return a
  }
}

func aStateIsCleared() -> Injector<Int> {
  Soup.define { soup in
    let n = soup.state("n", 0)
    let a = soup.slow("a", of: Int.self)
    // refused: a state cannot be cleared or paused
    soup.control.clear(n)
    // refused: a state cannot be cleared or paused
    soup.control.pause(n)
    soup.react(state: n, a) { n, x in n += x }
    return a
  }
}
