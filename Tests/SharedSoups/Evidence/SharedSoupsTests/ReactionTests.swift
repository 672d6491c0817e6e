import Crucible
import Testing

@testable import SharedSoups

@Suite struct `Shared reactions` {
  @MainActor @Test func `A soup may be defined and used on an actor`() async throws {
    let soup = try await Soup.share("main", on: .memory()) { soup in
      let a = soup.slow("a", of: Int.self)
      soup.react(a) { _ in }
      return (a: a, control: soup.control)
    }
    try await soup.a(1)
    #expect(try await soup.control.snapshot()["a"] == 1)
  }

  @Test(arguments: EngineKind.allCases)
  func `A reaction over two names consumes one molecule of each, and its outputs react in turn`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("pairs", on: engine) { soup in
        let (a, b) = (soup.slow("a", of: Int.self), soup.slow("b", of: Int.self))
        let sum = soup.slow("sum", of: Int.self)
        let square = soup.slow("square", of: Int.self)
        soup.react(a, b) { a, b in sum(a + b) }
        soup.react(sum) { sum in square(sum * sum) }
        return (a: a, b: b, square: square, control: soup.control)
      }
      try await soup.a.inject(contentsOf: 1...10)
      try await soup.b.inject(contentsOf: Array(repeating: 100, count: 9))
      try await soup.control.working { try await soup.control.settle() }
      let squares = try await soup.control.waiting(soup.square)
      #expect(squares.sorted() == (1...9).map { ($0 + 100) * ($0 + 100) }, "the oldest nine of 'a' have reacted")
      let now = try await soup.control.snapshot()
      #expect(now["a"] == 1 && now["b"] == 0 && now["sum"] == 0)
      #expect(now.consumed == 27)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `Molecules with keys react with those of their own key alone`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let shop = try await Soup.share("shop", on: engine) { soup in
        let order = soup.slow("order", of: Order.self, key: \.id)
        let payment = soup.slow("payment", of: Payment.self, key: \.order)
        let shipped = soup.slow("shipped", of: [Int].self)
        soup.react(order, payment) { order, payment in shipped([order.id, payment.order]) }
        return (order: order, payment: payment, shipped: shipped, control: soup.control)
      }
      try await shop.control.working {
        try await shop.order.inject(contentsOf: (0..<20).map { Order(id: $0) })
        try await shop.payment.inject(contentsOf: (10..<30).reversed().map { Payment(order: $0) })
        try await shop.control.settle()
      }
      let shipped = try await shop.control.waiting(shop.shipped)
      #expect(Set(shipped) == Set((10..<20).map { [$0, $0] }) && shipped.count == 10)
      #expect(try await shop.control.snapshot()["order"] == 10)
      // Several of one key, all there before a worker looks.
      try await shop.payment.inject(contentsOf: [1, 2, 1, 1].map { Payment(order: $0) })
      try await shop.order.inject(contentsOf: [1, 1].map { Order(id: $0) })
      try await shop.control.working { try await shop.control.settle() }
      #expect(
        try await shop.control.waiting(shop.shipped).dropFirst(10).sorted { $0[0] < $1[0] }
          == [1, 1, 1, 2].map { [$0, $0] })
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `Every task that injects at the same time as others has its molecules in the engine, or an error`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("many", on: engine) { soup in
        let a = soup.slow("a", of: Int.self)
        soup.react(a) { _ in }
        return (a: a, control: soup.control)
      }
      let a = soup.a
      try await withThrowingTaskGroup { group in
        for n in 0..<100 { group.addTask { try await a.inject(contentsOf: [n, n]) } }
        group.addTask { try await a.inject(contentsOf: Array(repeating: 100, count: 1500)) }
        try await group.waitForAll()
      }
      let waiting = try await soup.control.waiting(a, limit: 1_000_000)
      #expect(waiting.sorted() == (0..<100).flatMap { [$0, $0] } + Array(repeating: 100, count: 1500))
      try await soup.control.stop()
      let refused = await withTaskGroup { group in
        for n in 0..<50 {
          group.addTask {
            do { try await a(n) } catch let error as EngineError { return error.kind == .stopped } catch {}
            return false
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(refused == 50)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `Keys may be any text, and an empty one is a key`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("keys", on: engine) { soup in
        let (a, b) = (soup.slow("a", of: String.self, key: \.self), soup.slow("b", of: String.self, key: \.self))
        let both = soup.slow("both", of: [String].self)
        soup.react(a, b) { a, b in both([a, b]) }
        return (a: a, b: b, both: both, control: soup.control)
      }
      // The two forms of é are equal for Swift, and two keys all the same.
      let keys = ["", "\0", "\0x", "x\0y", "\u{e9}", "e\u{301}", "'", "\"", "ключ"]
      try await soup.a.inject(contentsOf: keys)
      try await soup.b.inject(contentsOf: keys.reversed())
      try await soup.control.working { try await soup.control.settle() }
      func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }
      let both = try await soup.control.waiting(soup.both).map(bytes)
      #expect(both.count == keys.count && Set(both) == Set(keys.map { bytes([$0, $0]) }))
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A name twice in a pattern takes two molecules`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("twice", on: engine) { soup in
        let (half, whole) = (soup.slow("half", of: Int.self), soup.slow("whole", of: Int.self))
        soup.react(half, half) { a, b in whole(a * 10 + b) }
        return (half: half, whole: whole, control: soup.control)
      }
      try await soup.half.inject(contentsOf: 1...5)
      try await soup.control.working(atOnce: 1) { try await soup.control.settle() }
      #expect(try await soup.control.waiting(soup.whole) == [12, 34])
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A body that throws leaves no outputs, and runs again with the same id after its backoff`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let ids = Box<Firing>()
      let soup = try await Soup.share("retry", on: engine) { soup in
        let (job, done) = (soup.slow("job", of: Int.self), soup.slow("done", of: Int.self))
        soup.react(job, retry: .upTo(2, backoff: .seconds(10))) { job in
          await ids.add(Firing.current)
          done(job)
          if Firing.current.attempt < 3 { throw Refused() }
        }
        return (job: job, done: done, control: soup.control)
      }
      try await soup.control.working {
        try await soup.job(7)
        for attempt in 1...3 {
          try await eventually("attempt \(attempt) has been reported") {
            // In this order: a firing runs from before its body until after its report.
            guard await ids.count == attempt else { return false }
            return try await soup.control.snapshot().reactions[0].running == 0
          }
          #expect(try await soup.control.snapshot()["done"] == (attempt == 3 ? 1 : 0))
          try await advance(engine, by: .seconds(30), soup.control)
        }
      }
      let firings = await ids.values
      #expect(Set(firings.map(\.id)).count == 1 && firings.map(\.attempt) == [1, 2, 3])
      #expect(try await soup.control.snapshot().deadLetters == 0)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A firing that failed too often is a dead letter, until it is retried or discarded`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let isFixed = Flag()
      let soup = try await Soup.share("dead", on: engine) { soup in
        let (job, done) = (soup.slow("job", of: Int.self), soup.slow("done", of: Int.self))
        soup.react(job, retry: .never) { job in
          if !isFixed.isSet { throw Refused() }
          done(job)
        }
        return (job: job, done: done, control: soup.control)
      }
      try await soup.control.working {
        try await soup.job.inject(contentsOf: [7, 8])
        try await eventually("both are dead letters") { try await soup.control.snapshot().deadLetters == 2 }
        let letters = try await soup.control.deadLetters().sorted { $0.inputs[0].value < $1.inputs[0].value }
        #expect(letters[0].reaction == "job" && letters[0].attempts == 1 && letters[0].error == "refused")
        #expect(letters[0].inputs[0] == (label: "job", value: "7"))
        isFixed.set()
        #expect(try await letters[0].retry())
        #expect(try await !letters[0].retry(), "it is gone")
        #expect(try await letters[1].discard())
        try await soup.control.settle()
      }
      #expect(try await soup.control.waiting(soup.done) == [7])
      #expect(try await soup.control.deadLetters().isEmpty)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A body that outlives its limit counts as one that has thrown, and its outputs are lost`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let (gate, wasCancelled) = (Gate(), Flag())
      let soup = try await Soup.share("slow", on: engine) { soup in
        let (job, done) = (soup.slow("job", of: Int.self), soup.slow("done", of: Int.self))
        soup.react(job, retry: .never, within: .milliseconds(1)) { job in
          done(job)
          await withTaskCancellationHandler {
            await gate.pass()
          } onCancel: {
            wasCancelled.set()
          }
        }
        return (job: job, done: done, control: soup.control)
      }
      try await soup.control.working {
        try await soup.job(1)
        try await eventually("the firing is a dead letter") { try await soup.control.snapshot().deadLetters == 1 }
        await eventually("the body is cancelled") { wasCancelled.isSet }
        await gate.open()
      }
      #expect(try await soup.control.snapshot()["done"] == 0)
      #expect(try await soup.control.deadLetters()[0].error.contains("took longer than"))
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A state has one copy, and bodies that throw leave it as it was`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("state", on: engine) { soup in
        let total = soup.state("total", [0, 0])
        let add = soup.slow("add", of: Int.self)
        let read = soup.fast("read", of: Nothing.self, returning: [Int].self)
        soup.react(state: total, add, retry: .never) { total, n in
          total[0] += n
          total[1] += 1
          if n % 10 == 0 { throw Refused() }
        }
        soup.react(state: total, read) { total, call in call.reply(total) }
        return (add: add, read: read, control: soup.control)
      }
      try await soup.add.inject(contentsOf: 1...100)
      try await soup.control.working {
        try await soup.control.settle()
        let total = try await soup.read()
        #expect(total == [5050 - 550, 90])
      }
      #expect(try await soup.control.snapshot().deadLetters == 10)
      #expect(try await soup.control.snapshot()["total"] == 1)
    }
  }
}
