import CCases
import CHarness

/// A case of layer `c`, or the pthread mutex that does the same job.
final class CContender {
  private let experiment: OpaquePointer
  private let setting: Setting  // keeps the crew alive

  init(_ name: String, _ setting: Setting) throws(Wrong) {
    self.setting = setting
    var failure = harness_sample()
    let opened = name.withCString { name in
      setting.strategy.name.withCString { strategy in
        var options = cases_setting(name: name, by: strategy, crew: setting.crew.handle)
        return cases_open(&options, &failure)
      }
    }
    guard let opened else { throw Wrong(failure.failureText ?? "\(name) could not be set up") }
    experiment = opened
  }

  deinit { cases_close(experiment) }

  var contender: Contender {
    Contender { (rounds, recorders) throws(Wrong) in
      var sample = harness_sample()
      cases_measure(self.experiment, UInt64(rounds), recorders, &sample)
      if let failure = sample.failureText { throw Wrong(failure) }
      return sample
    }
  }

  static func exists(_ name: String, _ strategy: Strategy) -> Bool { cases_exists(name, strategy.name) }
}
