import CrucibleTestSupport
import Testing

@testable import CrucibleHistories

/// The model of the histories finds mistakes. Each of these records has one.
@Suite(.watched)
struct `The model of histories` {
  /// A chemistry of one reaction, and a record that grows.
  private struct Story {
    var chemistry = CrucibleHistories.Chemistry()
    var events: [Event] = []
    var takesEarly = false
    var carries = false
    private var subjects: UInt32 = 0

    init(_ pattern: [Int] = [0, 1], kinds: [CrucibleHistories.Chemistry.Kind] = [.plain, .plain], states: [Int] = []) {
      chemistry.kinds = kinds
      chemistry.stateCount = states.count
      chemistry.reactions = [.init(pattern: pattern, states: states)]
      chemistry.scripts = [[.init()]]
    }

    var mistakes: [String] {
      Model(History(events, chemistry), takesEarly: takesEarly, carries: carries).verdict.mistakes
    }

    /// Returns this story with a change.
    func with(_ change: (inout Story) -> Void) -> Story {
      var story = self
      change(&story)
      return story
    }

    mutating func note(_ kind: Event.Kind, _ subject: UInt32, _ a: Int = 0, _ b: UInt64 = 0, thread: Int32 = 1) {
      events.append(Event(kind: kind, thread: thread, subject: subject, a: UInt32(a), b: b))
    }

    mutating func begin(_ code: CrucibleHistories.Chemistry.Code, thread: Int32 = 1) -> UInt32 {
      subjects += 1
      note(.begin, subjects, code.rawValue, UInt64(thread), thread: thread)
      return subjects
    }

    func inject(_ name: Int, _ number: UInt64, _ outcome: Outcome = .accepted) -> Story {
      with { story in
        let operation = story.begin(.inject)
        story.note(.molecule, operation, name, number)
        story.note(.end, operation, outcome.rawValue)
      }
    }

    func control(_ code: CrucibleHistories.Chemistry.Code) -> Story {
      with { story in
        let operation = story.begin(code)
        story.note(.end, operation, Outcome.done.rawValue)
      }
    }

    func call(
      _ number: UInt64, _ outcome: Outcome, _ value: UInt64 = 0, _ meanwhile: (Story) -> Story = { $0 }
    ) -> Story {
      with { story in
        let operation = story.begin(.call)
        story.note(.molecule, operation, 0, number)
        story = meanwhile(story)
        story.note(.end, operation, outcome.rawValue, value)
      }
    }

    func fire(
      _ takes: [(Int, UInt64)], version: UInt64? = nil, reply: Bool? = nil, number: UInt32 = 100, isInTask: Bool = false
    ) -> Story {
      with { story in
        story.note(.fire, number, 0, isInTask ? 1 : 0, thread: 2)
        if let version { story.note(.state, number, 0, version, thread: 2) }
        for (name, molecule) in takes { story.note(.take, number, name, molecule, thread: 2) }
        if let reply { story.note(.reply, number, Int(takes[0].1), reply ? 1 : 0, thread: 2) }
        story.note(.fired, number, thread: 2)
      }
    }

    func rest(
      _ counts: [UInt64], dropped: Int = 0, withdrawn: Int = 0, isHeld: Bool = false,
      _ meanwhile: (Story) -> Story = { $0 }
    ) -> Story {
      with { story in
        let look = story.begin(.snapshot, thread: Int32(CrucibleHistories.Chemistry.threads))
        for (index, count) in counts.enumerated() { story.note(.count, look, index, count) }
        story = meanwhile(story)
        let rest = Rest(isAtRest: true, isHeld: isHeld, dropped: dropped, withdrawn: withdrawn)
        story.note(.end, look, Outcome.done.rawValue, rest.bits)
      }
    }
  }

  private func expect(_ text: String?, _ story: Story, _ location: SourceLocation = #_sourceLocation) {
    guard let text else {
      #expect(story.mistakes == [], sourceLocation: location)
      return
    }
    #expect(story.mistakes.contains { $0.contains(text) }, "\(story.mistakes)", sourceLocation: location)
  }

  @Test func `The model of histories follows each molecule from its injection to the one firing that consumes it`() {
    let joined = Story().inject(0, 1).inject(1, 2)
    let both: [(Int, UInt64)] = [(0, 1), (1, 2)]
    expect(nil, joined.fire(both).rest([0, 0]))
    expect("consumed by 2", joined.fire(both).fire(both, number: 101).rest([0, 0]))
    expect("missing", joined.rest([0, 0]))
    expect("enabled at rest", joined.rest([1, 1]))
    expect("present", joined.fire(both).rest([1, 0]))
    expect("took", joined.fire([(0, 1)]).rest([0, 1]))
    expect("which is none", joined.fire([(0, 2), (1, 1)]).rest([0, 0]))
    expect("before it was injected", Story().fire(both).inject(0, 1).inject(1, 2).rest([0, 0]))
  }

  @Test func `The model of histories knows when a soup may refuse an injection`() {
    let stopped = Story().control(.stop)
    expect("refused while the soup runs", Story().inject(0, 1, .refused).rest([0, 0]))
    expect(nil, stopped.inject(0, 1, .refused))
    expect("accepted by a stopped soup", stopped.inject(0, 1))
    expect("refused while the soup runs", stopped.control(.restart).inject(0, 1, .refused))
  }

  @Test func `The model of histories knows when nothing may fire`() {
    let one = Story([0])
    expect("in a stopped soup", one.inject(0, 1).control(.stop).fire([(0, 1)]))
    expect("of a soup paused", one.control(.pause).inject(0, 1).fire([(0, 1)]).rest([0, 0]))
    expect(nil, one.inject(0, 1).control(.pause).fire([(0, 1)]).rest([0, 0]))
    func paused(until end: CrucibleHistories.Chemistry.Code) -> Story {
      one.control(.pause).rest([0, 0], isHeld: true).control(end).inject(0, 1).fire([(0, 1)]).rest([0, 0])
    }
    expect("paused and at rest", paused(until: .clear))
    expect(nil, paused(until: .resume))
  }

  @Test func `The model of histories knows where a body is to run`() {
    func fired(_ place: CrucibleHistories.Chemistry.Place, isInTask: Bool) -> Story {
      let placed = Story([0]).with { $0.chemistry.reactions[0].place = place }
      return placed.inject(0, 1).fire([(0, 1)], isInTask: isInTask).rest([0, 0])
    }
    expect(nil, fired(.task, isInTask: true))
    expect("is not in a task", fired(.task, isInTask: false))
    expect(nil, fired(.inline, isInTask: false))
  }

  @Test func `The model of histories sees molecules that were overtaken`() {
    let one = Story([0], kinds: [.plain])
    let two = one.inject(0, 1).inject(0, 2)
    let late = two.fire([(0, 2)]).fire([(0, 1)], number: 101).rest([0])
    expect(nil, two.fire([(0, 1)]).fire([(0, 2)], number: 101).rest([0]))
    expect("was overtaken", late)
    expect("was overtaken", two.fire([(0, 2)]).rest([1]))
    expect(nil, late.with { $0.takesEarly = true })
    func carried(_ place: CrucibleHistories.Chemistry.Place, carries: Bool) -> Story {
      late.with { story in
        story.chemistry.reactions[0].place = place
        story.carries = carries
      }
    }
    expect(nil, carried(.pool, carries: true))
    expect("was overtaken", carried(.pool, carries: false))
    expect("was overtaken", carried(.inline, carries: true))
    let kept = Story([0], kinds: [.plain], states: [0]).with { story in
      story.chemistry.reactions[0].place = .pool
      story.carries = true
    }
    let waiting = kept.inject(0, 1).inject(0, 2)
    expect("was overtaken", waiting.fire([(0, 2)], version: 0).fire([(0, 1)], version: 1, number: 101).rest([0, 1]))
  }

  @Test func `The model of histories follows a state from body to body`() {
    let counter = Story([0], kinds: [.plain], states: [0])
    func uses(_ first: UInt64, _ second: UInt64) -> Story {
      counter.inject(0, 1).inject(0, 2)
        .fire([(0, 1)], version: first).fire([(0, 2)], version: second, number: 101).rest([0, 1])
    }
    expect(nil, uses(0, 1))
    expect("from version 0 to 0", uses(0, 0))
    expect("had by two at once", uses(1, 0))
    expect("begins with version", uses(1, 2))
    expect("state is not there", counter.rest([0, 0]))
  }

  @Test func `The model of histories knows where each outcome of a call comes from`() {
    func call(_ outcome: Outcome, _ value: UInt64 = 0, reply: Bool?) -> Story {
      Story([0], kinds: [.fast]).call(1, outcome, value) { story in
        if let reply { story.fire([(0, 1)], reply: reply) } else { story }
      }.rest([0])
    }
    expect(nil, call(.replied, 100, reply: true))
    expect("call 1", call(.replied, 99, reply: true))
    expect("call 1", call(.replied, 100, reply: false))
    expect("call 1", call(.cleared, reply: nil))
    expect("call 1", call(.stopped, reply: nil))
    expect("call 1", call(.timedOut, reply: nil))
    expect("call 1", call(.cancelled, reply: true))
    expect("call 1", call(.neverReplied, reply: true))
    expect("gone", call(.gone, reply: nil))
  }

  @Test func `The model of histories lets nothing begin in a soup at rest`() {
    let one = Story().inject(0, 1)
    expect(nil, one.rest([1, 0]).inject(0, 2))
    expect("began within a look at rest", Story().rest([0, 0]) { $0.inject(0, 1) })
    expect("began within a look at rest", one.inject(1, 2).rest([0, 0]) { $0.fire([(0, 1), (1, 2)]) })
  }

  @Test func `The model of histories adds up what gathers in a paused soup, whole operations only`() {
    let paused = Story().with { $0.chemistry.beginsPaused = true }.control(.pause)
    func looks(_ counts: [UInt64]) -> Story {
      paused.with { story in
        let look = story.begin(.snapshot, thread: 3)
        let together = story.begin(.together)
        story.note(.molecule, together, 0, 1)
        story.note(.molecule, together, 1, 2)
        for (index, count) in counts.enumerated() { story.note(.count, look, index, count) }
        story.note(.end, look, Outcome.done.rawValue)
        story.note(.end, together, Outcome.accepted.rawValue)
      }
    }
    expect(nil, looks([0, 0]))
    expect(nil, looks([1, 1]))
    expect("no operations add up to", looks([1, 0]))
  }
}
