import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Dispatch
import Testing

@Suite(.watched)
struct `Steps that can be cancelled` {
  @Test(arguments: matchers)
  func `Steps that can be cancelled go on to their end`(matcher: Matcher) async throws {
    let steps = Cancelable(from: 0, options: .init(matcher: matcher)) { number in
      number += 1
      return number < 10
    }
    #expect(try await steps.result() == 10)
    #expect(try await steps.cancel() == 10)
    #expect(try await steps.partial() == 10)
    #expect(try await onThread { try steps.result.blocking() } == 10)
    await steps.control.expectRest(["over 1", "progress 1"])
    #expect(steps.control.warnings == [])
  }

  @Test(arguments: matchers)
  func `Steps that can be cancelled end between two of them`(matcher: Matcher) async throws {
    let (begun, mayGoOn) = (Gate(), Gate())
    let steps = Cancelable(from: 0, options: .init(matcher: matcher)) { number in
      number += 1
      if number == 3 {
        begun.open()
        await mayGoOn.wait()
      }
      return true
    }
    await begun.wait()
    let cancel = Task { try await steps.cancel() }
    let result = Task { try await steps.result() }
    await steps.control.expectWaiting(2)
    mayGoOn.open()
    let taken = try await cancel.value
    #expect(taken >= 3)
    #expect(try await steps.partial() == taken)
    #expect(try await result.value == nil)
    #expect(try await steps.cancel() == taken)
    await steps.control.expectRest(["cancelled 1", "progress 1"])
  }

  @Test(arguments: matchers)
  func `Callers of steps that give up leave nothing behind`(matcher: Matcher) async throws {
    let (begun, mayGoOn, clock) = (Gate(), Gate(), ManualClock())
    let steps = Cancelable(from: 0, options: .init(matcher: matcher, clock: clock)) { _ in
      begun.open()
      await mayGoOn.wait()
      return false
    }
    await begun.wait()
    let (control, call) = (steps.control, Waiter.calling(steps.result, ()))
    let before = control.contents
    for form in CallForm.allCases { #expect(await clock.expire { await call($0, form) } == .timedOut) }
    let caller = Task { await call(nil, .suspending) }
    await control.expectWaiting(1)
    caller.cancel()
    #expect(await caller.value == .cancelled)
    #expect(control.contents == before)
    mayGoOn.open()
    await control.expectRest(["over 1", "progress 1"])
  }

  @Test(arguments: matchers)
  func `Steps that throw end with the error`(matcher: Matcher) async throws {
    let steps = Cancelable(from: 0, options: .init(matcher: matcher)) { number in
      number += 1
      if number == 3 { throw Fault() }
      return true
    }
    await #expect(throws: CallError.failed(Fault())) { try await steps.result() }
    #expect(try await steps.cancel() == 2)
  }

  @Test(arguments: matchers)
  func `Steps rest while they are paused, and end when they are stopped`(matcher: Matcher) async throws {
    let taken = Tally()
    let steps = Cancelable(from: 0, options: .init(matcher: matcher)) { number in
      number = taken.add()
      return true
    }
    while taken.count < 100 { await Task.yield() }
    steps.control.pause()
    await steps.control.settle()
    let before = taken.count
    let cancel = Task { try await steps.cancel() }
    await steps.control.callers(1)
    #expect(taken.count == before)
    steps.control.resume()
    #expect(try await cancel.value >= before)
    #expect(try await steps.result() == nil)

    let endless = Cancelable(from: 0, options: .init(matcher: matcher)) { _ in true }
    #expect(await endless.control.stop(within: patience).isQuiet)
    await #expect(throws: CallError.stopped) { try await endless.cancel() }
  }

  @Test(arguments: matchers)
  func `Steps give way to other work of their thread`(matcher: Matcher) async throws {
    let queue = DispatchQueue(label: "other work")
    let hasRun = Gate()
    let steps = Cancelable(from: 0, options: .init(matcher: matcher, placement: .queue(queue))) { number in
      if number == 0 { queue.async { hasRun.open() } }
      number += 1
      return !hasRun.isOpen
    }
    #expect(try await steps.result() ?? 0 > 0)
  }

  @Test(arguments: matchers)
  func `A step has a task that is not cancelled, after one that has cancelled its own`(matcher: Matcher) async throws {
    let steps = Cancelable(from: 0, options: .init(matcher: matcher)) { number in
      if Task.isCancelled { throw Fault(number: number) }
      number += 1
      withUnsafeCurrentTask { $0!.cancel() }
      return number < 10
    }
    #expect(try await steps.result() == 10)
  }
}

@Suite(.watched)
struct `A switch` {
  @Test(arguments: matchers)
  func `A switch that ignores drops the requests that come while it is off`(matcher: Matcher) async throws {
    let (errors, log) = (Log<Fault>(), Log<Int>())
    let options = Soup.Options(matcher: matcher, onError: { errors.append($0.error as! Fault) })
    let button = Switch(ignoring: true, options: options)
    for round in 0..<10 {
      #expect(button.request { log.append(-1) })
      await button.control.settle()
      try await button.turnOn()
      #expect(button.request { log.append(round) } && button.request { throw Fault() })
      await button.control.settle()
      try await button.turnOff()
    }
    #expect(log.all == Array(0..<10) && errors.count == 10)
    await button.control.expectRest(["off 1", "refused 1"])
    #expect(button.control.warnings == [])
  }
}
