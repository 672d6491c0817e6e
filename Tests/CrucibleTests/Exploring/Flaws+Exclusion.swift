import Crucible
import CrucibleTesting
import Testing

/// One lock, by the chemistry of Recipes.
private func makeLock() -> (enter: FastInjector<Void, Void>, leave: Injector<Void>) {
  Soup.define("lock") { soup in
    let enter = soup.fast("enter", returning: Void.self)
    let permit = soup.slow("permit")
    soup.react(enter, permit) { call, _ in if !call.reply() { permit() } }
    permit()
    return (enter, permit)
  }
}

/// Mutual exclusion, shared resources, and callers that wait for each other.
extension Flaw {
  static let exclusion: [Flaw] = [
    Flaw("A counter is read and written by two calls", steps: 11) { world, isRight in
      let (get, set, add) = Soup.define("counter") { soup in
        let count = soup.state("count", 0)
        let get = soup.fast("get", returning: Int.self)
        let set = soup.fast("set", of: Int.self, returning: Void.self)
        let add = soup.fast("add", of: Int.self, returning: Void.self)
        soup.react(state: count, get) { count, call in call.reply(count) }
        soup.react(state: count, set) { count, call in
          count = call.input
          call.reply()
        }
        soup.react(state: count, add) { count, call in
          count += call.input
          call.reply()
        }
        return (get, set, add)
      }
      for name in ["a", "b"] {
        world.task(name) { if isRight { try await add(1) } else { try await set(try await get() + 1) } }
      }
      await world.quiet()
      let got = try await get()
      #expect(got == 2)
    },
    Flaw("A transfer is seen half done") { world, isRight in
      let (move, sum) = Soup.define("bank") { soup in
        let a = soup.state("a", 10)
        let b = soup.state("b", 0)
        let move = soup.fast("move", of: Int.self, returning: Void.self)
        let sum = soup.fast("sum", returning: Int.self)
        let deposit = soup.slow("deposit", of: Int.self)
        soup.react(state: a, move) { a, call in
          a -= call.input
          deposit(call.input)
          call.reply()
        }
        let arrive = soup.slow("arrive", of: Int.self)
        soup.react(deposit) { value in arrive(value) }
        soup.react(state: b, arrive) { b, value in b += value }
        soup.react(state: a, state: b, sum) { a, b, call in call.reply(a + b) }
        return (move, sum)
      }
      world.task("move") { if isRight { _ = try await sum() } else { try await move(3) } }
      world.task("reader") {
        let got = try await sum()
        #expect(got == 10)
      }
    },
    Flaw("A permit is lost with a caller that gave up") { world, isRight in
      let (enter, permit, control) = Soup.define("permit") { soup in
        let enter = soup.fast("enter", returning: Void.self)
        let permit = soup.slow("permit")
        soup.react(enter, permit, on: .inline) { call, _ in if !call.reply() && isRight { permit() } }
        return (enter, permit, soup.control)
      }
      let cell = Cell()
      world.task("leaving") { permit() }
      world.task("hurried") { cell.value = (try? await enter(within: .seconds(1))) == nil ? 0 : 1 }
      await world.quiet()
      #expect(control.snapshot()["permit"]! + cell.value == 1)
    },
    Flaw("A lock is released twice", steps: 12) { world, isRight in
      let (enter, leave) = makeLock()
      let inside = Cell()
      for name in ["a", "b", "c"] {
        world.task(name) {
          try await enter()
          inside.value += 1
          #expect(inside.value == 1)
          world.point()
          inside.value -= 1
          leave()
          if name == "a" && !isRight { leave() }  // on a path that handles an error, for example
        }
      }
    },
    Flaw("Philosophers take one fork after the other") { world, isRight in
      let (take, both, forks) = Soup.define("table") { soup in
        let forks = (0..<2).map { soup.slow("fork \($0)") }
        let take = (0..<2).map { soup.fast("take \($0)", returning: Void.self) }
        let both = soup.fast("both", returning: Void.self)
        for (take, fork) in zip(take, forks) { soup.react(take, fork) { call, _ in call.reply() } }
        soup.react(both, forks[0], forks[1]) { call, _, _ in call.reply() }
        for fork in forks { fork() }
        return (take, both, forks)
      }
      for seat in 0..<2 {
        world.task("philosopher \(seat)") {
          if isRight {
            try await both()
          } else {
            try await take[seat]()
            try await take[1 - seat]()
          }
          for fork in forks { fork() }
        }
      }
    },
    Flaw("A writer enters when it has seen no reader") { world, isRight in
      let (read, leave, write) = Soup.define("room") { soup in
        let readers = soup.state("readers", 0)
        let read = soup.fast("read", returning: Void.self)
        let leave = soup.slow("leave")
        let write = soup.fast("write", of: Cell.self, returning: Void.self)
        let seen = soup.slow("seen", of: Call<Cell, Void>.self)
        soup.react(state: readers, read) { readers, call in
          readers += 1
          call.reply()
        }
        soup.react(state: readers, leave) { readers, _ in readers -= 1 }
        soup.react(state: readers, write) { readers, call in
          if readers == 0 && !isRight {
            _ = seen(call)
            return
          }
          if readers == 0 { call.input.value += 1 }
          call.reply()
        }
        soup.react(seen) { call in
          call.input.value += 1
          call.reply()
        }
        return (read, leave, write)
      }
      let page = Cell()
      world.task("reader") {
        try await read()
        let seen = page.value
        world.point()
        #expect(page.value == seen)
        leave()
      }
      world.task("writer") { try await write(page) }
    },
    Flaw("A permit is taken after a look") { world, isRight in
      let (enter, control) = Soup.define("permit") { soup in
        let enter = soup.fast("enter", returning: Void.self)
        let permit = soup.slow("permit")
        soup.react(enter, permit, on: .inline) { call, _ in call.reply() }
        permit()
        return (enter, soup.control)
      }
      for name in ["a", "b"] {
        world.task(name) {
          if isRight {
            _ = try? await enter(within: .zero)
          } else if control.snapshot()["permit"]! > 0 {
            try await enter()
          }
        }
      }
    },
    Flaw("A worker takes the next job before it has ended one") { world, isRight in
      let busy = Cell()
      let (job, _) = Soup.define("workers") { soup in
        let job = soup.slow("job")
        let worker = soup.slow("worker")
        soup.react(job, worker) { _, _ in
          if !isRight { worker() }
          busy.value += 1
          #expect(busy.value == 1)
          world.point()
          busy.value -= 1
          if isRight { worker() }
        }
        worker()
        return (job, worker)
      }
      job()
      job()
      await world.quiet()
    },
    Flaw("A body that throws keeps its permit") { world, isRight in
      struct Broken: Error {}
      let (job, control) = Soup.define("pool", with: .init(onError: { _ in })) { soup in
        let job = soup.fast("job", returning: Void.self)
        let permit = soup.slow("permit")
        soup.react(job, permit) { call, _ in
          defer { if isRight { permit() } }
          throw Broken()
        }
        permit()
        return (job, soup.control)
      }
      world.task("caller") { _ = try? await job() }
      await world.quiet()
      #expect(control.snapshot()["permit"] == 1)
    },
    Flaw("A leader is elected twice") { world, isRight in
      let (lead, look) = Soup.define("election") { soup in
        let leader = soup.state("leader", 0)
        let vacant = soup.slow("vacant")
        let lead = soup.fast("lead", of: Int.self, returning: Bool.self)
        let look = soup.fast("look", returning: Int.self)
        soup.react(state: leader, look) { leader, call in call.reply(leader) }
        if isRight {
          soup.react(lead, vacant) { call, _ in call.reply(true) }
          vacant()
        } else {
          soup.react(state: leader, lead, vacant) { leader, call, _ in
            leader = call.input
            call.reply(true)
            vacant()
          }
          vacant()
        }
        return (lead, look)
      }
      let leaders = Cell()
      for id in [1, 2] {
        world.task("candidate \(id)") {
          if isRight {
            if (try? await lead(id, within: .seconds(1))) == true { leaders.value += 1 }
          } else if try await look() == 0, try await lead(id) {
            leaders.value += 1
          }
        }
      }
      await world.quiet()
      #expect(leaders.value <= 1)
    },
    Flaw("A body asks for the state that it has") { world, isRight in
      let ask = Soup.define("asker") { soup in
        let state = soup.state("state", 1)
        let get = soup.fast("get", returning: Int.self)
        let ask = soup.fast("ask", returning: Int.self)
        soup.react(state: state, get) { state, call in call.reply(state) }
        soup.react(state: state, ask) { state, call in call.reply(isRight ? state : try get.blocking()) }
        return ask
      }
      world.task("caller") {
        let got = try await ask()
        #expect(got == 1)
      }
    },
    Flaw("Two soups ask each other") { world, isRight in
      let pass = Soup.define("soup") { soup in
        let a = soup.state("a", 1)
        let b = soup.state("b", 2)
        let fromA = soup.fast("from a", returning: Int.self)
        let fromB = soup.fast("from b", returning: Int.self)
        let getA = soup.fast("get a", returning: Int.self)
        let getB = soup.fast("get b", returning: Int.self)
        soup.react(state: a, getA) { a, call in call.reply(a) }
        soup.react(state: b, getB) { b, call in call.reply(b) }
        soup.react(state: a, fromA) { a, call in call.reply(isRight ? a + 2 : a + (try getB.blocking())) }
        soup.react(state: b, fromB) { b, call in call.reply(isRight ? b + 1 : b + (try getA.blocking())) }
        return [fromA, fromB]
      }
      for (name, call) in zip(["a", "b"], pass) {
        world.task(name) {
          let got = try await call()
          #expect(got == 3)
        }
      }
    },
    Flaw("A closed door lets one more in") { world, isRight in
      let (close, enter, isClosed) = Soup.define("door") { soup in
        let closed = soup.state("closed", false)
        let close = soup.fast("close", returning: Void.self)
        let enter = soup.fast("enter", returning: Bool.self)
        let isClosed = soup.fast("is closed", returning: Bool.self)
        soup.react(state: closed, isClosed) { closed, call in call.reply(closed) }
        soup.react(state: closed, close) { closed, call in
          closed = true
          call.reply()
        }
        soup.react(state: closed, enter) { closed, call in call.reply(!closed || !isRight) }
        return (close, enter, isClosed)
      }
      let hasClosed = Cell()
      world.task("guest") {
        if try await !isClosed(), try await enter() { #expect(isRight || hasClosed.value == 0) }
      }
      world.task("keeper") {
        try await close()
        hasClosed.value = 1
      }
    },
  ]
}
