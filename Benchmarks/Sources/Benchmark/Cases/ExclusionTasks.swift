import Compounds
import Crucible

// The compounds that admit tasks, against an actor that does the same. Verified by the sum of the replies: a round
// returns 1 if no other task used the number meanwhile. A thread's lock must not be held over an `await`, so there is
// no row of them.

extension Case {
  static let exclusionTasks = [
    awaited("lock-async", "tasks await a Lock around an addition") { options in
      let (lock, number) = (Lock(options: options), GuardedNumber())
      return { _ in (try? await lock.withLock { number.add() }) ?? 0 }
    } beside: {
      let keeper = NumberKeeper()
      return { _ in await keeper.add() }
    },
    awaited("semaphore-async", "tasks await a Semaphore with one permit around an addition") { options in
      let (door, number) = (Semaphore(permits: 1, options: options), GuardedNumber())
      return { _ in (try? await door.withPermit { number.add() }) ?? 0 }
    } beside: {
      let (door, number) = (ActorSemaphore(permits: 1), GuardedNumber())
      return { _ in
        await door.acquire()
        let answer = number.add()
        await door.release()
        return answer
      }
    },
    awaited("read-write-lock-async", "tasks await a ReadWriteLock around an addition, or around 15 looks") { options in
      let (lock, number) = (ReadWriteLock(options: options), GuardedNumber())
      return { round in
        if round % 16 == 0 { return (try? await lock.withWriting { number.add() }) ?? 0 }
        return (try? await lock.withReading { number.look() }) ?? 0
      }
    } beside: {
      let keeper = NumberKeeper()
      return { round in round % 16 == 0 ? await keeper.add() : await keeper.look() }
    },
    awaited("keyed-counter-async", "tasks count by a thousand keys") { options in
      let add = Soup.define("keyed counter", with: options) { soup in
        let count = soup.state("count", key: Int.self) { _ in 0 }
        let add = soup.fast("add", of: Int.self, key: { $0 }, returning: Int.self)
        soup.react(state: count, add, on: .inline) { count, call in
          count += 1
          call.reply(1)
        }
        return add
      }
      return { round in (try? await add(round % 1000)) ?? 0 }
    } beside: {
      let counts = KeyedCounts()
      return { round in await counts.add(round % 1000) }
    }.only(.locked),
  ]

  private static func awaited(
    _ name: String, _ summary: String, _ compound: @escaping @Sendable (Soup.Options) -> NumberedRound,
    beside alternative: @escaping @Sendable () -> NumberedRound
  ) -> Case {
    Case(name, summary, .inline, threads: [1, 2, 8], beside: [.swiftActor]) { setting in
      tasks(setting, numbered: setting.strategy == .swiftActor ? alternative() : compound(setting.options))
    }.needingProcessors()
  }
}

/// The protected number. Its halves differ only during a change.
private final class GuardedNumber: @unchecked Sendable {
  private var value = 0
  private var half = 0

  func add() -> Int {
    value += 1
    half += 1
    return look()
  }

  func look() -> Int { value == half ? 1 : 0 }
}

/// The actor that Swift's users write in place of a lock. It owns the number.
private actor NumberKeeper {
  private let number = GuardedNumber()

  func add() -> Int { number.add() }
  func look() -> Int { number.look() }
}

/// What Swift's users write in place of a state for each key.
private actor KeyedCounts {
  private var counts: [Int: Int] = [:]

  func add(_ key: Int) -> Int {
    counts[key, default: 0] += 1
    return 1
  }
}

/// Permits, and the tasks that wait for one.
private actor ActorSemaphore {
  private var permits: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(permits: Int) { self.permits = permits }

  func acquire() async {
    if permits > 0 {
      permits -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func release() {
    if waiting.isEmpty {
      permits += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
