import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// The system refuses to make more threads.
@Suite(.watched)
struct `Threads that the system does not make` {
  @Test func `The pool reports threads that the system refuses, loses no work, and makes them later`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("no thread")
      let error = StandardError()
      Soup.Pool.workers = 1
      let told = Log<Soup.Pool.Shortage>()
      Soup.Pool.onLimit = { told.append($0) }
      let (hold, go, control) = bodies()
      let (gate, began, all) = (Gate(), Gate(), Latch(1))
      let line = try await onThread {
        hold(Held(began: Latch(1), gate: began))
        while Soup.Pool.status.blocked == 0 { sched_yield() }
        return AddressSpace.withoutRoomForStacks {
          // The only thread blocks, and there is no other one for this.
          go(all)
          return error.line()
        }
      }
      let reason = String(cString: strerror(EAGAIN))
      let expected = "Crucible: the pool can get no more threads (\(reason)) than its 1, 1 of which"
      #expect(line.hasPrefix(expected), "\(line)")
      #expect(Soup.Pool.status.limitReached == 0 && Soup.Pool.status.queuedFirings == 1)
      #expect(told.count == 0, "no thread can run the handler either")
      // Nothing is lost. The blocked thread runs it when it continues.
      began.open()
      await all.wait()
      await control.settle()
      await eventually("the handler is called when a thread can be made") { told.count == 1 }
      #expect(told.all.first?.error == EAGAIN)
      // From now on, threads can be made again.
      hold(Held(began: Latch(1), gate: gate))
      let another = Latch(1)
      go(another)
      await another.wait()
      gate.open()
      await control.settle()
    }
  }
  @Test(arguments: matcherNames)
  func `A backlog is consumed while the system makes no thread that frees its memory`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("no thread for memory")
      try await onThread {
        AddressSpace.withoutRoomForStacks {
          let options = Soup.Options(matcher: Matcher(matcher)!, placement: .inline)
          let (item, go, control) = options.react(slow("item", of: Int.self), slow("go")) { _, _ in }
          for n in 0..<20_000 { item(n) }
          for _ in 0..<20_000 { go() }
          #expect(control.snapshot()[item] == 0)
        }
      }
    }
  }
}
