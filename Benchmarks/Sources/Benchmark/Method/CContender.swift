import CCases
import CHarness

/// A case of layer `c`, or a baseline in C.
final class CContender: Contender {
  private let experiment: OpaquePointer
  private let setting: Setting  // keeps crew and corpus alive

  init(_ name: String, _ setting: Setting) throws(Wrong) {
    self.setting = setting
    var failure = harness_sample()
    guard let strategy = Self.strategy(setting.strategy) else { throw Wrong("no strategy of layer c") }
    let opened = name.withCString { name in
      var options = cases_setting(
        name: name, strategy: strategy, crew: setting.crew.handle, corpus: setting.corpus?.handle,
        expected: setting.corpus?.expected)
      return cases_open(&options, &failure)
    }
    guard let opened else { throw Wrong(failure.failureText ?? "\(name) could not be set up") }
    experiment = opened
  }

  deinit { cases_close(experiment) }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    var sample = harness_sample()
    cases_measure(experiment, UInt64(rounds), recorders, &sample)
    if let failure = sample.failureText { throw Wrong(failure) }
    return sample
  }

  static func exists(_ name: String, _ strategy: Strategy) -> Bool {
    Self.strategy(strategy).map { cases_exists(name, $0) } ?? false
  }

  private static func strategy(_ strategy: Strategy) -> cases_strategy? {
    switch strategy {
    case .word: CASES_WORD
    case .locked: CASES_LOCKED
    case .pthreadMutex: CASES_PTHREAD_MUTEX
    case .pthreadCondition: CASES_PTHREAD_CONDITION
    case .spinThenFutex: CASES_SPIN_THEN_FUTEX
    case .sequential: CASES_SEQUENTIAL
    default: nil
    }
  }
}
