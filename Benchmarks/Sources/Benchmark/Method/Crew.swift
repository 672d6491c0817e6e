import CHarness

/// Permanent threads that start a piece of work at the same moment, and share its rounds.
final class Crew {
  let handle: OpaquePointer
  let threads: Int
  /// The time, in ns, in which a run may deal out rounds. The run finishes the rounds that it dealt out. 0 means until
  /// all are dealt out.
  var limit: UInt64 = 0 {
    didSet { harness_crew_limit(handle, limit) }
  }

  init(threads: Int) throws(Wrong) {
    guard let handle = harness_crew_create(threads) else { throw Wrong("no crew of \(threads) threads") }
    self.handle = handle
    self.threads = threads
  }

  deinit { harness_crew_destroy(handle) }

  /// Runs each thread's share of the rounds, and waits for all threads. A round counts as a reaction.
  func run(_ job: Job, rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) -> harness_sample {
    var sample = harness_sample()
    withExtendedLifetime(job) {
      harness_crew_run(
        handle, UInt64(rounds), recorders,
        { context, share in
          Unmanaged<Job>.fromOpaque(context).takeUnretainedValue().perform(Share(share: share))
        }, Unmanaged.passUnretained(job).toOpaque(), &sample)
    }
    sample.reactions = sample.rounds
    return sample
  }
}

/// A piece of work without its type. It is made where the type is known, so the loop in it is compiled for that type.
/// No code between a round and its injections is generic.
final class Job: Sendable {
  fileprivate let perform: @Sendable (Share) -> Void

  @inline(__always)
  init(_ work: some ThreadWork) {
    perform = { share in
      if let recorder = share.recorder {
        var probe = TimedCalls(recorder: recorder)
        work.run(share, &probe)
      } else {
        var probe = UntimedCalls()
        work.run(share, &probe)
      }
    }
  }
}

/// The hot loop of an inline case, run by every thread of a crew.
protocol ThreadWork: Sendable {
  func run<P: Probe>(_ share: Share, _ probe: inout P)
}

/// The share of one thread of a crew.
struct Share {
  fileprivate let share: UnsafePointer<harness_share>

  var thread: Int { share.pointee.thread }
  fileprivate var recorder: UnsafeMutablePointer<harness_recorder>? { share.pointee.recorder }

  /// Calls `body` with the number of each round of this thread.
  @inline(__always)
  func forEachRound(_ body: (Int) -> Void) {
    var first: UInt64 = 0
    var end: UInt64 = 0
    while harness_deal_take(share.pointee.deal, &first, &end) {
      var round = Int(truncatingIfNeeded: first)
      let last = Int(truncatingIfNeeded: end)
      while round < last {
        body(round)
        round &+= 1
      }
    }
  }
}

/// Code around every injection of a hot loop. The untimed probe compiles to nothing.
protocol Probe {
  mutating func measure<Answer>(_ call: () -> Answer) -> Answer
}

struct UntimedCalls: Probe {
  @inline(__always)
  mutating func measure<Answer>(_ call: () -> Answer) -> Answer { call() }
}

struct TimedCalls: Probe {
  let recorder: UnsafeMutablePointer<harness_recorder>

  @inline(__always)
  mutating func measure<Answer>(_ call: () -> Answer) -> Answer {
    let start = harness_now()
    let result = call()
    harness_recorder_add(recorder, harness_now() &- start)
    return result
  }
}
