// A counter that many tasks share, without a lock.
//
//   swift run counter
//
// `counter` is a state: there is exactly one copy, so the two reactions exclude each other. A body gets the value
// `inout`. `add` is a fast molecule. Its caller waits for the reply, so each addition has happened before the caller
// continues. A slow molecule would return at once, and a later `value` could overtake it: different names have no
// order.

import Crucible

func makeCounter(from start: Int) -> (FastInjector<Int, Void>, FastInjector<Void, Int>) {
  Soup.define("counter") { soup in
    let counter = soup.state("counter", start)
    let add = soup.fast("add", of: Int.self, returning: Void.self)
    let value = soup.fast("value", returning: Int.self)

    soup.react(state: counter, add, on: .inline) { n, call in
      n += call.input
      call.reply()
    }
    soup.react(state: counter, value, on: .inline) { n, call in call.reply(n) }

    return (add, value)
  }
}

let (add, value) = makeCounter(from: 0)

try await withThrowingTaskGroup { group in
  for _ in 1...4 {
    group.addTask { for _ in 1...1000 { try await add(1) } }
  }
  try await group.waitForAll()
}
print("4 tasks added 1 a thousand times each: \(try await value())")
