import Crucible

/// Makes the counter's soup `count` times, all alive at once.
func soupsSlope(_ count: Int) -> @Sendable (Setting) -> any Contender {
  { setting in AliveCase(count: count, CounterKind(matcher: setting.matcher)) }
}

private struct CounterKind: AliveKind {
  let matcher: Soup.Matcher

  func make() -> (increment: Injector<Void>, value: FastInjector<Void, Int>) {
    let (increment, value) = Soup.define("counter", with: .init(matcher: matcher)) { soup in
      let counter = soup.state("counter", 0)
      let increment = soup.slow("increment")
      let value = soup.fast("value", returning: Int.self)
      soup.react(state: counter, increment, on: .inline) { n, _ in n += 1 }
      soup.react(state: counter, value, on: .inline) { n, call in call.reply(n) }
      return (increment, value)
    }
    return (increment, value)
  }

  func use(_ soup: (increment: Injector<Void>, value: FastInjector<Void, Int>)) { soup.increment() }

  func check(_ soup: (increment: Injector<Void>, value: FastInjector<Void, Int>)) throws(Wrong) {
    try Wrong.unlessEqual("count", expected: 1, found: try ask(soup.value))
  }
}
