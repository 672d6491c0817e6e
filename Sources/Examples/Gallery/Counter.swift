// A counter twice: with a public molecule, and encapsulated.
//
// In the public version `counter` is a slow molecule. Any code that has the name can inject a second one. Then there
// are two counters, and `value` answers with either. Encapsulated, the counter is a state: exactly one exists, and its
// name stays in the definition. Ready-made: `Counter` of Compounds.

import Crucible

typealias Counter = (increment: Injector<Void>, value: FastInjector<Void, Int>, control: Soup.Control)

func makeOpenCounter(_ options: Soup.Options = .init()) -> (counter: Injector<Int>, face: Counter) {
  Soup.define("open counter", with: options) { soup in
    let counter = soup.slow("counter", of: Int.self)
    let increment = soup.slow("increment")
    let value = soup.fast("value", returning: Int.self)

    soup.react(counter, increment) { n, _ in counter(n + 1) }
    soup.react(counter, value) { n, call in
      counter(n)
      call.reply(n)
    }

    counter(0)
    return (counter, (increment, value, soup.control))
  }
}

func makeCounter(_ options: Soup.Options = .init()) -> Counter {
  Soup.define("counter", with: options) { soup in
    let counter = soup.state("counter", 0)
    let increment = soup.slow("increment")
    let value = soup.fast("value", returning: Int.self)

    soup.react(state: counter, increment) { n, _ in n += 1 }
    soup.react(state: counter, value) { n, call in call.reply(n) }

    return (increment, value, soup.control)
  }
}
