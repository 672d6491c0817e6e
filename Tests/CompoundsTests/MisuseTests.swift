import Compounds
import Crucible
import CrucibleTestSupport
import Foundation
import Testing

/// A mistake in the use of a compound, and what the message that ends the program has to say.
struct Mistake: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let message: String
  let make: @Sendable (Soup.Options) -> Void

  init(_ title: String, _ message: String, _ make: @escaping @Sendable (Soup.Options) -> Void) {
    testDescription = title
    self.message = message
    self.make = make
  }

  static let all: [Mistake] = [
    Mistake("a lock that nobody has, released", "lock 'cache' (CompoundsTests/MisuseTests.swift:") {
      Lock("cache", options: $0).release()
    },
    Mistake("a lock released twice", "released while nobody has it") {
      let lock = Lock(options: $0)
      try! lock.acquire.blocking()
      lock.release()
      lock.release()
    },
    Mistake("a permit too many", "released beyond its limit of 1") {
      let semaphore = Semaphore(permits: 0, limit: 1, options: $0)
      semaphore.release()
      semaphore.release()
    },
    Mistake("a permit too many of very many", "released beyond its limit of 64") {
      Semaphore(permits: 64, options: $0).release()
    },
    Mistake("a permit too many of many", "released beyond its limit of 63") {
      Semaphore(permits: 63, options: $0).release()
    },
    Mistake("fewer permits than none", "the number of permits must be 0 to 1099511627776, not -1") {
      _ = Semaphore(permits: -1, options: $0)
    },
    Mistake("a semaphore for no permit", "the limit must be 1 to 1099511627776, not 0") {
      _ = Semaphore(permits: 0, options: $0)
    },
    Mistake("a limit below the permits", "the limit must be 2 to 1099511627776, not 1") {
      _ = Semaphore(permits: 2, limit: 1, options: $0)
    },
    Mistake("a reader that leaves without having entered", "left by a reader while none is inside") {
      ReadWriteLock(options: $0).leave(.reading)
    },
    Mistake("a writer that leaves as a reader", "left by a reader while none is inside") {
      let lock = ReadWriteLock(options: $0)
      try! lock.enter.blocking(.writing)
      lock.leave(.reading)
    },
    Mistake("a reader that leaves as a writer", "left by a writer while none is inside") {
      let lock = ReadWriteLock(options: $0)
      try! lock.enter.blocking(.reading)
      lock.leave(.writing)
    },
    Mistake("a barrier for nobody", "the number of parties must be 1 to 64, not 0") {
      _ = Barrier(parties: 0, options: $0)
    },
    Mistake("a barrier for too many", "the number of parties must be 1 to 64, not 65") {
      _ = Barrier(parties: 65, options: $0)
    },
    Mistake("a latch for fewer events than none", "the count must be 0 or more, not -1") {
      _ = CountDownLatch(-1, options: $0)
    },
    Mistake("an event too many for a latch", "counted down more often than 1 times") {
      let latch = CountDownLatch(1, options: $0)
      latch.countDown()
      latch.countDown()
    },
    Mistake("a buffer without room", "the capacity must be 1 to 1099511627776, not 0") {
      _ = BoundedBuffer<Int>(capacity: 0, options: $0)
    },
    Mistake("a pool of no agents", "the number of members must be 1 to 1048576, not 0") {
      _ = AgentPool(members: 0, options: $0) { 0 }
    },
    Mistake("a buffered channel without a buffer", "the capacity must be 1 or more, not 0") {
      _ = Channel<Int>(.buffered(0), options: $0)
    },
    Mistake("a neuron that may never run", "neuron 'none' (CompoundsTests/MisuseTests.swift:") { _ in
      _ = Neuron("none", NoAxon(), concurrency: 0) { _ in }
    },
  ]
}

@Suite(.watched)
struct `Misuse of a compound` {
  @Test(arguments: Mistake.all.indices.map { $0 }, matchers.map(\.description))
  func `ends the process with a message that says what is wrong`(index: Int, matcher: String) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [index = index as Int, matcher = matcher as String] in
      let matcher = Soup.Matcher.all.first { $0.description == matcher }!
      Mistake.all[index].make(.init(matcher: matcher))
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains(Mistake.all[index].message), "of \(Mistake.all[index].testDescription): \(message)")
  }
}
