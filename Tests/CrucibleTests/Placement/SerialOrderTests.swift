import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Dispatch
import Synchronization
import Testing

/// A place that runs one body at a time begins one injector's molecules of one name in their order, whichever thread
/// reserved them.
@Suite(.watched, .serialized)
struct `A serial place` {
  /// From four threads, of which each reserves what another one may have injected.
  @Test(arguments: matchers, SerialPlace.all)
  func `A serial place begins each thread's molecules of a name in their order`(
    matcher: Soup.Matcher, place: SerialPlace
  ) async throws {
    let begun = Log<Piece>()
    let (a, control) = Soup.define("serial", with: .init(matcher: matcher)) { soup in
      let a = soup.slow("a", of: Piece.self)
      place.react(soup, a) { begun.append($0) }
      return (a, soup.control)
    }
    Watchdog.watch(control)
    let count = scaled(2000)
    try await onThreads(4) { thread in
      for number in 0..<count { a(Piece(injector: thread, number: number)) }
    }
    await control.settle()
    let all = begun.all
    #expect(all.count == 4 * count)
    for thread in 0..<4 {
      let own = all.filter { $0.injector == thread }.map(\.number)
      #expect(inversions(own) == 0, "thread \(thread)")
    }
  }

  @Test(arguments: matchers, SerialPlace.all)
  func `A serial place begins waiting molecules in their order, though another thread lets them react`(
    matcher: Soup.Matcher, place: SerialPlace
  ) async throws {
    let begun = Log<Piece>()
    let (a, control) = Soup.define("resumed", with: .init(matcher: matcher)) { soup in
      let a = soup.slow("a", of: Piece.self)
      place.react(soup, a) { begun.append($0) }
      for number in 0..<5 { a(Piece(injector: 0, number: number)) }
      return (a, soup.control)
    }
    Watchdog.watch(control)
    await control.settle()
    control.pause()
    for number in 5..<20 { a(Piece(injector: 0, number: number)) }
    await place.perform { control.resume() }
    for number in 20..<25 { a(Piece(injector: 0, number: number)) }
    await control.settle()
    #expect(begun.all.map(\.number) == Array(0..<25))
  }

  @Test(arguments: matchers, SerialPlace.all)
  func `A call that waits for a serial place gets its reply, or is withdrawn at its deadline`(
    matcher: Soup.Matcher, place: SerialPlace
  ) async throws {
    let (busy, leave) = (Gate(), Gate())
    let begun = Log<Int>()
    let clock = ManualClock()
    let (block, ask, control) = Soup.define("busy", with: .init(matcher: matcher, clock: clock)) { soup in
      let block = soup.slow("block", of: Piece.self)
      let ask = soup.fast("ask", of: Int.self, returning: Int.self)
      place.react(soup, block) { _ in
        busy.open()
        leave.waitBlocking()
      }
      place.react(soup, ask) { call in
        if call.isAwaited { begun.append(call.input) }
        call.reply(call.input + 1)
      }
      return (block, ask, soup.control)
    }
    Watchdog.watch(control)
    block(Piece(injector: 0, number: 0))
    await busy.wait()
    #expect(await clock.expire { await ask.outcome(1, within: $0) } == .failure(.timedOut))
    let answer = Task { try await ask(2) }
    // The firing of the call that timed out waits for the place. On `claim` the second call takes that call out of the
    // soup, and the firing takes the second one. So one firing waits for each call that is still there.
    while control.explain().reactions.reduce(0, { $0 + $1.placed }) + Int(control.snapshot().withdrawn) < 2 {
      await Task.yield()
    }
    leave.open()
    #expect(try await answer.value == 3)
    await control.settle()
    #expect(begun.all == [2])
    #expect(control.snapshot()[ask] == 0)
  }
}

struct Piece: Sendable {
  let injector, number: Int
}

private func inversions(_ numbers: [Int]) -> Int { zip(numbers, numbers.dropFirst()).filter { $0 > $1 }.count }

/// A place that runs one body at a time, with synchronous or `async` bodies.
struct SerialPlace: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let reactSlow: @Sendable (Soup, Injector<Piece>, @escaping @Sendable (Piece) -> Void) -> Void
  let reactFast: @Sendable (Soup, FastInjector<Int, Int>, @escaping @Sendable (Call<Int, Int>) -> Void) -> Void
  /// Runs something on the place.
  let perform: @Sendable (@escaping @Sendable () -> Void) async -> Void
}

extension SerialPlace {
  func react(_ soup: Soup, _ name: Injector<Piece>, _ body: @escaping @Sendable (Piece) -> Void) {
    reactSlow(soup, name, body)
  }
  func react(
    _ soup: Soup, _ name: FastInjector<Int, Int>, _ body: @escaping @Sendable (Call<Int, Int>) -> Void
  ) {
    reactFast(soup, name, body)
  }

  static let all = [
    placed("queue", .queue(queue)) { work in
      await withUnsafeContinuation { done in
        queue.async {
          work()
          done.resume()
        }
      }
    },
    placed("loop", .loop(loop), performOnLoop), suspending("loop, async", .loop(loop), performOnLoop),
    suspending("queue, async", .queue(queue)) { $0() },
    isolated("actor", DefaultTeller()), isolated("actor with an executor", CustomTeller()),
    SerialPlace(
      testDescription: "main", reactSlow: { soup, name, body in soup.react(name, on: .main) { value in body(value) } },
      reactFast: { soup, name, body in soup.react(name, on: .main) { value in body(value) } },
      perform: { work in await MainActor.run { work() } }),
    SerialPlace(
      testDescription: "main, async",
      reactSlow: { soup, name, body in
        soup.react(name, on: .main) { (item: Piece) in
          body(item)
          await Task.yield()
        }
      },
      reactFast: { soup, name, body in
        soup.react(name, on: .main) { call in
          body(call)
          await Task.yield()
        }
      }, perform: { work in await MainActor.run { work() } }),
  ]

  private static let queue = DispatchQueue(label: "serial")
  private static let loop = ThreadLoop()

  private static let performOnLoop: @Sendable (@escaping @Sendable () -> Void) async -> Void = { work in
    await withUnsafeContinuation { done in
      loop.run {
        work()
        done.resume()
      }
    }
  }

  private static func placed(
    _ description: String, _ place: Placement,
    _ perform: @escaping @Sendable (@escaping @Sendable () -> Void) async -> Void
  ) -> SerialPlace {
    SerialPlace(
      testDescription: description, reactSlow: { soup, name, body in soup.react(name, on: place) { body($0) } },
      reactFast: { soup, name, body in soup.react(name, on: place) { body($0) } }, perform: perform)
  }

  private static func suspending(
    _ description: String, _ place: Placement,
    _ perform: @escaping @Sendable (@escaping @Sendable () -> Void) async -> Void
  ) -> SerialPlace {
    SerialPlace(
      testDescription: description,
      reactSlow: { soup, name, body in
        soup.react(name, on: place) { item in
          body(item)
          await Task.yield()
        }
      },
      reactFast: { soup, name, body in
        soup.react(name, on: place) { call in
          body(call)
          await Task.yield()
        }
      }, perform: perform)
  }

  private static func isolated<Isolation: Teller>(_ description: String, _ actor: Isolation) -> SerialPlace {
    SerialPlace(
      testDescription: description,
      reactSlow: { soup, name, body in soup.react(name, on: .actor(actor)) { _, item in body(item) } },
      reactFast: { soup, name, body in soup.react(name, on: .actor(actor)) { _, call in body(call) } },
      perform: { work in await actor.perform(work) })
  }
}

extension Teller {
  fileprivate func perform(_ work: @Sendable () -> Void) { work() }
}
