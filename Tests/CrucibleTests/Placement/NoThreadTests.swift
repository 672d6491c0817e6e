import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// The system makes no more threads.
@Suite(.watched)
struct `Threads that the system does not make` {
  @Test func `are told at once, lose no work, and are made later`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("no thread")
      let error = StandardError()
      Pool.workers = 1
      let told = Log<PoolShortage>()
      Pool.onLimit = { told.append($0) }
      let (hold, go, control) = bodies()
      Watchdog.watch(control)
      let gate = Gate()
      let began = Gate()
      let all = Latch(1)
      let line = try await onThread {
        hold(Held(began: Latch(1), gate: began))
        while Pool.status.blocked == 0 { sched_yield() }
        return AddressSpace.withoutRoomForStacks {
          // The thread that there is blocks, and there is no other one for this.
          go(all)
          return error.line()
        }
      }
      let reason = String(cString: strerror(EAGAIN))
      let expected = "Crucible: the pool can get no more threads (\(reason)) than its 1, 1 of which"
      #expect(line.hasPrefix(expected), "\(line)")
      #expect(Pool.status.limitReached == 0 && Pool.status.queuedFirings == 1)
      #expect(told.count == 0, "there is no thread for the handler either")
      // Nothing is lost: the thread that comes back does it.
      began.open()
      await all.wait()
      await control.settle()
      await eventually("is told when a thread can be made") { told.count == 1 }
      #expect(told.all.first?.error == EAGAIN)
      // From now on they can be made again.
      hold(Held(began: Latch(1), gate: gate))
      let another = Latch(1)
      go(another)
      await another.wait()
      gate.open()
      await control.settle()
    }
  }
}

/// How much memory this process may map.
private enum AddressSpace {
  /// Runs `body` while no more than half a thread's stack can be mapped.
  @available(*, noasync)
  static func withoutRoomForStacks<Result>(_ body: () -> Result) -> Result {
    var before = rlimit()
    precondition(getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before) == 0)
    var attributes = pthread_attr_t()
    var stack = 0
    precondition(pthread_attr_init(&attributes) == 0 && pthread_attr_getstacksize(&attributes, &stack) == 0)
    pthread_attr_destroy(&attributes)
    var limit = rlimit(rlim_cur: rlim_t(mapped + stack / 2), rlim_max: before.rlim_max)
    precondition(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
    defer { precondition(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before) == 0) }
    return body()
  }

  /// Bytes of address space in use: the first number of statm, in pages.
  private static var mapped: Int {
    let file = open("/proc/self/statm", O_RDONLY)
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 100)
    let length = read(file, &text, text.count)
    let pages = String(decoding: text.prefix(max(0, length)), as: UTF8.self).prefix { $0.isNumber }
    return Int(pages)! * sysconf(Int32(_SC_PAGESIZE))
  }
}
