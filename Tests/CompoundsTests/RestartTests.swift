import Compounds
import Crucible
import CrucibleTestSupport
import Foundation
import Testing

/// A compound, and a use of it that works only from its first condition. The use leaves the compound in another one.
struct Restarted: Sendable, CustomTestStringConvertible {
  typealias Use = @Sendable () async throws -> Void

  let testDescription: String
  /// Whether a restart is refused.
  let staysStopped: Bool
  let make: @Sendable (Soup.Options) throws -> (Soup.Control, Use)

  init(
    _ title: String, staysStopped: Bool = false,
    _ make: @escaping @Sendable (Soup.Options) throws -> (Soup.Control, Use)
  ) {
    testDescription = title
    self.staysStopped = staysStopped
    self.make = make
  }

  static func using<Made: Compound>(
    _ made: Made, _ use: @escaping @Sendable (Made) async throws -> Void
  ) -> (Soup.Control, Use) {
    (made.control, { try await use(made) })
  }

  /// Requires that an injection was accepted.
  @Sendable static func accept(_ isAccepted: Bool) throws(CallError) {
    if !isAccepted { throw .stopped }
  }
}

@Suite(.watched)
struct `A compound that is restarted` {
  @Test(arguments: Restarted.all, matchers)
  func `A compound that was stopped works from the beginning after a restart, or refuses it and says so to callers`(
    compound: Restarted, matcher: Matcher
  ) async throws {
    let (control, use) = try compound.make(.init(matcher: matcher, onError: { _ in }))
    try await use()
    for _ in 0..<2 {
      await control.stop(cancelling: true, within: patience)
      await #expect(throws: CallError.stopped) { try await use() }
      if compound.staysStopped {
        await #expect(throws: RestartError.refused) { try await control.restart(within: patience) }
        await #expect(throws: CallError.stopped) { try await use() }
      } else {
        try await control.restart(within: patience)
        try await use()
      }
    }
    #expect(control.warnings == [])
  }

  @Test(arguments: matchers.map(\.description))
  func `Soup.all stops and restarts the compounds of a program, supervised agents included`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("restart all compounds")
      let options = Soup.Options(matcher: Matcher(matcher)!, onError: { _ in })
      let uses = try Restarted.all.filter { !$0.staysStopped }.map { try $0.make(options).1 }
      for use in uses { try await use() }
      await Soup.all.stop(within: patience)
      try await Soup.all.restart(within: patience)
      for use in uses { try await use() }
    }
  }

  @Test func `Each compound is restarted here, and says so in its first paragraph if it refuses that`() throws {
    let tests = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let folder = URL(filePath: #filePath).appending(path: "../../../Sources/Compounds").standardizedFileURL
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var refusing = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for compound in text.matches(of: /public struct (\w+).*: (Compound|Recipient) \{/) {
        #expect(tests.contains(try Regex("\\W\(compound.1)\\W")), "\(compound.1)")
      }
      if !text.contains("soup.refuseRestarts()") { continue }
      let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
      let words = lines.drop { !$0.hasPrefix("///") }.prefix { $0 != "///" }.flatMap { $0.split(separator: " ") }
      #expect(words.filter { $0 != "///" }.joined(separator: " ").contains("cannot be restarted once"), "\(file)")
      refusing += 1
    }
    #expect(refusing >= 10)
  }

  @Test(arguments: matchers)
  func `A supervisor keeps its agents and their links when it is restarted`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let (parents, children) = (Tally(), Tally())
    let parent = try setting.agent("parent", Supervisor.Restarts(1, within: .seconds(10)), made: parents)
    _ = try setting.agent("child", made: children)
    try setting.supervisor.link("parent", to: "child")
    for round in 1...3 {
      parent.crash(with: Fault())
      await eventually("both are made anew") { parents.count == 1 + round && children.count == 1 + round }
      await setting.supervisor.control.settle()
      await setting.supervisor.control.stop(within: patience)
      try await setting.supervisor.control.restart(within: patience)
      #expect(setting.supervisor.ids == ["child", "parent"])
    }
  }

  @Test(arguments: matchers)
  func `A topic keeps its subscribers when it is restarted`(matcher: Matcher) async throws {
    let options = Soup.Options(matcher: matcher)
    let topic = Topic<Int>(options: options)
    let log = Log<Int>()
    try topic.subscribe(options: options) { log.append($0) }
    await topic.control.stop(within: patience)
    try await topic.control.restart(within: patience)
    topic.publish(1)
    await eventually("the value comes") { log.all == [1] }
  }

  @Test(arguments: matchers)
  func `A supervised agent that was down when it was stopped is up after a restart`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let agent = try setting.agent("store", Supervisor.Restarts(3, within: .seconds(10), delay: .seconds(5)))
    agent.crash(with: Fault())
    await agent.control.expectRest(["object 1"])
    await setting.supervisor.control.settle()
    await agent.control.stop(within: patience)
    try await agent.control.restart(within: patience)
    #expect(try await agent.ask { $0.values } == [])
    setting.clock.advance(by: .seconds(10))
    await agent.control.expectRest(["up 1", "object 1"])
  }
}

extension Restarted {
  static let all: [Restarted] = exclusion + meeting + passing + later + actors + timed

  private static let exclusion = [
    Restarted("a lock", staysStopped: true) { using(Lock(options: $0)) { try await $0.withLock(within: patience) {} } },
    Restarted("a semaphore", staysStopped: true) {
      using(Semaphore(permits: 2, options: $0)) { try await $0.withPermit(within: patience) {} }
    },
    Restarted("a large semaphore", staysStopped: true) {
      using(Semaphore(permits: 100, options: $0)) { try await $0.withPermit(within: patience) {} }
    },
    Restarted("a read-write lock", staysStopped: true) {
      using(ReadWriteLock(options: $0)) { lock in
        try await lock.withReading(within: patience) {}
        try await lock.withWriting(within: patience) {}
      }
    },
    Restarted("a pool of connections", staysStopped: true) {
      using(ConnectionPool(limit: 1, options: $0) { 1 }) { try await $0.withConnection(within: patience) { _ in } }
    },
  ]

  private static let meeting = [
    Restarted("a barrier") {
      using(Barrier(parties: 2, options: $0)) { barrier in
        async let one: Void = barrier.arrive(within: patience)
        try await barrier.arrive(within: patience)
        try await one
      }
    },
    Restarted("an exchanger") {
      using(Exchanger<Int>(options: $0)) { exchanger in
        async let one = exchanger.exchange(1, within: patience)
        let two = try await exchanger.exchange(2, within: patience)
        check(try await one + two == 3)
      }
    },
    Restarted("a rendezvous") {
      using(Rendezvous<Int, String>(options: $0)) { rendezvous in
        async let one = rendezvous.left(1, within: patience)
        check(try await rendezvous.right("a", within: patience) == 1)
        check(try await one == "a")
      }
    },
    Restarted("a latch") {
      using(CountDownLatch(1, options: $0)) { latch in
        try await expectToWait(latch.wait)
        try accept(latch.countDown())
        try await latch.wait(within: patience)
      }
    },
    Restarted("an event") {
      using(AsyncEvent(options: $0)) { event in
        try await expectToWait(event.wait)
        try await event.set(within: patience)
        try await event.wait(within: patience)
      }
    },
    Restarted("an event that is set") {
      using(AsyncEvent(isSet: true, options: $0)) { event in
        try await event.wait(within: patience)
        try await event.reset(within: patience)
      }
    },
    Restarted("a counter") { using(Counter(options: $0)) { check(try await $0.add(1, within: patience) == 1) } },
    Restarted("a switch") { options in
      let (button, passed) = (Switch(options: options), Tally())
      return using(button) { button in
        let before = passed.count
        try accept(button.request { passed.add() })
        check(await button.control.quiet(within: patience))
        check(passed.count == before)
        try await button.turnOn(within: patience)
        await eventually("the request passes") { passed.count == before + 1 }
      }
    },
    Restarted("a value that is made once") {
      using(Once(options: $0) { 7 }) { check(try await $0.value(within: patience) == 7) }
    },
  ]

  private static let passing =
    [
      Restarted("a buffer") {
        using(BoundedBuffer<Int>(capacity: 1, options: $0)) { buffer in
          try await buffer.put(1, within: patience)
          check(try await buffer.take(within: patience) == 1)
          try await buffer.put(2, within: patience)
        }
      },
      Restarted("ticks", staysStopped: true) {
        using(Channel.ticks(every: .milliseconds(1), options: $0)) { _ = try await $0.receive(within: patience) }
      },
    ]
    + [ChannelCapacity.unbuffered, .buffered(1), .buffered(2), .unbounded].map { capacity in
      Restarted("a channel, \(capacity)") {
        using(Channel<Int>(capacity, options: $0)) { channel in
          async let sending: Void = channel.send(1, within: patience)
          check(try await channel.receive(within: patience) == 1)
          try await sending
          if capacity != .unbuffered { check(channel.trySend(2)) }
          check(channel.close())
        }
      }
    }

  private static let later = [
    Restarted("a promise", staysStopped: true) { options in
      let promise = Promise<Int>(options: options)
      promise.fulfil(1)
      return using(promise) { check(try await $0.value(within: patience) == 1) }
    },
    Restarted("a promise of work", staysStopped: true) {
      using(Promise(options: $0) { 1 }) { check(try await $0.value(within: patience) == 1) }
    },
    Restarted("a delay", staysStopped: true) {
      using(Promise.after(.milliseconds(1), options: $0)) { try await $0.value(within: patience) }
    },
    Restarted("a generator", staysStopped: true) {
      using(Generator<Int>(options: $0) { yield in while true { try await yield(1) } }) {
        check(try await $0.take(2, within: patience) == [1, 1])
      }
    },
    Restarted("a coroutine", staysStopped: true) { options in
      let coroutine = Coroutine<Int, Int>(options: options) { first, yield in
        var next = first
        while true { next = try await yield(next) }
      }
      return using(coroutine) { check(try await $0.next(with: 3, within: patience) == 3) }
    },
    Restarted("work in steps", staysStopped: true) { options in
      let steps = Cancelable(from: 0, options: options) { number in
        number += 1
        return number < 5
      }
      return using(steps) { check(try await $0.result(within: patience) == 5) }
    },
  ]

  private static let actors = [
    Restarted("an async agent") { using(AsyncAgent(options: $0) { Register() }) { try await expectFresh($0) } },
    Restarted("an agent") { using(Agent(options: $0) { Register() }) { try await expectFresh($0) } },
    Restarted("a pool of agents") {
      using(AgentPool(members: 1, options: $0) { Register() }) { try await expectFresh($0) }
    },
    Restarted("a supervised agent") { options in
      let supervisor = Supervisor(options: options)
      let agent = try supervisor.supervise("one", options: options) { Register() }
      return using(agent) { [supervisor] agent in
        _ = supervisor
        try await expectFresh(agent)
      }
    },
    Restarted("a supervised pool") { options in
      let supervisor = Supervisor(options: options)
      let pool = try supervisor.supervise("one", members: 1, options: options) { Register() }
      return using(pool) { [supervisor] pool in
        _ = supervisor
        try await expectFresh(pool)
      }
    },
    Restarted("a supervisor") { options in
      let (supervisor, number) = (Supervisor(options: options), Tally())
      return using(supervisor) { supervisor in
        let agent = try supervisor.supervise("\(number.add())", options: options) { Register() }
        try await expectFresh(agent)
      }
    },
    Restarted("a topic") { options in
      let topic = Topic<Int>(options: options)
      return using(topic) { topic in
        let log = Log<Int>()
        let subscription = try topic.subscribe(options: options) { log.append($0) }
        try accept(topic.publish(1))
        await eventually("the value comes") { log.all == [1] }
        await subscription.end()
      }
    },
  ]

  private static let timed = [
    Restarted("a cache") { _ in
      using(Cache<Int, Int> { $0 }) { check(try await $0.value(7, within: patience) == 7) }
    },
    Restarted("connections by key", staysStopped: true) { _ in
      using(KeyedConnectionPool<Int, Int>(limit: 1) { $0 }) { try await $0.withConnection(1) { _ in } }
    },
    Restarted("a keyed lock", staysStopped: true) { _ in using(KeyedLock<Int>()) { try await $0.withLock(1) {} } },
    Restarted("a dedup") { _ in using(Dedup<Int>(for: .seconds(1_000))) { check(try await $0.isFirst(1)) } },
    Restarted("a keyed rate limiter") { _ in
      using(KeyedRateLimiter<Int>(1, per: .seconds(1_000))) { check(try await $0.attempt(1) == nil) }
    },
    Restarted("a correlator") { _ in
      using(Correlator<Int, Int> { _, _ in }) { replies in
        try accept(replies.deliver(7, for: 1))
        check(try await replies.reply(1, within: patience) == 7)
      }
    },
    Restarted("publications") { _ in
      using(PubSub<Int, Int>()) { publications in
        check(try await publications.publish(1, to: 1, within: patience) == 0)
        let subscription = try await publications.subscribe(to: 1)
        try await publications.publish(2, to: 1, within: patience)
        check(try await subscription.next() == 2)
        try await publications.publish(3, to: 1, within: patience)
      }
    },
    Restarted("a rate limiter") {
      using(RateLimiter(1, per: .seconds(1_000), options: $0)) { try await $0.pass(within: patience) }
    },
    Restarted("a debounce") { options in
      let log = Log<Int>()
      let debounce = Debounce<Int>(for: .milliseconds(1), options: options) { log.append($0) }
      return using(debounce) { debounce in try await expectAction(log) { debounce.send(1) } }
    },
    Restarted("a throttle") { options in
      let log = Log<Int>()
      let throttle = Throttle<Int>(every: .seconds(1_000), options: options) { log.append($0) }
      return using(throttle) { throttle in try await expectAction(log) { throttle.send(1) } }
    },
    Restarted("a batcher") { options in
      let log = Log<Int>()
      let batcher = Batcher<Int>(size: 2, within: .seconds(1_000), options: options) { log.append($0.count) }
      return using(batcher) { batcher in
        try await expectAction(log) { batcher.add(1) && batcher.add(2) }
        batcher.add(3)
      }
    },
    Restarted("batches by key") { options in
      let log = Log<Int>()
      let batches = Batches<Int, Int>(size: 2, within: .seconds(1_000), by: { $0 % 2 }, options: options) {
        log.append($1[0])
      }
      return using(batches) { batches in try await expectAction(log) { batches.add(1) && batches.add(3) } }
    },
    Restarted("windows") { options in
      let log = Log<Int>()
      let windows = Windows<Int, Int>(.tumbling(.seconds(5)), by: { $0 % 2 }, at: { .seconds($0) }, options: options) {
        log.append($0.values[0])
      }
      return using(windows) { windows in try await expectAction(log) { windows.add(1) && windows.add(6) } }
    },
  ]

  /// Expects the condition. A macro within these closures would not tell the compiler that they throw.
  private static func check(_ isSo: Bool, _ location: SourceLocation = #_sourceLocation) {
    #expect(isSo, sourceLocation: location)
  }

  private static func expectToWait(_ wait: FastInjector<Void, Void>) async throws(CallError) {
    do throws(CallError) {
      try await wait(within: .zero)
      Issue.record("nothing to wait for")
    } catch {
      if error != .timedOut { throw error }
    }
  }

  /// Expects that the object is new, and changes it.
  private static func expectFresh(_ recipient: some Recipient<Register>) async throws {
    let isFresh = try await recipient.ask(within: patience) { register in
      defer { register.values.append(1) }
      return register.values.isEmpty
    }
    check(isFresh)
  }

  private static func expectAction(_ log: Log<Int>, _ send: () -> Bool) async throws {
    let before = log.count
    try accept(send())
    await eventually("the action runs") { log.count == before + 1 }
  }
}
