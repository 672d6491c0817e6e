public import Crucible

extension AgentPool {
  /// The crashes of members that do not count as a crash of the pool, and the function that reports a crash of the
  /// pool.
  @usableFromInline
  struct Watch: Sendable {
    let limit: Int
    let interval: Duration
    let report: FamilyReport

    @usableFromInline
    init(_ limit: Int, within interval: Duration, _ report: FamilyReport) {
      self.limit = limit
      self.interval = interval
      self.report = report
    }
  }

  /// The names by which a supervisor makes a pool anew: after a crash, and while the pool is up.
  @usableFromInline
  struct Rebirth: Leaving, Sendable {
    @usableFromInline let revival: Injector<Void>
    @usableFromInline let renewal: Injector<Void>
  }

  /// The additional chemistry of a supervised pool.
  @usableFromInline
  struct Supervision: Sendable {
    @usableFromInline let rebirth: Rebirth
    private let watch: Watch
    private let control: Soup.Control
    private let forgetting: Injector<Int>
    private let look: Injector<Void>

    @usableFromInline
    init(_ watch: Watch, in soup: Soup, _ news: Soup.State<News>, _ free: Injector<Freed>, _ look: Injector<Void>) {
      let revival = soup.slow("revival")
      let renewal = soup.slow("renewal")
      let forgetting = soup.slow("forgetting", of: Int.self)
      let control = soup.control

      soup.react(state: news, revival) { news, _ in
        news.isDown = false
        for member in news.down { free(.member(member)) }
        news.down = []
      }
      soup.react(state: news, renewal) { news, _ in
        news.beginGeneration()
        look.inject(count: news.pending.count)
      }
      soup.react(state: news, forgetting, on: .inline) { news, generation in
        if generation == news.generation { news.crashes -= 1 }
      }

      rebirth = Rebirth(revival: revival, renewal: renewal)
      self.watch = watch
      self.control = control
      self.forgetting = forgetting
      self.look = look
    }

    /// Counts the crash of a member. If it exceeds the limit, the pool is down until its supervisor revives it.
    ///
    /// The crash of a member of an earlier generation does not count, because that member is made anew anyway.
    @usableFromInline
    func count(_ error: any Error, of member: Member, in news: inout News) {
      guard member.generation == news.generation else { return }
      news.crashes += 1
      if news.crashes <= watch.limit {
        forgetting.after(watch.interval, news.generation)
        return
      }
      news.isDown = true
      news.beginGeneration()
      // Idle members go down.
      look.inject(count: news.pending.count)
      watch.report(error, of: control)
    }
  }

  /// Makes a pool. After too many crashes its supervisor decides when it is made anew; see ``Supervisor``.
  @inlinable
  static func supervised(
    _ id: String, members: Int, _ watch: Watch, _ options: Soup.Options, _ onCrash: Crash.Policy?,
    _ file: StaticString, _ line: UInt, _ make: @escaping @Sendable () -> sending Object
  ) -> (pool: AgentPool, revival: Injector<Void>, renewal: Injector<Void>) {
    let (pool, rebirth) = define(id, members, options, onCrash, watch, file, line, make)
    return (pool, rebirth!.revival, rebirth!.renewal)
  }
}
