import Crucible
import CrucibleTestSupport
import Testing

/// Classic problems, each as short as it should be: what keeps threads apart.
@Suite(.watched)
struct `Gallery of exclusion` {
  @Test(arguments: Run.setups)
  func `a counter as a molecule`(setup: Setup) async throws {
    let (increment, value, control) = Soup.define("counter", with: .init(matcher: setup.matcher)) { soup in
      let counter = soup.slow("counter", of: Int.self)
      let increment = soup.slow("increment")
      let value = soup.fast("value", returning: Int.self)
      soup.react(counter, increment, on: setup.placement) { n, _ in counter(n + 1) }
      soup.react(counter, value, on: setup.placement) { n, call in
        call.reply(n)
        counter(n)
      }
      counter(0)
      return (increment, value, soup.control)
    }
    Watchdog.watch(control)
    try await onThreads(4) { _ in for _ in 0..<500 { increment() } }
    await control.settle()
    #expect(try await value() == 2000)
  }

  @Test(arguments: Run.setups)
  func `a lock`(setup: Setup) async throws {
    let (acquire, release) = makeSemaphore(1, setup)
    let inside = Tally()
    let overlaps = Tally()
    try await onThreads(4) { _ in
      for _ in 0..<200 {
        try acquire.blocking()
        if inside.add() != 1 { overlaps.add() }
        inside.add(-1)
        release()
      }
    }
    #expect(overlaps.count == 0)
  }

  @Test(arguments: Run.setups)
  func `a semaphore of three`(setup: Setup) async throws {
    let (acquire, release) = makeSemaphore(3, setup)
    let inside = Tally()
    let overlaps = Tally()
    try await onThreads(8) { _ in
      for _ in 0..<100 {
        try acquire.blocking()
        if inside.add() > 3 { overlaps.add() }
        inside.add(-1)
        release()
      }
    }
    #expect(overlaps.count == 0)
  }

  /// A permit is a molecule.
  private func makeSemaphore(_ permits: Int, _ setup: Setup) -> (FastInjector<Void, Void>, Injector<Void>) {
    Soup.define("semaphore", with: .init(matcher: setup.matcher)) { soup in
      let permit = soup.slow("permit")
      let acquire = soup.fast("acquire", returning: Void.self)
      soup.react(acquire, permit, on: setup.placement) { call, _ in call.reply() }
      for _ in 0..<permits { permit() }
      return (acquire, permit)
    }
  }

  @Test(arguments: Run.setups)
  func `readers and writers`(setup: Setup) async throws {
    let (read, readDone, write, writeDone) = Soup.define("readers and writers", with: .init(matcher: setup.matcher)) {
      soup in
      // Idle, or so many readers; while a writer writes there is neither.
      let idle = soup.slow("idle")
      let readers = soup.slow("readers", of: Int.self)
      let read = soup.fast("read", returning: Void.self)
      let readDone = soup.slow("readDone")
      let write = soup.fast("write", returning: Void.self)
      let writeDone = soup.slow("writeDone")
      soup.react(idle, read, on: setup.placement) { _, call in
        readers(1)
        call.reply()
      }
      soup.react(readers, read, on: setup.placement) { n, call in
        readers(n + 1)
        call.reply()
      }
      soup.react(readers, readDone, on: setup.placement) { n, _ in if n > 1 { readers(n - 1) } else { idle() } }
      soup.react(idle, write, on: setup.placement) { _, call in call.reply() }
      soup.react(writeDone, on: setup.placement) { _ in idle() }
      idle()
      return (read, readDone, write, writeDone)
    }
    let reading = Tally()
    let writing = Tally()
    let clashes = Tally()
    try await onThreads(6) { thread in
      for _ in 0..<100 {
        if thread < 4 {
          try read.blocking()
          reading.add()
          if writing.count > 0 { clashes.add() }
          reading.add(-1)
          readDone()
        } else {
          try write.blocking()
          if writing.add() > 1 || reading.count > 0 { clashes.add() }
          writing.add(-1)
          writeDone()
        }
      }
    }
    #expect(clashes.count == 0)
  }

  @Test(arguments: Run.setups)
  func `a bounded buffer`(setup: Setup) async throws {
    let capacity = 3
    let (put, get) = Soup.define("bounded buffer", with: .init(matcher: setup.matcher)) { soup in
      let free = soup.slow("free")
      let item = soup.slow("item", of: Int.self)
      let put = soup.fast("put", of: Int.self, returning: Void.self)
      let get = soup.fast("get", returning: Int.self)
      soup.react(put, free, on: setup.placement) { call, _ in
        item(call.input)
        call.reply()
      }
      soup.react(get, item, on: setup.placement) { call, value in
        free()
        call.reply(value)
      }
      for _ in 0..<capacity { free() }
      return (put, get)
    }
    let count = 300
    let ledger = Ledger(capacity: 2 * count)
    let ahead = Tally()
    let overflows = Tally()
    try await onThreads(4) { thread in
      for _ in 0..<count {
        if thread < 2 {
          try put.blocking(ledger.issue()!)
          // Those that have put and not yet counted are two, those that have got and not counted two more.
          if ahead.add() > capacity + 4 { overflows.add() }
        } else {
          ledger.consume(try get.blocking())
          ahead.add(-1)
        }
      }
    }
    #expect(ledger.outstanding == 0)
    #expect(ledger.duplicates == 0)
    #expect(overflows.count == 0)
  }
}
