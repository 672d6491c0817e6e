import Crucible

// Compiled with optimization, like an application's release build. Names that carry functions, in generic code, have
// misled the optimizer.

actor Shelf { var count = 0 }

func inArrays<Value: Sendable>(_: Value.Type, _ shelf: Shelf) -> [Injector<@Sendable () -> Value>] {
  Soup.define("arrays") { soup in
    let make = soup.slow("make", of: (@Sendable () -> Value).self, count: 7)
    soup.react(make[0], make[1], make[2], make[3], make[4], make[5], make[6]) { a, b, c, d, e, f, g in
      print([a(), b(), c(), d(), e(), f(), g()])
    }
    soup.react(make[0], make) { first, rest in print([first()] + rest.map { $0() }) }
    soup.react(make) { functions in print(functions.map { $0() }) }
    let (s, t, u) = (soup.state("s", [Value]()), soup.state("t", 0), soup.state("u", 0))
    soup.react(state: s, state: t, state: u, Soup.Group(make[0], make[1], make)) { s, t, u, values in
      let (a, b, rest) = values.all
      s = [a(), b()] + rest.map { $0() }
    }
    let group = Soup.Group(make[0], make[1], make)
    soup.react(state: s, group) { s, values in s = [values.all.0()] }
    soup.react(state: s, state: t, group) { s, t, values in
      await Task.yield()
      s = [values.all.1()]
    }
    soup.react(state: s, group, on: .main) { s, values in s = values.all.2.map { $0() } }
    soup.react(group, on: .actor(shelf)) { shelf, values in shelf.count += values.all.2.count }
    soup.react(state: s, group, on: .actor(shelf)) { shelf, s, values in s = [values.all.0()] }
    return make
  }
}

func inTuples<Input: Sendable, Output: Sendable>(
  _: Input.Type, _: Output.Type
) -> (function: Injector<@Sendable (Input) -> Output>, apply: FastInjector<Input, Output>) {
  Soup.define("tuples") { soup in
    let function = soup.slow("function", of: (@Sendable (Input) -> Output).self)
    let apply = soup.fast("apply", of: Input.self, returning: Output.self)
    soup.react(function, apply) { function, call in call.reply(function(call.input)) }
    return (function: function, apply: apply)
  }
}

func inStates<Event: Sendable>(_: Event.Type) -> (on: Injector<@Sendable (Event) -> Void>, emit: Injector<Event>) {
  Soup.define("states") { soup in
    let on = soup.slow("on", of: (@Sendable (Event) -> Void).self)
    let emit = soup.slow("emit", of: Event.self)
    let handlers = soup.state("handlers", [@Sendable (Event) -> Void]())
    soup.react(state: handlers, on) { handlers, handler in handlers.append(handler) }
    soup.react(state: handlers, emit) { handlers, event in for handler in handlers { handler(event) } }
    return (on, emit)
  }
}

func use() {
  _ = inArrays(Int.self, Shelf())
  _ = inTuples(Int.self, String.self)
  _ = inStates(Int.self)
}
