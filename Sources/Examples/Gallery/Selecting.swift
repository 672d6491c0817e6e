// Select: one receiver takes from one of two channels that has a value. Ready-made: `Channel`, by `Soup.first`.
//
// The receiver is one molecule in two reactions. Only one of them consumes it, so it never takes from both.

import Crucible

enum Received: Sendable, Equatable {
  case number(Int)
  case text(String)
}

typealias TwoChannels = (
  number: Injector<Int>, text: Injector<String>, receive: FastInjector<Void, Received>, control: Soup.Control
)

func makeTwoChannels(_ options: Soup.Options = .init()) -> TwoChannels {
  Soup.define("two channels", with: options) { soup in
    let number = soup.slow("number", of: Int.self)
    let text = soup.slow("text", of: String.self)
    let receive = soup.fast("receive", returning: Received.self)
    // A receiver that has given up takes nothing, and the value returns to the channel.
    soup.react(receive, number) { call, n in
      if !call.reply(.number(n)) { number(n) }
    }
    soup.react(receive, text) { call, t in
      if !call.reply(.text(t)) { text(t) }
    }
    return (number, text, receive, soup.control)
  }
}
