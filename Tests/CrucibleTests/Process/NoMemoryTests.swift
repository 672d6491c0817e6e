import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// The system has no more memory for this process. Tests/Failures tests each allocation of the core.
@Suite(.watched, .disabled(if: AddressSanitizer.isOn))
struct `Memory that the system does not have` {
  @Test(arguments: matcherNames)
  func `A call without memory fails with NoMemory, and the calls that wait get replies later`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("no memory")
      let (call, go, filling, control) = Soup.define("full", with: .init(matcher: Matcher(matcher)!)) {
        soup in
        let call = soup.fast("call", of: Wide.self, returning: Int.self)
        let go = soup.slow("go")
        let never = soup.slow("never")
        let filling = soup.slow("filling", of: Wide.self)
        soup.react(call, go, on: .inline) { call, _ in call.reply(call.input.number) }
        soup.react(filling, never, on: .inline) { _, _ in }
        return (call, go, filling, soup.control)
      }
      // Calls wait until there is no room for one more, which then needs memory. A call with room for it times out. It
      // may leave a place that stays unused, so there are two between callers: no ring of 2^n places ends after both.
      var callers: [Task<Int, any Error>] = []
      var error: CallError? = .timedOut
      while error == .timedOut {
        let number = callers.count
        callers.append(Task { try await call(Wide(number)) })
        await eventually("the caller waits") { control.snapshot()[call] == number + 1 }
        for _ in 0..<2 where error == .timedOut { error = try await onThread { lastCall(call, filling) } }
      }
      #expect(error == .failed(NoMemory()))
      #expect(control.snapshot()[call] == callers.count)
      go.inject(count: callers.count)
      for (number, caller) in callers.enumerated() { #expect(try await caller.value == number) }
    }
  }
}

/// Calls with no time to wait, while there is no memory. Returns the error.
@available(*, noasync)
private func lastCall(_ call: FastInjector<Wide, Int>, _ filling: Injector<Wide>) -> CallError? {
  let spare = UnsafeMutableRawPointer.allocate(byteCount: 32768, alignment: 8)
  return AddressSpace.withRoom(for: 1 << 20) {
    while filling(Wide(0)) {}
    // An injection fails before all memory is gone, if a queue would have to double.
    var taken: UnsafeMutableRawPointer? = nil
    while let block = malloc(8192) {
      block.storeBytes(of: taken, as: UnsafeMutableRawPointer?.self)
      taken = block
    }
    defer {
      while let block = taken {
        taken = block.load(as: UnsafeMutableRawPointer?.self)
        free(block)
      }
    }
    spare.deallocate()  // for what Swift allocates: a ring of 8 values has no room there
    do throws(CallError) {
      _ = try call.blocking(Wide(-1), within: .zero)
      return nil
    } catch {
      return error
    }
  }
}

/// A value of 8192 bytes.
private struct Wide: Sendable {
  let number: Int
  private let rest: InlineArray<1023, Int>

  init(_ number: Int) {
    self.number = number
    rest = InlineArray(repeating: number)
  }
}
