import Crucible
import CrucibleTestSupport
import Foundation
import Testing

/// Signals on the threads of the library.
@Suite(.watched)
struct `Signals` {
  @Test(arguments: [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT])
  func `A handler sees a body that crashes on the pool`(signal: Int32) async {
    await #expect(processExitsWith: .exitCode(99)) { [signal = signal as Int32] in
      Watchdog.guardProcess("crash")
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in _exit(99) }
      sigaction(signal, &action, nil)
      let (crash, _) = Soup.Options().react(
        fast("crash", of: Int32.self, returning: Void.self), on: .pool, named: "crash"
      ) { call in
        // The kernel ends the process without a handler if the thread blocks the signal of an instruction that fails.
        if call.input == SIGSEGV { UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1 }
        raise(call.input)
      }
      _ = try await onThread { try crash.blocking(signal) }
    }
  }

  @Test
  func `No thread of the library blocks the signals of a crash, or of a profiler`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("masks")
      let (item, go, late, control) = Soup.Options().define(slow("item", of: Int.self), slow("go"), slow("late")) {
        soup, item, go, late in
        soup.react(item, go) { _, _ in }
        soup.react(late) { _ in }
      }
      // A backlog whose memory is freed, bodies on the pool, and an alarm.
      for n in 0..<5000 { item(n) }
      for _ in 0..<5000 { go() }
      late.after(.milliseconds(1))
      await control.settle()
      let signals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGSYS, SIGABRT, SIGPROF]
      func blocked() throws -> [Int32] {
        let masks = try Self.masks()
        return signals.filter { signal in masks.contains { $0 >> UInt64(signal - 1) & 1 != 0 } }
      }
      // A thread blocks all signals for a moment while it begins.
      let end = ContinuousClock.now + patience
      while try !blocked().isEmpty && ContinuousClock.now < end { sched_yield() }
      #expect(try blocked() == [])
    }
  }

  /// The signals that each thread of the library blocks.
  private static func masks() throws -> [UInt64] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { thread in
      // A thread may end meanwhile.
      guard let status = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8) else {
        return nil
      }
      if !status.hasPrefix("Name:\tcrucible") { return nil }
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") })
      return UInt64(line.split(separator: "\t")[1], radix: 16)
    }
  }
}
