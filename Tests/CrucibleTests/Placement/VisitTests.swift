import Crucible
import CrucibleTestSupport
import Dispatch
import Glibc
import Testing

// The tests in processes of their own need threads that have counters in a soup (firing/stripes.h).

/// `.automatic`: a synchronous body that has shown to be short runs on the thread of a caller that waits for it.
@Suite(.watched, .serialized)
struct `Bodies on the threads of callers` {
  private static let automatic = Matcher.word.on(.automatic)

  /// Defines a soup whose body replies with the thread that runs it, after `body`.
  fileprivate static func ask(
    _ setup: some Defining = automatic, _ body: @escaping @Sendable (Int) -> Void = { _ in }
  ) -> FastInjector<Int, UInt> {
    setup.react(fast("ask", of: Int.self, returning: UInt.self)) { call in
      body(call.input)
      call.reply(UInt(pthread_self()))
    }.0
  }

  /// Defines the same with an `async` body.
  fileprivate static func askAsync(
    _ placement: Placement = .automatic, _ body: @escaping @Sendable (Call<Int, UInt>) async throws -> Void
  ) -> FastInjector<Int, UInt> {
    Soup.Options(placement: placement).react(fast("ask", of: Int.self, returning: UInt.self)) { call async throws in
      try await body(call)
    }.0
  }

  /// Calls until the calling thread runs a body, or 300 times. Returns whether it has run one.
  fileprivate static func isVisited(_ ask: FastInjector<Int, UInt>) async throws -> Bool {
    try await onThread {
      for _ in 0..<300 where try ask.blocking(0) == UInt(pthread_self()) { return true }
      return false
    }
  }

  /// A body on the pool runs in no task.
  fileprivate static func isVisited(awaiting ask: FastInjector<Void, Bool>) async throws -> Bool {
    for _ in 0..<300 where try await ask() { return true }
    return false
  }

  @MainActor fileprivate static func isVisited(onMainActor ask: FastInjector<Void, Bool>) async throws -> Bool {
    for _ in 0..<300 where try await ask() { return true }
    return false
  }

  fileprivate static func inTask(_ setup: Setup = automatic) -> FastInjector<Void, Bool> {
    setup.react(fast("ask", returning: Bool.self)) { call in call.reply(withUnsafeCurrentTask { $0 != nil }) }.0
  }

  /// Reactions, and whether their bodies come to run where a caller waits.
  private static let reactions: [(title: String, visits: Bool, isVisited: @Sendable () async throws -> Bool)] = [
    ("short, for a thread that blocks", true, { try await isVisited(ask()) }),
    ("short, for a task that awaits", true, { try await isVisited(awaiting: inTask()) }),
    ("short, in a soup that carries contexts", true, { try await isVisited(ask(Soup.Options(carriesContext: true))) }),
    ("async", true, { try await isVisited(askAsync { $0.reply(UInt(pthread_self())) }) }),
    ("async, on the pool", false, { try await isVisited(askAsync(.pool) { $0.reply(UInt(pthread_self())) }) }),
    (
      "async, and suspends", false,
      {
        try await isVisited(
          askAsync { call in
            try await Task.sleep(for: .milliseconds(1))
            call.reply(UInt(pthread_self()))
          })
      }
    ),
    ("waits in the library", false, { try await isVisited(ask { _ in Soup.Pool.blocking {} }) }),
    ("waits in the kernel", false, { try await isVisited(ask { _ in poll(nil, 0, 1) }) }),
    (
      "computes for long", false,
      {
        try await isVisited(
          ask { _ in
            let begin = clock()
            while clock() - begin < 200 {}  // microseconds of processor time
          })
      }
    ),
  ]

  @Test(arguments: reactions.indices.map { $0 })
  func `A short body comes to run where its caller waits, also an async one, and no body that waits or computes`(
    index: Int
  ) async throws {
    await #expect(processExitsWith: .success) { [index = index as Int] in
      let reaction = Self.reactions[index]
      let isVisited = try await reaction.isVisited()
      #expect(isVisited == reaction.visits, "\(reaction.title)")
    }
  }

  @Test func `An async body that suspends does not keep the caller on whose thread it began`() async throws {
    await #expect(processExitsWith: .success) {
      let (gate, ended) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
      let ask = Self.askAsync { call in
        call.reply(UInt(pthread_self()))
        if call.input == 0 { return }
        for await _ in gate.stream { break }
        ended.continuation.yield()
      }
      let isVisited = try await Self.isVisited(ask)
      #expect(isVisited)
      _ = try await ask(1)  // the body goes on after this
      gate.continuation.yield()
      for await _ in ended.stream { break }
    }
  }

  /// A body of a soup that carries contexts.
  enum Form: String, CaseIterable { case synchronous, async, ofTwoCallers, ofSomeContext }

  @Test(arguments: Form.allCases)
  func `A body that visits callers has the context of its first call, or perhaps none if its soup carries none`(
    form: Form
  ) async throws {
    let ask = Soup.define("context", with: .init(carriesContext: form != .ofSomeContext)) { soup in
      let first = soup.fast("first", returning: Int?.self)
      let second = soup.fast("second", returning: Int?.self)
      switch form {
      case .synchronous, .ofSomeContext: soup.react(first) { call in call.reply(Tenant.number) }
      case .async: soup.react(first) { call async in call.reply(Tenant.number) }
      case .ofTwoCallers:
        soup.react(first, second) { first, second in
          second.reply(Tenant.number)
          first.reply(Tenant.number)
        }
      }
      if form != .ofTwoCallers { soup.react(second) { call in call.reply(Tenant.number) } }
      return (first: first, second: second)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for tenant in 0..<8 {
        group.addTask {
          for _ in 0..<1000 {
            let isFirst = form != .ofTwoCallers || tenant % 2 == 0
            let seen = try await Tenant.$number.withValue(tenant) {
              isFirst ? try await ask.first() : try await ask.second()
            }
            if form == .ofSomeContext && seen == nil { continue }
            #expect(isFirst ? seen == tenant : (seen ?? 1) % 2 == 0)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Places whose threads have other work, and run bodies in tasks that do not show the place.
  @Test func `No body runs on the thread of a queue that waits for it, in whatever task`() async throws {
    await #expect(processExitsWith: .success) {
      let ask = Self.ask()
      let isVisited = try await Self.isVisited(ask)
      #expect(isVisited)
      let queue = Placement.queue(DispatchQueue(label: "queue"))
      let (onQueue, _) = Soup.Options().react(fast("go", returning: Bool.self), on: queue) { call throws in
        call.reply(try ask.blocking(0) == UInt(pthread_self()))
      }
      let isVisitedThere = try await Self.isVisited(awaiting: onQueue)
      #expect(!isVisitedThere)
    }
  }

  @Test func `No body runs on a thread that injects a slow molecule`() async throws {
    await #expect(processExitsWith: .success) {
      let (go, ask, _) = Matcher.word.on(.automatic).react(slow("go"), fast("ask", returning: UInt.self)) { _, call in
        call.reply(UInt(pthread_self()))
      }
      try await onThread {
        repeat { go() } while try ask.blocking() != UInt(pthread_self())
      }
      let threads = try await onThreads(2) { index in
        for _ in 0..<300 where index == 0 { go() }
        return (UInt(pthread_self()), try (0..<300).filter { _ in index == 1 }.map { _ in try ask.blocking() })
      }
      #expect(!threads[1].1.contains(threads[0].0))
    }
  }

  @Test(arguments: matchers)
  func `On the pool no body runs on the thread of a caller`(matcher: Matcher) async throws {
    #expect(try await !Self.isVisited(Self.ask(matcher.on(.pool))))
    #expect(try await !Self.isVisited(awaiting: Self.inTask(matcher.on(.pool))))
  }

  @Test func `No body runs in a task on the main actor, or on an executor of the program`() async throws {
    await #expect(processExitsWith: .success) {
      let ask = Self.inTask()
      let isVisited = try await Self.isVisited(awaiting: ask)
      #expect(isVisited)
      let isVisitedOnMain = try await Self.isVisited(onMainActor: ask)
      #expect(!isVisitedOnMain)
      let isVisitedElsewhere = try await Task(executorPreference: CountingTaskExecutor()) {
        try await Self.isVisited(awaiting: ask)
      }.value
      #expect(!isVisitedElsewhere)
    }
  }

  @Test func `A call with a limit ends in time, though a body of its reaction blocks`() async throws {
    await #expect(processExitsWith: .success) {
      let end = DispatchSemaphore(value: 0)
      let ask = Self.ask { input in if input == 1 { end.wait() } }
      let isVisited = try await Self.isVisited(ask)
      #expect(isVisited)
      await #expect(throws: CallError.timedOut) { try await ask(1, within: .milliseconds(20)) }
      end.signal()
    }
  }

  /// The ways in which a body that was short takes long.
  enum Delay: String, CaseIterable { case inTheLibrary, inTheKernel }

  @Test(arguments: Delay.allCases)
  func `A body that blocks its caller ends the visits of its reaction, with one warning`(delay: Delay) async throws {
    await #expect(processExitsWith: .success) { [name = delay.rawValue as String] in
      let delay = Delay(rawValue: name)!
      let (logged, told) = (Log<Soup.Warning>(), DispatchSemaphore(value: 0))
      let before = Soup.Warning.log
      Soup.Warning.log = { warning in
        guard warning.kind == .outlasts else { return before(warning) }
        logged.append(warning)
        told.signal()
      }
      let ask = Self.ask { input in
        if input == 1 && delay == .inTheLibrary { Soup.Pool.blocking { told.wait() } }
        if input == 1 && delay == .inTheKernel { told.wait() }
      }
      let isVisited = try await Self.isVisited(ask)
      #expect(isVisited)
      let isLast = try await onThread {
        while try ask.blocking(0) != UInt(pthread_self()) {}
        return try ask.blocking(1) == UInt(pthread_self())
      }
      #expect(isLast)
      let isVisitedLater = try await Self.isVisited(ask)
      #expect(!isVisitedLater)
      #expect(logged.all.map(\.subject) == ["reaction ask"])
    }
  }
}

private enum Tenant {
  @TaskLocal static var number: Int?
}
