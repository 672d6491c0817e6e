import Crucible
import Glibc
import Testing

@testable import SharedSoups

@Suite struct `Shared control` {
  @Test(arguments: EngineKind.allCases)
  func `A molecule is there after its delay, and leaves after its expiry for the name that gets late ones`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("time", on: engine) { soup in
        let late = soup.slow("late", of: Payment.self)
        let order = soup.slow("order", of: Order.self, key: \.id)
        let payment = soup.slow("payment", of: Payment.self, key: \.order, expires: .seconds(100), into: late)
        let (paid, refunded) = (soup.slow("paid", of: Int.self), soup.slow("refunded", of: Int.self))
        soup.react(order, payment) { order, _ in paid(order.id) }
        soup.react(late) { payment in refunded(payment.order) }
        return (order: order, payment: payment, paid: paid, refunded: refunded, control: soup.control)
      }
      try await soup.payment.inject(contentsOf: [Payment(order: 1), Payment(order: 2)])
      try await soup.order(Order(id: 1), after: .seconds(50))
      try await soup.order(Order(id: 2), after: .seconds(200))
      try await soup.control.working {
        try await soup.control.settle()
        #expect(try await soup.control.snapshot().delayed == 2)
        #expect(try await soup.control.snapshot()["order"] == 0)
        try await advance(engine, by: .seconds(60), soup.control)
        try await eventually("order 1 is paid") { try await soup.control.waiting(soup.paid) == [1] }
        try await advance(engine, by: .seconds(60), soup.control)
        try await eventually("payment 2 is refunded") { try await soup.control.waiting(soup.refunded) == [2] }
        try await advance(engine, by: .seconds(100), soup.control)
        try await eventually("order 2 has no payment") { try await soup.control.snapshot()["order"] == 1 }
        try await soup.control.settle()
      }
      #expect(try await soup.control.waiting(soup.paid) == [1])
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A paused soup takes molecules and fires nothing; it goes on after a resume`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("pause", on: engine) { soup in
        let (a, b) = (soup.slow("a", of: Int.self), soup.slow("b", of: Int.self))
        soup.react(a) { a in b(a) }
        return (a: a, b: b, control: soup.control)
      }
      try await soup.control.pause()
      try await soup.control.working {
        try await eventually("the worker is there") { try await soup.control.snapshot().workers == 1 }
        try await soup.a(1)
        for _ in 1...20 {
          // Lets the worker look.
          try await advance(engine, by: .milliseconds(1), soup.control)
          let now = try await soup.control.snapshot()
          #expect(now["a"] == 1 && now["b"] == 0 && now.condition == .paused && now.reactions[0].running == 0)
        }
        try await soup.control.resume()
        try await eventually("it has fired") { try await soup.control.waiting(soup.b) == [1] }
      }
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A drain refuses molecules from outside, finishes the accepted work, and stops`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let gate = Gate()
      let soup = try await Soup.share("drain", on: engine) { soup in
        let (a, b, c) = (soup.slow("a", of: Int.self), soup.slow("b", of: Int.self), soup.slow("c", of: Int.self))
        soup.react(a) { a in
          await gate.pass()
          b(a)
        }
        soup.react(b) { b in c(b) }
        return (a: a, c: c, control: soup.control)
      }
      try await soup.control.working {
        try await soup.a(1)
        await eventually("a body runs") { await gate.arrived == 1 }
        let drain = Task { try await soup.control.drain(within: .seconds(60)) }
        try await eventually("it drains") { try await soup.control.snapshot().condition == .draining }
        let error = await #expect(throws: EngineError.self) { try await soup.a(2) }
        #expect(error?.kind == .stopped)
        await gate.open()
        let left = try await drain.value
        #expect(!left.isBusy && left["c"] == 1 && left["a"] == 0 && left.condition == .stopped)
        try await soup.control.resume()
        try await soup.a(3)
        try await eventually("the soup goes on") { try await soup.control.waiting(soup.c) == [1, 3] }
      }
      // Nobody works, so this drain finds no end.
      try await soup.a(4)
      #expect(try await soup.control.drain(within: .milliseconds(1)).isBusy)
      try await soup.control.resume()
      let cancelled = Task { try await soup.control.drain(within: .seconds(1000)) }
      try await eventually("it drains") { try await soup.control.snapshot().condition == .draining }
      cancelled.cancel()
      #expect(try await cancelled.value.condition == .stopped)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A worker that is cancelled lets its bodies end, and their outputs count`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let gate = Gate()
      let soup = try await Soup.share("end", on: engine) { soup in
        let (a, b) = (soup.slow("a", of: Int.self), soup.slow("b", of: Int.self))
        soup.react(a) { a in
          await gate.pass()
          b(a)
        }
        return (a: a, b: b, control: soup.control)
      }
      try await soup.a.inject(contentsOf: 1...10)
      let work = Task { try await soup.control.work(atOnce: 2) }
      await eventually("two bodies run") { await gate.arrived == 2 }
      work.cancel()
      await gate.open()
      try await work.value
      let now = try await soup.control.snapshot()
      #expect(now["a"] == 8 && now["b"] == 2 && now.workers == 0 && now.reactions[0].waiting == 0)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A worker whose firings were taken over begins again, and the engine refuses the late reports of its bodies`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let (first, attempts) = (Gate(), Box<Int>())
      let soup = try await Soup.share("fence", on: engine) { soup in
        let (a, b) = (soup.slow("a", of: Int.self), soup.slow("b", of: Int.self))
        soup.react(a) { a in
          await attempts.add(Firing.current.attempt)
          if Firing.current.attempt == 1 { await first.pass() }
          b(a * Firing.current.attempt)
        }
        return (a: a, b: b, control: soup.control)
      }
      try await soup.a(10)
      try await soup.control.working {
        await eventually("the body runs") { await first.arrived == 1 }
        // Another worker comes after the lease, without a body for this one's firing. The worker may just have extended
        // its lease; then another one comes later.
        let link = soup.control.link!
        var (others, next): ([Registration], _) = ([], ContinuousClock.now)
        try await eventually("it runs again") {
          if await attempts.count == 1 && ContinuousClock.now >= next {
            engine.store.clock.advance(by: Duration.seconds(20).nanoseconds)
            let worker = Int64(99 + others.count)
            others.append(try engine.store.register(worker, of: link.soup, offering: [], lease: 1_000_000_000))
            next = .now + .seconds(5)
          }
          return await attempts.count == 2
        }
        await first.open()
        try await soup.control.settle()
        withExtendedLifetime(others) {}
      }
      #expect(try await soup.control.waiting(soup.b) == [20])
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `An explanation says what a reaction lacks, and which one no worker offers`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("why", on: engine) { soup in
        let (a, b) = (soup.slow("a", of: Int.self), soup.slow("b", of: Int.self))
        soup.react(a, b) { _, _ in }
        return (a: a, b: b, control: soup.control)
      }
      try await soup.a(1)
      let text = try await soup.control.explain()
      #expect(text.contains("shared soup 'why', running: a 1, b 0"))
      #expect(text.contains("reaction a & b: no worker offers it; it lacks b"))
      try await soup.control.working {
        try await eventually("it is offered") {
          try await soup.control.explain().contains("reaction a & b: 1 worker offers it; it lacks b")
        }
      }
    }
  }

  @Test func `The numbers of shared soups are OpenMetrics text`() async throws {
    let soup = try await Soup.share("a \"shop\"", on: .memory()) { soup in
      let (a, b) = (soup.slow("a", of: Int.self), soup.slow("b", of: Int.self))
      soup.react(a) { a in b(a) }
      return (a: a, b: b, control: soup.control)
    }
    try await soup.control.working {
      try await soup.a.inject(contentsOf: 1...3)
      try await eventually("all have reacted") { try await soup.control.snapshot()["b"] == 3 }
      let text = SharedSnapshot.openMetrics([try await soup.control.snapshot()])
      for line in [
        "# TYPE crucible_shared_molecules_consumed counter", "# TYPE crucible_shared_workers gauge",
        #"crucible_shared_molecules_waiting{soup="a \"shop\"",name="b"} 3"#,
        #"crucible_shared_offers{soup="a \"shop\"",reaction="a"} 1"#,
        #"crucible_shared_molecules_consumed_total{soup="a \"shop\""} 3"#,
      ] { #expect(text.contains("\(line)\n"), "\(text)") }
      #expect(text.hasSuffix("\n# EOF\n"))
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `Molecules of the definition's scope are injected once, by the first definition`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      for _ in 1...2 {
        let soup = try await Soup.share("first", on: engine) { soup in
          let a = soup.slow("a", of: Int.self)
          soup.react(a) { _ in }
          a(1)
          return (a: a, control: soup.control)
        }
        #expect(try await soup.control.waiting(soup.a) == [1])
      }
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A definition that differs is refused, and a rolling one may add and drop reactions`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      func define(
        _ upgrade: Upgrade = .refused, others: Bool = false, joins: Bool
      ) async throws -> SharedSoup<(a: InnerInjector<Int>, b: InnerInjector<Int>, control: SharedControl)> {
        try await Soup.share("versions", on: engine, upgrade: upgrade) { soup in
          let (a, b) = (soup.slow("a", of: Int.self), soup.slow("b", of: Int.self))
          let out = soup.slow("out", of: Int.self)
          if others { _ = soup.slow("other", of: Int.self) }
          if joins {
            soup.react(a, b, retry: .upTo(5, backoff: .seconds(1000))) { _, _ in throw Refused() }
          } else {
            soup.react(a) { a in out(a) }
            soup.react(b) { b in out(b) }
          }
          return (a: a, b: b, control: soup.control)
        }
      }
      let old = try await define(joins: true)
      try await old.a(1)
      try await old.b(2)
      try await old.control.working {
        try await eventually("the body has thrown") { try await old.control.snapshot().reactions[0].waiting == 1 }
      }
      let error = await #expect(throws: EngineError.self) { try await define(joins: false) }
      #expect(error?.kind == .differs)
      #expect(error?.description.contains("it has no reaction a & b; it adds the reaction a") == true)
      _ = try await define(.rolling, others: true, joins: false)
      #expect(try await old.control.snapshot()["a"] == 0, "a process with the reaction may come back")
      engine.store.clock.advance(by: memoryOfReactions)
      let new = try await define(.rolling, joins: false)
      #expect(try await new.control.snapshot()["a"] == 1, "the inputs of the retry are back in their bags")
      try await new.control.working { try await new.control.settle() }
      #expect(try await new.control.snapshot()["out"] == 2)
    }
  }

  @Test func `A mistake in the definition ends the process, and says soup, molecule and line`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try await Soup.share("shop", on: Engine.memory()) { soup in
        let order = soup.slow("order", of: Order.self, key: \.id)
        let payment = soup.slow("payment", of: Payment.self)
        soup.react(order, payment) { _, _ in }
        return order
      }
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    for part in ["shared soup 'shop' (SharedSoupsTests/ControlTests.swift:", "molecule 'payment'", "keys of one type"] {
      #expect(message.contains(part), "\(message)")
    }
  }

  @Test func `A name of the definition that is called outside of a body ends the process`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let box = Box<InnerInjector<Int>>()
      _ = try await Soup.share("shop", on: Engine.memory()) { soup in
        let a = soup.slow("a", of: Int.self)
        soup.react(a) { _ in }
        Task { await box.add(a) }
        return a
      }
      await eventually("the name has left") { await box.count == 1 }
      await box.values[0](1)
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains("molecule 'a'") && message.contains("no body of this soup runs here"), "\(message)")
  }

  @Test(arguments: EngineKind.allCases)
  func `A soup may return one name, or its control alone`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let done = Box<Int>()
      func define(_ soup: SharedDefinition) -> InnerInjector<Int> {
        let a = soup.slow("a", of: Int.self)
        soup.react(a) { a in await done.add(a) }
        return a
      }
      let control = try await Soup.share("one", on: engine) { soup in
        _ = define(soup)
        return soup.control
      }
      let a = try await Soup.share("one", on: engine) { soup in define(soup) }
      try await a(7)
      try await control.working { try await control.settle() }
      #expect(await done.values == [7])
    }
  }

  @Test func `An acknowledged molecule is there when the file is opened again`() async throws {
    try await withFolder { folder in
      for round in 1...2 {
        let engine = try await Engine.sqlite("\(folder)/a folder's soup.db")
        let soup = try await Soup.share("file", on: engine) { soup in
          let (a, total) = (soup.slow("a", of: Int.self), soup.state("total", 0))
          let read = soup.fast("read", returning: Int.self)
          soup.react(state: total, a) { total, a in total += a }
          soup.react(state: total, read) { total, call in call.reply(total) }
          return (a: a, read: read, control: soup.control)
        }
        try await soup.a(round)
        try await soup.control.working {
          try await soup.control.settle()
          let total = try await soup.read()
          #expect(total == [1, 3][round - 1])
        }
      }
    }
  }

  @Test func `A full disk refuses molecules, keeps those that were acknowledged, and takes others later`() async throws
  {
    await #expect(processExitsWith: .success) {
      try await withFolder { folder in
        let soup = try await Soup.share("full", on: .sqlite("\(folder)/soup.db", durability: .normal)) { soup in
          let (a, b) = (soup.slow("a", of: Int.self), soup.slow("b", of: Int.self))
          soup.react(a) { a in b(a) }
          return (a: a, b: b, control: soup.control)
        }
        // A limit for the size of files stands for the size of the disk.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        let all = limit
        limit.rlim_cur = 500_000
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        var count = 0
        let error = await #expect(throws: EngineError.self) {
          while true {
            try await soup.a(count)
            count += 1
          }
        }
        #expect(error?.kind == .system && count > 10)
        limit = all
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #expect(try await soup.control.waiting(soup.a, limit: 1_000_000) == Array(0..<count))
        try await soup.a(count)
        try await soup.control.working { try await soup.control.settle() }
        #expect(try await soup.control.waiting(soup.b, limit: 1_000_000).sorted() == Array(0...count))
      }
    }
  }

  @Test func `After a restart of the machine the clock goes on, also if the time of day was set back`() throws {
    let boot = try SoupClock.Machine.now().boot
    #expect(boot.count == 36 && boot.allSatisfy { $0.isHexDigit || $0 == "-" })
    let clock = SoupClock()
    let machine = SoupClock.Machine(boot: "one", sinceBoot: 1000, timeOfDay: 5000)
    #expect(clock.begin(machine, stored: nil) == 4000)
    #expect(clock.begin(machine, stored: ("one", 4321, 6000)) == 4321)
    #expect(clock.begin(machine, stored: ("zero", 4321, 4900)) == 4000)
    #expect(clock.begin(machine, stored: ("zero", 4321, 9000)) == 8000, "no time is in the past of what was stored")
  }

  @Test func `Inputs of a firing are the same after they are stored`() {
    let molecules = [
      Molecule(name: 1, key: "ké\0y", id: -3, value: [], call: nil, expires: nil),
      Molecule(name: 2, key: "", id: .max, value: [0, 255], call: ClientID(client: -9, number: 7), expires: 0),
    ]
    #expect([Molecule](bytes: molecules.bytes) == molecules)
    #expect([Molecule](bytes: [Molecule]().bytes) == [])
  }
}
