import Crucible

// The chemistries that `--soup` knows. This target compiles the definitions of the gallery (Sources/Examples/Gallery).
// To measure your own chemistry, put its file next to this one, or its definition into `all`, and state what a round
// is.

extension Chemistry {
  public static let all: [Chemistry] = [
    Chemistry("pair", "a & b with values, the shortest one to begin one's own with") { options in
      Soup.define("pair", with: options) { soup in
        let a = soup.slow("a", of: Int.self)
        let b = soup.slow("b", of: Int.self)
        soup.react(a, b, on: .inline) { _, _ in }
        return (soup.control, { round in _ = (a(round), b(round)) })
      }
    },
    Chemistry("counter", "a state; nine increments, and a call that reads it") { options in
      let counter = makeCounter(options)
      return (
        counter.control,
        { round in
          if round % 10 < 9 { counter.increment() } else { _ = try counter.value.blocking() }
        }
      )
    },
    Chemistry("readers-writers", "nine that read, and one that writes, all with calls that wait") { options in
      let room = makeReadersWriters(options)
      return (
        room.control,
        { round in
          if round % 10 < 9 {
            try room.read.blocking()
            room.endRead()
          } else {
            try room.write.blocking()
            room.endWrite()
          }
        }
      )
    },
    Chemistry("mutex", "to enter is a call that takes the only permit, to leave gives it back") { options in
      let mutex = makeMutex(options)
      return (
        mutex.control,
        { _ in
          try mutex.enter.blocking()
          mutex.leave()
        }
      )
    },
    Chemistry("bounded-line", "each thread puts an item into a buffer of 16, and takes one") { options in
      let line = makeBoundedLine(of: Int.self, capacity: 16, options)
      return (
        line.control,
        { round in
          try line.put.blocking(round)
          _ = try line.take.blocking()
        }
      )
    },
  ]
}
