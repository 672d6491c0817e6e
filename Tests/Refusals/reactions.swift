import Crucible

// Mistakes in a reaction that definitions.swift does not have. The compiler reports each at its own line, and says what
// to do.

actor Account { var balance = 0 }

func take(_ text: String) -> Int { text.count }

struct Mistakes {
  let soup: Soup
  let n: Soup.State<Int>
  let m: Soup.State<String>
  let flag: Soup.State<Bool>
  let other: Soup.State<Int>
  let account: Account
  let a: Injector<Int>
  let b: Injector<Int>
  let text: Injector<String>
  let ask: FastInjector<Int, Int>

  func stateBodies() {
    // refused: cannot convert value of type 'Injector<String>.Argument' (aka 'String') to expected argument type 'Int'
    soup.react(state: n, text) { n, x in n += x }
    // refused: value of type 'Int' has no member 'adding'
    soup.react(state: n, a) { n, x in n.adding(x) }
    // refused: value of type 'Injector<Int>.Argument' (aka 'Int') has no member 'count'
    soup.react(state: n, a, b, a) { n, x, y, z in n += x.count + y + z }
    // refused: value of type 'Injector<Int>.Argument' (aka 'Int') has no member 'count'
    soup.react(state: n, a, on: .main) { n, x in n += x.count }
    // refused: value of type 'Int' has no member 'adding'
    soup.react(state: n, state: m, [a, b]) { n, m, values in n.adding(values[0]) }
    soup.react(state: n, state: m, state: flag, Soup.Group(text, [a, b])) { n, m, flag, values in
      let (x, rest) = values.all
      // refused: (aka 'String') to expected argument type 'Int'
      n += x
      m += x + "\(rest)"
    }
    // refused: (aka 'String') to expected argument type 'Int'
    soup.react(state: n, state: m, state: flag, [text]) { n, m, flag, texts in n += texts[0] }
  }

  func repliesWithoutTheirValue() {
    // refused: the caller waits for a value: call.reply(value)
    soup.react(ask) { call in call.reply() }
    // refused: the caller waits for a value: call.reply(value)
    soup.react(ask, a) { call, x in if call.reply() { print(x) } }
    // refused: the caller waits for a value: call.reply(value)
    soup.react(state: n, ask) { n, call in call.reply() }
  }

  func parameters() {
    // refused: expects 4 arguments, but 3 were used in closure body
    soup.react(a, b, text, a) { x, y, z in print(x, y, z) }
    // refused: expects 3 arguments, but 2 were used in closure body
    soup.react(state: n, a, [b]) { n, values in print(values) }
  }

  func states() {
    // refused: states alone would fire for ever
    soup.react(state: n, state: m) { n, m in n += m.count }
    // refused: states alone would fire for ever
    soup.react(state: n, state: m, state: flag) { n, m, flag in n += m.count }
    // refused: at most three states, and one input beside two or three: write several as one
    soup.react(state: n, state: m, state: flag, state: other, a) { n, m, flag, other, x in n += x }
  }

  // Patterns with one input or several more than the largest form has, also with a mistake in the body.
  func tooManyInputs() {
    // refused: at most four inputs beside a state, three if async or on an actor: write several as one
    soup.react(state: n, a, b, a, b, a, b, a) { n, a, b, c, d, e, f, g in n += "a" }
    // refused: at most four inputs beside a state, three if async or on an actor: write several as one
    soup.react(state: n, a, b, a, b, a, on: .inline, recovery: .retry(limit: 2)) { n, a, b, c, d, e in n += a }
    // refused: at most four inputs beside a state, three if async or on an actor: write several as one
    soup.react(state: n, a, b, a, b) { n, a, b, c, d in
      await Task.yield()
      n += a
    }
    // refused: at most four inputs beside a state, three if async or on an actor: write several as one
    soup.react(state: n, a, b, a, b, a) { n, a, b, c, d, e in
      await Task.yield()
      n += a
    }
    // refused: at most three states, and one input beside two or three: write several as one
    soup.react(state: n, state: m, a, b) { n, m, a, b in n += a }
    // refused: at most three states, and one input beside two or three: write several as one
    soup.react(state: n, state: m, a, [b], text) { n, m, a, b, text in await Task.yield() }
    // refused: at most three states, and one input beside two or three: write several as one
    soup.react(state: n, state: m, state: flag, a, b) { n, m, flag, a, b in n += a }
    // refused: at most three states, and one input beside two or three: write several as one
    soup.react(state: n, state: m, state: flag, a, b, a, b) { n, m, flag, a, b, c, d in n.adding(a) }
  }

  func tooManyInputsOnMain() {
    // refused: at most four inputs beside a state, three if async or on an actor: write several as one
    soup.react(state: n, a, b, a, b, on: .main) { n, a, b, c, d in n += a }
    // refused: at most four inputs beside a state, three if async or on an actor: write several as one
    soup.react(state: n, a, b, a, b, on: .main) { n, a, b, c, d in await Task.yield() }
    // refused: at most four inputs beside a state, three if async or on an actor: write several as one
    soup.react(state: n, a, b, a, b, a, b, on: .main) { n, a, b, c, d, e, f in n += "a" }
    // refused: at most three states, and one input beside two or three: write several as one
    soup.react(state: n, state: m, a, b, on: .main) { n, m, a, b in n += a }
    // refused: at most three states, and one input beside two or three: write several as one
    soup.react(state: n, state: m, state: flag, a, b, a, on: .main) { n, m, flag, a, b, c in await Task.yield() }
  }

  func tooManyInputsOnAnActor() {
    // refused: at most two inputs on an actor: write several as one
    soup.react(a, b, a, b, a, b, a, on: .actor(account)) { account, a, b, c, d, e, f, g in account.balance += a }
    // refused: at most two inputs on an actor: write several as one
    soup.react(a, b, a, b, a, b, on: .actor(account)) { account, a, b, c, d, e, f in account.balance += a + f }
    // refused: at most two inputs on an actor: write several as one
    soup.react(a, b, a, b, a, on: .actor(account)) { account, a, b, c, d, e in account.balance += a }
    // refused: at most two inputs on an actor: write several as one
    soup.react(a, b, [a], b, on: .actor(account)) { account, a, b, c, d in await Task.yield() }
    // refused: at most two inputs on an actor: write several as one
    soup.react(a, text, [b], on: .actor(weak: account)) { account, a, text, b in await Task.yield() }
    // refused: at most four inputs beside a state, three if async or on an actor: write several as one
    soup.react(state: n, a, b, a, b, on: .actor(account)) { account, n, a, b, c, d in account.balance += a }
    // refused: at most four inputs beside a state, three if async or on an actor: write several as one
    soup.react(state: n, a, b, a, b, a, on: .actor(account)) { account, n, a, b, c, d, e in await Task.yield() }
    // refused: at most three states, and one input beside two or three: write several as one
    soup.react(state: n, state: m, a, b, on: .actor(account)) { account, n, m, a, b in account.balance += a }
    // refused: at most three states, and one input beside two or three: write several as one
    soup.react(state: n, state: m, state: flag, a, b, on: .actor(account)) { account, n, m, flag, a, b in n += "a" }
  }

  func arrays() {
    // refused: (aka 'Int') to expected argument type 'String'
    soup.react(state: n, [a, b], text) { n, values, text in n += take(values[0]) }
    // refused: extraneous argument label 'all:' in call
    soup.react(a, all: [a, b]) { x, values in print(x, values) }
    // refused: expects 3 arguments, but 2 were used in closure body
    soup.react(Soup.Group(a, b), text, [a]) { values, text in print(values, text) }
  }

  func placements() {
    // refused: type 'Placement?' has no member 'inlin'
    soup.react(a, on: .inlin) { x in print(x) }
    // refused: on: .actor(account), or on: .actor(weak: account)
    soup.react(a, on: account) { account, x in account.balance += x }
    // refused: on: .actor(account), or on: .actor(weak: account)
    soup.react(state: n, a, on: account) { account, n, x in account.balance += n + x }
  }
}
