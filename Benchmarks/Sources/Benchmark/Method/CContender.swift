import CCases
import CHarness

/// A case of layer `c`, or a baseline in C.
final class CContender: Contender {
  private let experiment: OpaquePointer
  private let setting: Setting  // keeps crew and corpus alive

  init(_ name: String, _ setting: Setting) throws(Wrong) {
    self.setting = setting
    var failure = harness_sample()
    let opened = name.withCString { name in
      var options = cases_setting(
        name: name, strategy: Self.strategy(setting.strategy), crew: setting.crew.handle,
        corpus: setting.corpus?.handle, expected: setting.corpus?.expected)
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
    strategy != .swiftMutex && cases_exists(name, Self.strategy(strategy))
  }

  private static func strategy(_ strategy: Strategy) -> cases_strategy {
    switch strategy {
    case .word: CASES_WORD
    case .locked: CASES_LOCKED
    case .pthreadMutex: CASES_PTHREAD_MUTEX
    case .sequential: CASES_SEQUENTIAL
    case .swiftMutex: fatalError("Swift's Mutex is no strategy of layer c")
    }
  }
}
