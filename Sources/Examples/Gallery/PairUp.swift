// Dancers pair up, two by two. When the doors close, a dancer without a partner gets a reply that says so.
//
// The textbook has only the first reaction, so with an odd number of dancers the last one waits for ever. Here `closed`
// stays from then on, and each dancer that is still alone reacts with it.

import Crucible

typealias Dance = (
  dance: FastInjector<Int, Int?>, close: FastInjector<Void, Void>, control: Soup.Control
)

func makeDance(_ options: Soup.Options = .init()) -> Dance {
  Soup.define("dance", with: options) { soup in
    let dance = soup.fast("dance", of: Int.self, returning: Int?.self)
    let close = soup.fast("close", returning: Void.self)
    let closed = soup.slow("closed")
    soup.react(dance, dance) { a, b in
      a.reply(b.input)
      b.reply(a.input)
    }
    soup.react(close) { call in
      closed()
      call.reply()
    }
    soup.react(closed, dance) { _, call in
      closed()
      call.reply(nil)
    }
    return (dance, close, soup.control)
  }
}
