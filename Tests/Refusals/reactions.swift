import Crucible

// Mistakes in a reaction that definitions.swift does not have: each is reported where it stands, in words that say what
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
    soup.react(state: n, state: m, a, [b]) { n, m, x, rest in n.adding(x) }
    soup.react(state: n, state: m, state: flag, Soup.Group(text, [a, b])) { n, m, flag, values in
      let (x, rest) = values.all
      // refused: (aka 'String') to expected argument type 'Int'
      n += x
      m += x + "\(rest)"
    }
    // refused: (aka 'String') to expected argument type 'Int'
    soup.react(state: n, state: m, state: flag, [text]) { n, m, flag, texts in n += texts[0] }
  }

  func parameters() {
    // refused: expects 4 arguments, but 3 were used in closure body
    soup.react(a, b, text, a) { x, y, z in print(x, y, z) }
    // refused: expects 3 arguments, but 2 were used in closure body
    soup.react(state: n, a, [b]) { n, values in print(values) }
  }

  func states() {
    // refused: a reaction of states alone would fire for ever
    soup.react(state: n, state: m) { n, m in n += m.count }
    // refused: a reaction of states alone would fire for ever
    soup.react(state: n, state: m, state: flag) { n, m, flag in n += m.count }
    // refused: at most four inputs beside two states
    soup.react(state: n, state: m, a, a, b, b, a) { n, m, a, b, c, d, e in n += a }
    // refused: one input beside three states
    soup.react(state: n, state: m, state: flag, a, b) { n, m, flag, a, b in n += a }
    // refused: at most three states: keep several values in one
    soup.react(state: n, state: m, state: flag, state: other, a) { n, m, flag, other, x in n += x }
  }

  func arrays() {
    // refused: (aka 'Int') to expected argument type 'String'
    soup.react(state: n, [a, b], text) { n, values, text in n += take(values[0]) }
    // refused: name an array as any other input, without a label
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
