import Crucible
import Testing

@testable import SharedSoups

@Suite struct `Shared calls` {
  @Test(arguments: EngineKind.allCases)
  func `A call gets the reply, the error of the body, or neverReplied`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("calls", on: engine) { soup in
        let half = soup.fast("half", of: Int.self, returning: Int.self)
        soup.react(half, retry: .never) { call in
          switch call.input {
          case 0: throw Refused()
          case 1: return
          case 2: call.fail(Refused())
          default: call.reply(call.input / 2)
          }
        }
        return (half: half, control: soup.control)
      }
      try await soup.control.working {
        let half = soup.half
        let four = try await half(8)
        #expect(four == 4)
        let refused = CallError.failed(RemoteError(description: "refused"))
        await #expect(throws: refused) { try await half(0) }
        await #expect(throws: CallError.neverReplied) { try await half(1) }
        await #expect(throws: refused) { try await half(2) }
        await withTaskGroup { group in
          for n in 3..<203 { group.addTask { #expect((try? await half(n)) == n / 2) } }
        }
      }
      #expect(try await soup.control.snapshot().deadLetters == 1)
      #expect(try await soup.control.snapshot().calls == 0)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A call that is out of time, or whose task is cancelled, takes its molecule back`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("calls", on: engine) { soup in
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        soup.react(ask) { call in call.reply(call.input) }
        return (ask: ask, control: soup.control)
      }
      let ask = soup.ask
      await #expect(throws: CallError.timedOut) { try await ask(1, within: .milliseconds(1)) }
      let call = Task { try await ask(2) }
      try await eventually("the call waits") { try await soup.control.snapshot()["ask"] == 1 }
      call.cancel()
      await #expect(throws: CallError.cancelled) { try await call.value }
      let now = try await soup.control.snapshot()
      #expect(now["ask"] == 0 && now.calls == 0)
      let third = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await ask(3)
      }
      await #expect(throws: CallError.cancelled) { try await third.value }
      #expect(try await soup.control.snapshot()["ask"] == 0)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A reply to a caller that has given up injects what otherwise says, and only then`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let gate = Gate()
      let soup = try await Soup.share("buffer", on: engine) { soup in
        let take = soup.fast("take", of: Nothing.self, returning: Int.self)
        let full = soup.slow("full", of: Int.self)
        soup.react(take, full) { call, item in
          await gate.pass()
          call.reply(item, otherwise: { full(item) })
        }
        return (take: take, full: full, control: soup.control)
      }
      let take = soup.take
      try await soup.full(7)
      try await soup.control.working {
        let call = Task { try await take() }
        await eventually("the body has the call") { await gate.arrived == 1 }
        call.cancel()
        await #expect(throws: CallError.cancelled) { try await call.value }
        await gate.open()
        try await soup.control.settle()
        #expect(try await soup.control.waiting(soup.full) == [7])
        let item = try await take()
        #expect(item == 7)
        try await soup.control.settle()
      }
      #expect(try await soup.control.snapshot()["full"] == 0)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A stop ends the calls that wait, and later ones at once`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("calls", on: engine) { soup in
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        soup.react(ask) { call in call.reply(call.input) }
        return (ask: ask, control: soup.control)
      }
      let ask = soup.ask
      let call = Task { try await ask(1) }
      try await eventually("the call waits") { try await soup.control.snapshot()["ask"] == 1 }
      try await soup.control.stop()
      await #expect(throws: CallError.stopped) { try await call.value }
      await #expect(throws: CallError.stopped) { try await ask(2) }
      try await soup.control.resume()
      let three = try await soup.control.working { try await ask(3) }
      #expect(three == 3)
      try await soup.control.destroy()
      await #expect(throws: CallError.gone) { try await ask(4) }
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A thread may block for an acknowledgement and for a reply`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("calls", on: engine) { soup in
        let total = soup.state("total", 0)
        let add = soup.slow("add", of: Int.self)
        let read = soup.fast("read", of: Int.self, returning: Int.self)
        soup.react(state: total, add) { total, n in total += n }
        soup.react(state: total, read) { total, call in call.reply(total + call.input) }
        return (add: add, read: read, control: soup.control)
      }
      let (add, read) = (soup.add, soup.read)
      try await blocking {
        try add.blocking(1)
        #expect(try add.blocking(contentsOf: [2, 3], once: "a"))
        #expect(try !add.blocking(contentsOf: [2, 3], once: "a"))
        #expect(throws: CallError.timedOut) { try read.blocking(0, within: .milliseconds(1)) }
      }
      try await soup.control.working {
        try await soup.control.settle()
        try await blocking {
          let sum = try read.blocking(100)
          #expect(sum == 106)
        }
      }
    }
  }
}
