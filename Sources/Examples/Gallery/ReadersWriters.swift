// Readers and writers in no order: many readers or one writer. Ready-made, in order: `ReadWriteLock` of Compounds.
//
// `idle` and `readers` never exist together, and while a writer writes neither exists. Writers can starve: while
// readers keep overlapping, no reaction injects `idle`. `ReadersWritersInOrder.swift` has the other three disciplines.

import Crucible

typealias ReadersWriters = (
  read: FastInjector<Void, Void>, endRead: Injector<Void>, write: FastInjector<Void, Void>, endWrite: Injector<Void>,
  control: Soup.Control
)

func makeReadersWriters(_ options: Soup.Options = .init()) -> ReadersWriters {
  Soup.define("readers and writers", with: options) { soup in
    let idle = soup.slow("idle")
    let readers = soup.slow("readers", of: Int.self)
    let read = soup.fast("read", returning: Void.self)
    let endRead = soup.slow("end read")
    let write = soup.fast("write", returning: Void.self)
    let endWrite = soup.slow("end write")

    soup.react(idle, read) { _, call in
      if call.reply() { readers(1) } else { idle() }
    }
    soup.react(readers, read) { n, call in readers(call.reply() ? n + 1 : n) }
    soup.react(readers, endRead) { n, _ in
      if n > 1 { readers(n - 1) } else { idle() }
    }
    soup.react(idle, write) { _, call in
      if !call.reply() { idle() }
    }
    soup.react(endWrite) { _ in idle() }

    idle()
    return (read, endRead, write, endWrite, soup.control)
  }
}
