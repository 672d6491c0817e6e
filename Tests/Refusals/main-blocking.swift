import Crucible

let (ask, control) = Soup.define { soup in
  let ask = soup.fast("ask", returning: Int.self)
  soup.react(ask) { call in call.reply(1) }
  return (ask, soup.control)
}

let one = try await ask()
let two = try await ask(within: .seconds(1))
await control.quiet(within: .seconds(1))
print(one + two)

// refused: instance method 'blocking' is unavailable from asynchronous contexts
_ = try ask.blocking()
// refused: instance method 'quiet' is unavailable from asynchronous contexts
control.blocking.quiet(within: .seconds(1))
// refused: instance method 'stop' is unavailable from asynchronous contexts
control.blocking.stop()
// refused: instance method 'restart' is unavailable from asynchronous contexts
try control.blocking.restart()
