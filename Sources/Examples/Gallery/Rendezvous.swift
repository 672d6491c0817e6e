// Meetings of two kinds, two alike, or n: callers swap values. Ready-made: `Rendezvous`, `Exchanger` of Compounds.

import Crucible

typealias Rendezvous = (left: FastInjector<Int, String>, right: FastInjector<String, Int>, control: Soup.Control)

/// A left and a right caller swap their values.
func makeRendezvous(_ options: Soup.Options = .init()) -> Rendezvous {
  Soup.define("rendezvous", with: options) { soup in
    let left = soup.fast("left", of: Int.self, returning: String.self)
    let right = soup.fast("right", of: String.self, returning: Int.self)
    soup.react(left, right) { left, right in
      left.reply(right.input)
      right.reply(left.input)
    }
    return (left, right, soup.control)
  }
}

typealias Meeting<Value: Sendable> = (meet: FastInjector<Value, [Value]>, control: Soup.Control)

/// A meeting of n callers. Each gets the values of all. With n = 2 it is an exchanger.
func makeMeeting<Value: Sendable>(
  of n: Int, bringing type: Value.Type = Value.self, _ options: Soup.Options = .init()
) -> Meeting<Value> {
  Soup.define("meeting of \(n)", with: options) { soup in
    let meet = soup.fast("meet", of: Value.self, returning: [Value].self)
    soup.react(Array(repeating: meet, count: n)) { calls in
      let brought = calls.map(\.input)
      for call in calls { call.reply(brought) }
    }
    return (meet, soup.control)
  }
}
