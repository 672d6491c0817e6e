import CHarness
import Compounds
import Crucible
import Dispatch
import Glibc
import Synchronization

// The compounds that admit threads, against the usual means of Swift for the same job. lock, semaphore: threads add to
// a number without other protection; verified by its final value. read-write-lock: one round of 16 adds, the others
// read. It is verified by the final value, and no reader may see a number that is being changed. barrier: the threads
// meet again and again. It is verified by each thread's view of the others.

/// Makes the case. `work` is the number of steps of arithmetic that a thread does while it alone has the number.
func lock(_ work: Int) -> Opening {
  { setting in
    switch setting.strategy {
    case .swiftMutex: return additions(setting) { AddByMutex(number: $0, work: work) }
    case .pthreadMutex: return additions(setting) { Add(door: PthreadMutex(), number: $0, work: work) }
    default:
      let lock = Lock(options: setting.options)
      return additions(setting) { Add(door: Calls(entry: lock.acquire, exit: lock.release), number: $0, work: work) }
    }
  }
}

func semaphore(_ work: Int) -> Opening {
  { setting in
    switch setting.strategy {
    case .dispatchSemaphore: return additions(setting) { Add(door: DispatchDoor(), number: $0, work: work) }
    case .posixSemaphore: return additions(setting) { Add(door: PosixSemaphore(), number: $0, work: work) }
    default:
      let door = Semaphore(permits: 1, options: setting.options)
      return additions(setting) { Add(door: Calls(entry: door.acquire, exit: door.release), number: $0, work: work) }
    }
  }
}

func readWriteLock(_ work: Int) -> Opening {
  { setting in
    if setting.strategy == .pthreadRWLock {
      return additions(setting, of: 16) { ReadOrAdd(room: PthreadRWLock(), number: $0, work: work) }
    }
    let lock = ReadWriteLock(options: setting.options)
    return additions(setting, of: 16) { ReadOrAdd(room: RoomCalls(lock: lock), number: $0, work: work) }
  }
}

func barrier(_ setting: Setting) -> Contender {
  let parties = setting.crew.threads
  if setting.strategy == .pthreadBarrier { return meetings(setting, PthreadBarrier(parties)) }
  return meetings(setting, Meeting(arrive: Barrier(parties: parties, options: setting.options).arrive))
}

/// The protected number. Its halves differ only during a change.
private final class Number: @unchecked Sendable {
  var value = 0
  var half = 0
  let wrongLooks = Atomic(0)
  /// The result of the steps of arithmetic.
  private var digest = 1

  /// Adds 1 after so many steps of a random number generator (Marsaglia's xorshift). Each step needs the result of the
  /// step before.
  @inline(__always) func add(after work: Int) {
    digest = walked(work)
    value += 1
  }

  @inline(__always) func walked(_ work: Int) -> Int {
    var walked = digest
    for _ in 0..<work {
      walked ^= walked &<< 13
      walked ^= walked &>> 7
      walked ^= walked &<< 17
    }
    return walked
  }
}

/// Rounds in which each thread adds to a number so many times.
private func additions(_ setting: Setting, of period: Int = 1, _ work: (Number) -> some ThreadWork) -> Contender {
  let number = Number()
  let job = Job(work(number))
  return Contender { (rounds, recorders) throws(Wrong) in
    let before = number.value
    let sample = setting.crew.run(job, rounds: rounds, recorders: recorders)
    let additions = (Int(sample.rounds) + period - 1) / period
    try Wrong.unlessEqual("end value", expected: before + additions, found: number.value)
    try Wrong.unlessEqual("looks at half a change", expected: 0, found: number.wrongLooks.load(ordering: .relaxed))
    return sample
  }
}

/// A door that admits one thread at a time.
private protocol Door: Sendable {
  func enter() -> Bool
  func leave()
}

private struct Add<Kind: Door>: ThreadWork {
  let door: Kind
  let number: Number
  let work: Int

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { _ in
      probe.measure {
        // An error shows as a wrong number.
        guard door.enter() else { return }
        number.add(after: work)
        door.leave()
      }
    }
  }
}

private struct Calls: Door {
  let entry: FastInjector<Void, Void>
  let exit: Injector<Void>

  @inline(__always) func enter() -> Bool { (try? entry.blocking()) != nil }
  @inline(__always) func leave() { exit() }
}

private struct AddByMutex: ThreadWork {
  final class Guard: Sendable {
    let mutex = Mutex(())
  }

  let protection = Guard()
  let number: Number
  let work: Int

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { _ in
      probe.measure { protection.mutex.withLock { _ in number.add(after: work) } }
    }
  }
}

/// A structure of pthreads, on separate cache lines.
private class Lines<Content>: @unchecked Sendable {
  let content = UnsafeMutableRawPointer(aligned_alloc(64, (MemoryLayout<Content>.size + 63) & ~63)!)
    .bindMemory(to: Content.self, capacity: 1)

  deinit { free(content) }
}

private final class PthreadMutex: Lines<pthread_mutex_t>, Door, @unchecked Sendable {
  override init() {
    super.init()
    pthread_mutex_init(content, nil)
  }

  deinit { pthread_mutex_destroy(content) }

  func enter() -> Bool { pthread_mutex_lock(content) == 0 }
  func leave() { pthread_mutex_unlock(content) }
}

private struct DispatchDoor: Door, @unchecked Sendable {
  private let semaphore = DispatchSemaphore(value: 1)

  func enter() -> Bool {
    semaphore.wait()
    return true
  }
  func leave() { semaphore.signal() }
}

private final class PosixSemaphore: Lines<sem_t>, Door, @unchecked Sendable {
  override init() {
    super.init()
    sem_init(content, 0, 1)
  }

  deinit { sem_destroy(content) }

  func enter() -> Bool { sem_wait(content) == 0 }
  func leave() { sem_post(content) }
}

/// A room that admits several readers, or one writer.
private protocol Room: Sendable {
  func read() -> Bool
  func endReading()
  func write() -> Bool
  func endWriting()
}

private struct ReadOrAdd<Kind: Room>: ThreadWork {
  let room: Kind
  let number: Number
  let work: Int

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    var walked = 0
    share.forEachRound { round in
      probe.measure {
        // An error shows as a wrong number.
        if round % 16 == 0 {
          guard room.write() else { return }
          number.add(after: work)
          number.half += 1
          room.endWriting()
        } else {
          guard room.read() else { return }
          let seen = number.value
          walked &+= number.walked(work)
          if seen != number.half { number.wrongLooks.add(1, ordering: .relaxed) }
          room.endReading()
        }
      }
    }
    tally(walked)  // otherwise the compiler would remove the steps
  }
}

private struct RoomCalls: Room {
  let lock: ReadWriteLock

  @inline(__always) func read() -> Bool { (try? lock.enter.blocking(.reading)) != nil }
  @inline(__always) func endReading() { lock.leave(.reading) }
  @inline(__always) func write() -> Bool { (try? lock.enter.blocking(.writing)) != nil }
  @inline(__always) func endWriting() { lock.leave(.writing) }
}

private final class PthreadRWLock: Lines<pthread_rwlock_t>, Room, @unchecked Sendable {
  override init() {
    super.init()
    pthread_rwlock_init(content, nil)
  }

  deinit { pthread_rwlock_destroy(content) }

  func read() -> Bool { pthread_rwlock_rdlock(content) == 0 }
  func endReading() { pthread_rwlock_unlock(content) }
  func write() -> Bool { pthread_rwlock_wrlock(content) == 0 }
  func endWriting() { pthread_rwlock_unlock(content) }
}

/// A point that releases threads when all have arrived.
private protocol MeetingPoint: Sendable {
  func meet()
}

private struct Meeting: MeetingPoint {
  let arrive: FastInjector<Void, Void>

  /// An error shows as a thread that is ahead.
  @inline(__always) func meet() { try? arrive.blocking() }
}

private final class PthreadBarrier: Lines<pthread_barrier_t>, MeetingPoint, @unchecked Sendable {
  init(_ parties: Int) {
    super.init()
    pthread_barrier_init(content, nil, UInt32(parties))
  }

  deinit { pthread_barrier_destroy(content) }

  func meet() { pthread_barrier_wait(content) }
}

private func meetings(_ setting: Setting, _ point: some MeetingPoint) -> Contender {
  Contender { (rounds, _) throws(Wrong) in
    let (arrived, wrong) = (Sum(), Sum())
    let work = Meet(point: point, parties: setting.crew.threads, rounds: rounds, arrived: arrived, wrong: wrong)
    let sample = setting.crew.run(Job(work), rounds: rounds, recorders: nil)
    try Wrong.unlessEqual("threads ahead of others", expected: 0, found: wrong.value)
    return sample
  }
}

private struct Meet<Point: MeetingPoint>: ThreadWork {
  let point: Point
  let parties, rounds: Int
  let arrived, wrong: Sum

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    var mistakes = 0
    for round in 1...rounds {
      // Only at intervals, because it costs as much as a meeting.
      if round % 64 == 0 { arrived.add(1) }
      point.meet()
      if round % 64 == 0 && arrived.value < round / 64 * parties { mistakes += 1 }
    }
    wrong.add(mistakes)
  }
}
