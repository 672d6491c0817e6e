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
    private var subjects: UInt32 = 0

    init(_ pattern: [Int] = [0, 1], kinds: [CrucibleHistories.Chemistry.Kind] = [.plain, .plain], states: [Int] = []) {
      chemistry.kinds = kinds
      chemistry.stateCount = states.count
      chemistry.reactions = [.init(pattern: pattern, states: states)]
      chemistry.scripts = [[.init()]]
    }

    var takesEarly = false
    var carries = false
    var spills = false

    var mistakes: [String] {
      Model(History(events, chemistry), takesEarly: takesEarly, carries: carries, spills: spills).verdict.mistakes
    }

    mutating func note(_ kind: Event.Kind, _ subject: UInt32, _ a: Int = 0, _ b: UInt64 = 0, thread: Int32 = 1) {
      events.append(Event(kind: kind, thread: thread, subject: subject, a: UInt32(a), b: b))
    }

    mutating func begin(_ code: CrucibleHistories.Chemistry.Code, thread: Int32 = 1) -> UInt32 {
      subjects += 1
      note(.begin, subjects, code.rawValue, UInt64(thread), thread: thread)
      return subjects
    }

    mutating func inject(_ name: Int, _ number: UInt64, _ outcome: Outcome = .accepted) {
      let operation = begin(.inject)
      note(.molecule, operation, name, number)
      note(.end, operation, outcome.rawValue)
    }

    mutating func control(_ code: CrucibleHistories.Chemistry.Code) {
      let operation = begin(code)
      note(.end, operation, Outcome.done.rawValue)
    }

    mutating func call(
      _ number: UInt64, _ outcome: Outcome, _ value: UInt64 = 0, _ meanwhile: (inout Story) -> Void = { _ in }
    ) {
      let operation = begin(.call)
      note(.molecule, operation, 0, number)
      meanwhile(&self)
      note(.end, operation, outcome.rawValue, value)
    }

    mutating func fire(
      _ takes: [(Int, UInt64)], version: UInt64? = nil, reply: Bool? = nil, number: UInt32 = 100, isInTask: Bool = false
    ) {
      note(.fire, number, 0, isInTask ? 1 : 0, thread: 2)
      if let version { note(.state, number, 0, version, thread: 2) }
      for (name, molecule) in takes { note(.take, number, name, molecule, thread: 2) }
      if let reply { note(.reply, number, Int(takes[0].1), reply ? 1 : 0, thread: 2) }
      note(.fired, number, thread: 2)
    }

    mutating func rest(
      _ counts: [UInt64], dropped: Int = 0, withdrawn: Int = 0, isHeld: Bool = false,
      _ meanwhile: (inout Story) -> Void = { _ in }
    ) {
      let look = begin(.snapshot, thread: Int32(CrucibleHistories.Chemistry.threads))
      for (index, count) in counts.enumerated() { note(.count, look, index, count) }
      meanwhile(&self)
      let rest = Rest(isAtRest: true, isHeld: isHeld, dropped: dropped, withdrawn: withdrawn)
      note(.end, look, Outcome.done.rawValue, rest.bits)
    }
  }

  private func expect(_ text: String?, _ story: Story, _ location: SourceLocation = #_sourceLocation) {
    guard let text else {
      #expect(story.mistakes == [], sourceLocation: location)
      return
    }
    #expect(story.mistakes.contains { $0.contains(text) }, "\(story.mistakes)", sourceLocation: location)
  }

  private func story(_ start: Story = Story(), _ tell: (inout Story) -> Void) -> Story {
    var story = start
    tell(&story)
    return story
  }

  @Test func `The model of histories follows each molecule from its injection to the one firing that consumes it`() {
    func joined(_ end: @escaping (inout Story) -> Void) -> Story {
      story {
        $0.inject(0, 1)
        $0.inject(1, 2)
        end(&$0)
      }
    }
    expect(
      nil,
      joined {
        $0.fire([(0, 1), (1, 2)])
        $0.rest([0, 0])
      })
    expect(
      "consumed by 2",
      joined {
        $0.fire([(0, 1), (1, 2)])
        $0.fire([(0, 1), (1, 2)], number: 101)
        $0.rest([0, 0])
      })
    expect("missing", joined { $0.rest([0, 0]) })
    expect("enabled at rest", joined { $0.rest([1, 1]) })
    expect(
      "present",
      joined {
        $0.fire([(0, 1), (1, 2)])
        $0.rest([1, 0])
      })
    expect(
      "took",
      joined {
        $0.fire([(0, 1)])
        $0.rest([0, 1])
      })
    expect(
      "which is none",
      joined {
        $0.fire([(0, 2), (1, 1)])
        $0.rest([0, 0])
      })
    expect(
      "before it was injected",
      story {
        $0.fire([(0, 1), (1, 2)])
        $0.inject(0, 1)
        $0.inject(1, 2)
        $0.rest([0, 0])
      })
  }

  @Test func `The model of histories knows when a soup may refuse an injection`() {
    expect(
      "refused while the soup runs",
      story {
        $0.inject(0, 1, .refused)
        $0.rest([0, 0])
      })
    expect(
      nil,
      story {
        $0.control(.stop)
        $0.inject(0, 1, .refused)
      })
    expect(
      "accepted by a stopped soup",
      story {
        $0.control(.stop)
        $0.inject(0, 1)
      })
    expect(
      "refused while the soup runs",
      story {
        $0.control(.stop)
        $0.control(.restart)
        $0.inject(0, 1, .refused)
      })
  }

  @Test func `The model of histories knows when nothing may fire`() {
    expect(
      "in a stopped soup",
      story(Story([0])) {
        $0.inject(0, 1)
        $0.control(.stop)
        $0.fire([(0, 1)])
      })
    expect(
      "of a soup paused",
      story(Story([0])) {
        $0.control(.pause)
        $0.inject(0, 1)
        $0.fire([(0, 1)])
        $0.rest([0, 0])
      })
    expect(
      nil,
      story(Story([0])) {
        $0.inject(0, 1)
        $0.control(.pause)
        $0.fire([(0, 1)])
        $0.rest([0, 0])
      })
    func paused(until end: CrucibleHistories.Chemistry.Code) -> Story {
      story(Story([0])) {
        $0.control(.pause)
        $0.rest([0, 0], isHeld: true)
        $0.control(end)
        $0.inject(0, 1)
        $0.fire([(0, 1)])
        $0.rest([0, 0])
      }
    }
    expect("paused and at rest", paused(until: .clear))
    expect(nil, paused(until: .resume))
  }

  @Test func `The model of histories knows where a body is to run`() {
    func fired(_ place: CrucibleHistories.Chemistry.Place, isInTask: Bool) -> Story {
      var placed = Story([0])
      placed.chemistry.reactions[0].place = place
      return story(placed) {
        $0.inject(0, 1)
        $0.fire([(0, 1)], isInTask: isInTask)
        $0.rest([0, 0])
      }
    }
    expect(nil, fired(.task, isInTask: true))
    expect("is not in a task", fired(.task, isInTask: false))
    expect(nil, fired(.inline, isInTask: false))
  }

  @Test func `The model of histories sees molecules that were overtaken`() {
    func two(_ first: UInt64, _ second: UInt64) -> Story {
      story(Story([0], kinds: [.plain])) {
        $0.inject(0, 1)
        $0.inject(0, 2)
        $0.fire([(0, first)])
        $0.fire([(0, second)], number: 101)
        $0.rest([0])
      }
    }
    expect(nil, two(1, 2))
    expect("was overtaken", two(2, 1))
    var early = two(2, 1)
    early.takesEarly = true
    expect(nil, early)
    func carried(_ place: CrucibleHistories.Chemistry.Place, carries: Bool) -> Story {
      var chemistry = Story([0], kinds: [.plain])
      chemistry.chemistry.reactions[0].place = place
      chemistry.carries = carries
      return story(chemistry) {
        $0.inject(0, 1)
        $0.inject(0, 2)
        $0.fire([(0, 2)])
        $0.fire([(0, 1)], number: 101)
        $0.rest([0])
      }
    }
    expect(nil, carried(.pool, carries: true))
    expect("was overtaken", carried(.pool, carries: false))
    expect("was overtaken", carried(.inline, carries: true))
    var kept = Story([0], kinds: [.plain], states: [0])
    kept.chemistry.reactions[0].place = .pool
    kept.carries = true
    expect(
      "was overtaken",
      story(kept) {
        $0.inject(0, 1)
        $0.inject(0, 2)
        $0.fire([(0, 2)], version: 0)
        $0.fire([(0, 1)], version: 1, number: 101)
        $0.rest([0, 1])
      })
    expect(
      "was overtaken",
      story(Story([0], kinds: [.plain])) {
        $0.inject(0, 1)
        $0.inject(0, 2)
        $0.fire([(0, 2)])
        $0.rest([1])
      })
  }

  @Test func `The model of histories follows a state from body to body`() {
    func uses(_ first: UInt64, _ second: UInt64) -> Story {
      story(Story([0], kinds: [.plain], states: [0])) {
        $0.inject(0, 1)
        $0.inject(0, 2)
        $0.fire([(0, 1)], version: first)
        $0.fire([(0, 2)], version: second, number: 101)
        $0.rest([0, 1])
      }
    }
    expect(nil, uses(0, 1))
    expect("from version 0 to 0", uses(0, 0))
    expect("had by two at once", uses(1, 0))
    expect("begins with version", uses(1, 2))
    expect("state is not there", story(Story([0], kinds: [.plain], states: [0])) { $0.rest([0, 0]) })
  }

  @Test func `The model of histories knows where each outcome of a call comes from`() {
    let calls = Story([0], kinds: [.fast])
    func call(_ outcome: Outcome, _ value: UInt64 = 0, reply: Bool?) -> Story {
      story(calls) {
        $0.call(1, outcome, value) { if let reply { $0.fire([(0, 1)], reply: reply) } }
        $0.rest([0])
      }
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
    let quiet = story {
      $0.inject(0, 1)
      $0.rest([1, 0])
      $0.inject(0, 2)
    }
    expect(nil, quiet)
    expect("began within a look at rest", story { $0.rest([0, 0]) { $0.inject(0, 1) } })
    let fires = story {
      $0.inject(0, 1)
      $0.inject(1, 2)
      $0.rest([0, 0]) { $0.fire([(0, 1), (1, 2)]) }
    }
    expect("began within a look at rest", fires)
  }

  @Test func `The model of histories adds up what gathers in a paused soup, whole operations only`() {
    var paused = Story()
    paused.chemistry.beginsPaused = true
    func looks(_ counts: [UInt64]) -> Story {
      story(paused) { story in
        story.control(.pause)
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
    var spilling = looks([1, 0])
    spilling.spills = true
    expect(nil, spilling)
  }
}

/// Shrinking a chemistry that fails. A wanted property stands in for the failure.
@Suite(.watched)
struct `A chemistry that fails` {
  @Test func `A chemistry that fails shrinks until nothing can go`() {
    var shrunk = 0
    for seed in 1...100 as ClosedRange<UInt64> where shrunk < 2 {
      var chemistry = CrucibleHistories.Chemistry(seed: seed)
      func isWanted(_ chemistry: CrucibleHistories.Chemistry) -> Bool {
        chemistry.scripts.joined().contains { $0.code == .snapshot }
          && chemistry.reactions.contains { $0.pattern.count > 1 }
      }
      guard isWanted(chemistry) else { continue }
      var steps = 0
      while let next = chemistry.smaller.first(where: isWanted), steps < 10_000 {
        (chemistry, steps) = (next, steps + 1)
      }
      #expect(steps < 10_000, "seed \(seed): shrinking does not end")
      #expect(chemistry.scripts.count == 1 && chemistry.scripts[0].count == 1, "seed \(seed): \(chemistry)")
      let patterns = chemistry.reactions.map(\.pattern.count)
      #expect(patterns == [2], "seed \(seed): \(chemistry)")
      #expect(chemistry.rounds == 1 && chemistry.padding == 0 && !chemistry.beginsPaused && !chemistry.rests)
      #expect(CrucibleHistories.Chemistry(bytes: chemistry.bytes) == chemistry, "seed \(seed): \(chemistry)")
      shrunk += 1
    }
    #expect(shrunk == 2)
  }
}
