public import Crucible

/// The connections of one host, and the number of the callers that wait for one: what the pool decides.
///
/// HOST-1  A connection is idle, or counted once: as taken, making, checking or closing. So all of them are `count`.
/// HOST-2  `waiting`, and the answers that are ready, are together as many as the molecules `waiting`, and the callers
///     that gave up of which the host has not been told. A caller that gave up while an answer was ready is balanced by
///     a molecule `late`, which consumes an answer.
///
/// Only bodies with the state of the pool use it.
@usableFromInline
final class Host<Key: Sendable, Connection: Sendable>: @unchecked Sendable {
  @usableFromInline typealias Held = Compounds.Held<Key, Connection>

  @usableFromInline let key: Key
  @usableFromInline let pool: PoolParts<Key, Connection>
  /// The identity of the stock that it belongs to. After a clear the pool has another one.
  @usableFromInline let round: Round
  /// The idle connections. The one that was used last is the last.
  @usableFromInline var idle: [Held] = []
  @usableFromInline var taken = 0
  @usableFromInline var making = 0
  @usableFromInline var checking = 0
  @usableFromInline var closing = 0
  /// Callers for which nothing is ready.
  @usableFromInline var waiting = 0
  /// The failures in a row to make a connection, and the time until which none is made for the minimum.
  @usableFromInline var failures = 0
  @usableFromInline var pausesUntil = Duration.zero
  @usableFromInline var alarm: (time: Duration, timer: Soup.Timer)?

  @inlinable
  init(_ key: Key, _ pool: PoolParts<Key, Connection>, _ round: Round) {
    (self.key, self.pool, self.round) = (key, pool, round)
  }

  @inlinable var count: Int { idle.count + taken + making + checking + closing }
  @inlinable var isEmpty: Bool { count + waiting == 0 }

  /// Ends what is idle. The host may live on with a connection that is in use.
  func end() {
    for held in idle { held.end() }
    idle = []
  }

  /// Replies with the connection that was used last, or has the caller wait.
  @inlinable
  func serve(_ call: Call<Key, Lease<Key, Connection>>) {
    if waiting == 0, let held = idle.last, pool.isFresh(held, at: pool.now) {
      held.lender = self
      if call.reply(Lease(held)) {
        idle.removeLast()
        taken += 1
      } else {
        held.lender = nil
      }
    } else if waiting >= pool.policy.waiting {
      call.fail(TooManyWaiting(limit: pool.policy.waiting))
    } else {
      waiting += 1
      call.onAbandoned { [pool] in pool.event(.gaveUp(self)) }
      pool.waiting(call)
    }
  }

  /// Takes a connection back from a caller.
  @inlinable
  func takeBack(_ held: Held, isBroken: Bool) {
    let now = pool.now
    held.lender = nil
    taken -= 1
    if isBroken || pool.isOld(held, at: now) { return close(held) }
    (held.usedAt, held.seenAt) = (now, now)
    keep(held, at: now)
  }

  /// Throws an error that no caller gets, because connections are being made for all others.
  @usableFromInline
  func dialled(_ result: Result<Held, any Error>) throws {
    let now = pool.now
    making -= 1
    switch result {
    case .success(let held):
      (failures, pausesUntil) = (0, .zero)
      hand(held, at: now)
    case .failure(let error):
      failures += 1
      if pool.policy.minimum > 0 {
        pausesUntil = now + pool.policy.pause(after: failures)
        setAlarm(pausesUntil, at: now)
      }
      if waiting <= making + checking { throw error }
      waiting -= 1
      pool.ready(.init(key, .failure(error)))
    }
  }

  @usableFromInline
  func checked(_ held: Held, isAlive: Bool) {
    let now = pool.now
    checking -= 1
    if !isAlive || pool.isOld(held, at: now) { return close(held) }
    held.seenAt = now
    hand(held, at: now)
  }

  @usableFromInline
  func gaveUp() {
    if waiting > 0 { waiting -= 1 } else { pool.late(key) }
  }

  /// Closes idle connections that are too old or unused for too long. Checks those that were last checked too long ago.
  @usableFromInline
  func alarmed() {
    let now = pool.now
    alarm = nil
    var open = count - closing
    let all = idle
    idle = []
    for held in all {
      let isUnused = open > pool.policy.minimum && (pool.policy.idle.map { now - held.usedAt >= $0 } ?? false)
      if isUnused || pool.isOld(held, at: now) {
        close(held)
        open -= 1
      } else if pool.isFresh(held, at: now) || pool.keepAlive == .zero {
        idle.append(held)
      } else {
        check(held)
      }
    }
    for held in idle { setAlarm(for: held, at: now) }
    if pausesUntil > now { setAlarm(pausesUntil, at: now) }
  }

  /// Gives callers what is idle. Has connections made for the others, and for the minimum.
  @inlinable
  func settle(isDraining: Bool) {
    if waiting > 0 && !idle.isEmpty { serveWaiting() }
    let policy = pool.policy
    if making + checking < waiting || count - closing < policy.minimum { dial(policy, isDraining: isDraining) }
    if isDraining && waiting == 0 { while let held = idle.popLast() { close(held) } }
    if isEmpty && isDraining || policy.minimum == 0, let last = alarm, isEmpty {
      last.timer.cancel()
      alarm = nil
    }
  }

  @usableFromInline
  func serveWaiting() {
    let now = pool.now
    while waiting > 0, let held = idle.last {
      let isOld = pool.isOld(held, at: now)
      let isFresh = pool.isFresh(held, at: now)
      if !isOld && !isFresh && checking >= waiting { return }
      idle.removeLast()
      if isOld { close(held) } else if isFresh { grant(held) } else { check(held) }
    }
  }

  @usableFromInline
  func dial(_ policy: ConnectionPolicy, isDraining: Bool) {
    let least = isDraining || pausesUntil > pool.now ? 0 : policy.minimum
    while making < policy.dials && count < pool.limit
      && (making + checking < waiting || count - closing < least)
    {
      making += 1
      pool.dial(self)
    }
  }

  /// Gives a connection to the caller that waits longest, or keeps it.
  private func hand(_ held: Held, at now: Duration) {
    if waiting > 0 { grant(held) } else { keep(held, at: now) }
  }

  private func grant(_ held: Held) {
    waiting -= 1
    taken += 1
    held.lender = self
    pool.ready(.init(key, .success(Lease(held))))
  }

  @usableFromInline
  func keep(_ held: Held, at now: Duration) {
    // One that was checked has its place by its last use.
    let place = idle.lastIndex { $0.usedAt <= held.usedAt }.map { $0 + 1 } ?? 0
    idle.insert(held, at: place)
    if pool.clock != nil { setAlarm(for: held, at: now) }
  }

  @usableFromInline
  func close(_ held: Held) {
    closing += 1
    pool.closing((self, held))
  }

  private func check(_ held: Held) {
    checking += 1
    pool.checking((self, held))
  }

  private func setAlarm(for held: Held, at now: Duration) {
    let policy = pool.policy
    if let life = policy.life { setAlarm(held.madeAt + life, at: now) }
    if let time = policy.idle, count - closing > policy.minimum { setAlarm(held.usedAt + time, at: now) }
    if let time = pool.keepAlive, time > .zero { setAlarm(held.seenAt + time, at: now) }
  }

  /// Has the host told at that time. One alarm is enough: the earliest.
  private func setAlarm(_ time: Duration, at now: Duration) {
    if let alarm, alarm.time <= time { return }
    alarm?.timer.cancel()
    alarm = (time, pool.event.after(time - now, .alarm(self)))
  }
}
