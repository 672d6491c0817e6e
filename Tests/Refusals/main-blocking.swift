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
// refused: instance method 'waitUntilQuiet' is unavailable from asynchronous contexts
control.waitUntilQuiet(within: .seconds(1))
// refused: instance method 'stopBlocking' is unavailable from asynchronous contexts
control.stopBlocking()
// refused: instance method 'restartBlocking' is unavailable from asynchronous contexts
try control.restartBlocking()
