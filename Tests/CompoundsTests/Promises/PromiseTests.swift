import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@Suite(.watched)
struct `A promise` {
  @Test(arguments: matchers)
  func `A promise may have work, and the end of the work settles it`(matcher: Matcher) async throws {
    let options = Soup.Options(matcher: matcher)
    let good = Promise(options: options) { 7 }
    let bad = Promise<Int>(options: options) { throw Fault() }
    #expect(try await good.value() == 7)
    await #expect(throws: CallError.failed(Fault())) { try await bad.value() }
    #expect(good.control.warnings == [])
    #expect(!good.fulfil(8))
    let early = Promise(options: options) {
      try await Task.sleep(for: patience)
      return 1
    }
    #expect(early.fulfil(2))
    #expect(try await early.value() == 2)
  }

  @Test(arguments: matchers)
  func `A promise hands its value or its error on to the promises that were made of it`(matcher: Matcher) async throws {
    let options = Soup.Options(matcher: matcher)
    let promise = Promise<Int>(options: options)
    let text = promise.then(options: options) { "\($0)" }
    let caught = promise.catch(options: options) { _ in -1 }
    let wrong = text.then(options: options) { (_: String) -> Int in throw Fault(number: 1) }
    let mended = wrong.catch(options: options) { error in (error as? Fault)?.number ?? 99 }
    promise.fulfil(7)
    #expect(try await text.value() == "7")
    #expect(try await caught.value() == 7)
    await #expect(throws: CallError.failed(Fault(number: 1))) { try await wrong.value() }
    #expect(try await mended.value() == 1)

    let rejected = Promise<Int>(options: options)
    let next = rejected.then(options: options) { $0 + 1 }
    let saved = rejected.catch(options: options) { error in (error as? Fault)?.number ?? 99 }
    rejected.reject(Fault(number: 5))
    await #expect(throws: CallError.failed(Fault(number: 5))) { try await next.value() }
    #expect(try await saved.value() == 5)
  }

  @Test(arguments: matchers)
  func `A promise without references leaves nothing behind, and cancels its work`(matcher: Matcher) async throws {
    let (wasCancelled, hasBegun) = (Gate(), Gate())
    do {
      let work = Promise(options: .init(matcher: matcher)) {
        hasBegun.open()
        do { try await Task.sleep(for: patience * 2) } catch { wasCancelled.open() }
      }
      await hasBegun.wait()
      _ = work
    }
    await wasCancelled.wait()
    let source = Promise<Int>(options: .init(matcher: matcher))
    do {
      let next = source.then(options: .init(matcher: matcher)) { $0 + 1 }
      await source.control.expectWaiting(1)
      _ = next
    }
    await source.control.expectWaiting(0)
    let (census, recovered) = (Census(), Tally())
    do {
      let next = source.catch(options: .init(matcher: matcher)) { [live = census.live()] _ in
        live.number + recovered.add()
      }
      await source.control.expectWaiting(1)
      _ = next
    }
    await census.expectExtinction()
    #expect(recovered.count == 0)
  }

  @Test(arguments: matchers, CallForm.allCases)
  func `A caller may await several promises, or the first of them`(matcher: Matcher, form: CallForm) async throws {
    let clock = ManualClock()
    let options = Soup.Options(matcher: matcher, clock: clock)
    let promises = (0..<3).map { _ in Promise<Int>(options: options) }
    @Sendable func all(_ promises: [Promise<Int>], within limit: Duration? = nil) async throws -> [Int] {
      try await form.perform {
        try await Promise.all(promises, within: limit)
      } blocking: {
        try Promise.blocking.all(promises, within: limit)
      }
    }
    @Sendable func first(of promises: [Promise<Int>], within limit: Duration? = nil) async throws -> Int {
      try await form.perform {
        try await Promise.first(of: promises, within: limit)
      } blocking: {
        try Promise.blocking.first(of: promises, within: limit)
      }
    }
    let allOfThem = Task { try await all(promises) }
    let theFirst = Task { try await first(of: promises) }
    for promise in promises { await promise.control.expectWaiting(2) }
    promises[1].fulfil(1)
    #expect(try await theFirst.value == 1)
    for index in [0, 2] { await promises[index].control.expectWaiting(1) }
    promises[2].fulfil(2)
    promises[0].fulfil(0)
    #expect(try await allOfThem.value == [0, 1, 2])
    #expect(try await all([]) == [])
    #expect(try await all([promises[1], promises[1]]) == [1, 1])
    #expect(try await first(of: [promises[2], promises[2]]) == 2)

    let (open, rejected) = (Promise<Int>(options: options), Promise<Int>(options: options))
    rejected.reject(Fault(number: 3))
    await #expect(throws: Fault(number: 3)) { try await all([open, rejected]) }
    await #expect(throws: Fault(number: 3)) { try await first(of: [open, rejected]) }
    await #expect(throws: CallError.timedOut) { try await clock.expire { try await all([open], within: $0) } }
    await #expect(throws: CallError.timedOut) { try await clock.expire { try await first(of: [open], within: $0) } }
    await open.control.expectRest([])
  }

  @Test(arguments: matchers)
  func `A promise says whether it is settled, and with which result`(matcher: Matcher) async throws {
    let options = Soup.Options(matcher: matcher)
    let (kept, broken) = (Promise<Int>(options: options), Promise<Int>(options: options))
    #expect(!kept.isSettled && kept.result == nil)
    kept.fulfil(7)
    broken.reject(Fault(number: 1))
    #expect(kept.isSettled && broken.isSettled)
    #expect(try kept.result?.get() == 7)
    #expect(throws: Fault(number: 1)) { try broken.result?.get() }
    kept.control.pause()
    #expect(kept.isSettled && kept.result == nil)
    kept.control.resume()
    #expect(try kept.result?.get() == 7)
  }

  @Test(arguments: matchers)
  func `Of several promises the first that is fulfilled counts, despite rejections`(matcher: Matcher) async throws {
    let clock = ManualClock()
    let options = Soup.Options(matcher: matcher, clock: clock)
    let promises = (0..<3).map { _ in Promise<Int>(options: options) }
    promises[0].reject(Fault(number: 0))
    let any = Task { try await Promise.any(of: promises) }
    let blocked = Task { try await onThread { try Promise.blocking.any(of: promises) } }
    for promise in promises.dropFirst() { await promise.control.expectWaiting(2) }
    await #expect(throws: CallError.timedOut) {
      try await clock.expire { limit in try await Promise.any(of: promises, within: limit) }
    }
    promises[2].fulfil(2)
    #expect(try await any.value == 2)
    #expect(try await blocked.value == 2)
    promises[1].reject(Fault(number: 1))
    let none = await #expect(throws: AllRejected.self) { try await Promise.any(of: [promises[1], promises[0]]) }
    #expect(none?.errors.map { $0 as? Fault } == [Fault(number: 1), Fault(number: 0)])
    let never = Task { try await Promise.any(of: [Promise<Int>(options: options), promises[0]]) }
    never.cancel()
    await #expect(throws: CallError.cancelled) { try await never.value }
  }

  @Test func `The first of no promises is an error`() async throws {
    for _ in 0..<2 {
      await #expect(throws: AllRejected.self) { try await Promise<Int>.any(of: []) }
      await #expect(throws: AllRejected.self) { try await Promise<Int>.first(of: []) }
    }
    try await onThread { () throws in
      #expect(throws: AllRejected.self) { try Promise<Int>.blocking.any(of: []) }
      #expect(throws: AllRejected.self) { try Promise<Int>.blocking.first(of: []) }
    }
  }

  @Test(arguments: matchers)
  func `All promises of a tuple give their values, or the first error`(matcher: Matcher) async throws {
    let options = Soup.Options(matcher: matcher)
    let (number, text) = (Promise<Int>(options: options), Promise<String>(options: options))
    let both = Task { try await Promise.all(number, text, within: patience) }
    await number.control.expectWaiting(1)
    text.fulfil("seven")
    number.fulfil(7)
    let (first, second) = try await both.value
    #expect(first == 7 && second == "seven")
    let (open, broken) = (Promise<Bool>(options: options), Promise<Int>(options: options))
    broken.reject(Fault(number: 3))
    await #expect(throws: Fault(number: 3)) { try await Promise.all(text, open, broken) }
  }
}

extension Waiter {
  static let ofPromises = [
    Waiter("a promise", \.value, ()) { Promise<Int>(options: $0) }
  ]
}

@Suite(.watched)
struct `The progress of a promise` {
  @Test(arguments: matchers)
  func `The progress of a promise is a sequence that ends with the work`(matcher: Matcher) async throws {
    for error in [nil, Fault(number: 1)] {
      let (promise, progress) = Promise<String>.reporting(options: .init(matcher: matcher)) { report in
        for step in 1...3 { report(step) }
        if let error { throw error }
        return "done"
      }
      _ = promise
      var steps: [Int] = []
      for try await step in progress { steps.append(step) }
      #expect(steps == [1, 2, 3])
      if let error {
        await #expect(throws: CallError.failed(error)) { try await promise.value() }
      } else {
        #expect(try await promise.value() == "done")
      }
    }
  }

  @Test(arguments: matchers)
  func `The progress of a promise keeps the last 64 reports for a slow loop`(matcher: Matcher) async throws {
    let (promise, progress) = Promise<Void>.reporting(options: .init(matcher: matcher)) { report in
      for step in 1...100 { report(step) }
    }
    try await promise.value()
    var steps: [Int] = []
    for try await step in progress { steps.append(step) }
    #expect(steps == Array(37...100))
  }

  @Test(arguments: matchers)
  func `The progress of a promise ends with a cancellation, and with the promise`(matcher: Matcher) async throws {
    for isCancelled in [true, false] {
      let ended = Gate()
      var (promise, progress): (Promise<Void>?, Channel<Int>) = Promise<Void>.reporting(
        options: .init(matcher: matcher)
      ) { report in
        report(1)
        defer { ended.open() }
        try await Task.sleep(for: patience * 2)
      }
      #expect(try await progress.receive() == 1)
      if isCancelled { promise?.cancel() } else { promise = nil }
      await ended.wait()
      #expect(try await progress.receive() == nil)
    }
  }

  @Test(arguments: matchers)
  func `The progress of a promise ends if the work does not begin`(matcher: Matcher) async throws {
    for _ in 1...20 {
      let (promise, progress) = Promise<Void>.reporting(options: .init(matcher: matcher)) { report in report(1) }
      promise.cancel()
      for try await step in progress { #expect(step == 1) }
    }
  }
}
