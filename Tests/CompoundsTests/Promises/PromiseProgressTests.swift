import Compounds
import Crucible
import CrucibleTestSupport
import Testing

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
