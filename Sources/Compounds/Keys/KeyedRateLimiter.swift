public import Crucible

/// Lets a limited number of callers of each key pass, in the order in which they came.
///
/// ```swift
/// let limiter = KeyedRateLimiter<String>(10, per: .seconds(1))
/// if let wait = try await limiter.attempt(user) { return reject(retryAfter: wait) }    // at once
/// try await limiter.pass(user)                                                         // waits
/// ```
///
/// The definition. A bucket knows the time at which it is full again. A caller that must wait is a molecule of its own,
/// and meets its turn:
///
/// ```
/// soup.react(state: bucket, pass) { bucket, call in /* pass, or: */ waiting(call); turn.after(wait, key) }
/// soup.react(state: bucket, attempt) { bucket, call in call.reply(/* how long to wait, or nil */) }
/// soup.react(state: bucket, turn) { bucket, turn in /* if some wait: next(turn); if it is full: forget it */ }
/// soup.react(state: bucket, waiting, next) { bucket, call, _ in call.reply(); turn.after(wait, key) }
/// ```
///
/// After a rest, `count` callers of a key pass at once, and then one in each `interval / count`. This is the generic
/// cell rate algorithm of ATM networks (ITU-T I.371). ``RateLimiter`` also has a limit for any interval, and takes more
/// memory.
///
/// If a caller gives up, its call is withdrawn, and it has not passed. A key whose bucket is full again is forgotten:
/// only keys that were used within an interval take memory. A stop ends the callers that wait.
///
/// - Complexity: O(1) on average, and a timer for each key that is in use. A caller that waits takes a time in
///   proportion to the callers of its key when its turn comes.
public struct KeyedRateLimiter<Key: Hashable & Sendable>: Compound {
  /// Waits until the caller may pass with its key. A limit of zero tries.
  public let pass: FastInjector<Key, Void>
  /// Passes with a key if that is possible at once. Returns nil if the caller has passed, and otherwise the time after
  /// which an attempt may succeed. Never passes before callers that wait.
  public let attempt: FastInjector<Key, Duration?>
  public let control: Soup.Control

  @usableFromInline
  struct Bucket {
    /// The time at which it is full. Nil: it is full, and nobody waits.
    @usableFromInline var full: Duration?
    /// Whether callers wait, or have waited until now.
    @usableFromInline var isQueued = false
    /// The number of its last turn, so that an earlier one has no effect.
    @usableFromInline var turn = 0
    @usableFromInline var timer: Soup.Timer?

    @inlinable init() {}
  }

  @usableFromInline
  struct Turn: Sendable {
    @usableFromInline let key: Key
    @usableFromInline let number: Int

    @inlinable init(key: Key, number: Int) { (self.key, self.number) = (key, number) }
  }

  /// Makes a limiter that lets `count` callers of each key pass in an interval. A count below 1 ends the program, and
  /// so does an interval that is not positive.
  @inlinable
  public init(
    _ count: Int, per interval: Duration, _ label: String = "keyed rate limiter",
    options: Soup.Options = Soup.Options(), file: StaticString = #fileID, line: UInt = #line
  ) {
    let madeAt = MadeAt("keyed rate limiter", label, file, line)
    madeAt.require("the number of callers", count, in: 1...1 << 40)
    if interval <= .zero { madeAt.misuse("the interval must be positive, not \(interval)") }
    (pass, attempt, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let pass = soup.fast("pass", of: Key.self, key: \.self, returning: Void.self)
      let attempt = soup.fast("attempt", of: Key.self, key: \.self, returning: Duration?.self)
      let waiting = soup.slow("waiting", of: Call<Key, Void>.self, key: \.input)
      let turn = soup.slow("turn", of: Turn.self, key: \.key)
      // If its caller gives up just now, there may be no other one that takes it.
      let next = soup.slow("next", of: Turn.self, key: \.key, expires: interval, into: turn)
      let bucket = soup.state("bucket", key: Key.self, forget: .when { $0.full == nil }) { _ in Bucket() }
      let (clock, control) = (soup.clock, soup.control)
      let step = interval / count
      let room = interval - step

      @Sendable func delay(of bucket: Bucket, at now: Duration) -> Duration {
        bucket.full.map { max($0 - room - now, .zero) } ?? .zero
      }
      @Sendable func arm(_ bucket: inout Bucket, _ key: Key, after delay: Duration) {
        bucket.timer?.cancel()
        bucket.turn += 1
        bucket.timer = turn.after(delay, Turn(key: key, number: bucket.turn))
      }
      @Sendable func fill(_ bucket: inout Bucket, _ key: Key, _ now: Duration) {
        bucket.full = max(bucket.full ?? now, now) + step
        if bucket.timer == nil { arm(&bucket, key, after: step) }
      }
      // If all callers that waited have given up, the bucket's turn is when it is full.
      @Sendable func isQueued(_ bucket: inout Bucket, _ key: Key, _ now: Duration) -> Bool {
        if !bucket.isQueued || control.snapshot(of: key)[waiting] > 0 { return bucket.isQueued }
        bucket.isQueued = false
        arm(&bucket, key, after: max(bucket.full! - now, .zero))
        return false
      }
      soup.react(state: bucket, pass, on: .inline) { bucket, call in
        let now = clock.now
        let wait = delay(of: bucket, at: now)
        if wait == .zero && !isQueued(&bucket, call.input, now) {
          if call.reply() { fill(&bucket, call.input, now) }
          return
        }
        waiting(call)
        if !bucket.isQueued { arm(&bucket, call.input, after: wait) }
        bucket.isQueued = true
      }
      soup.react(state: bucket, attempt, on: .inline) { bucket, call in
        let now = clock.now
        let wait = delay(of: bucket, at: now)
        let isQueued = isQueued(&bucket, call.input, now)
        if wait > .zero || isQueued {
          call.reply(max(wait, isQueued ? step : .zero))
        } else if call.reply(nil) {
          fill(&bucket, call.input, now)
        }
      }
      soup.react(state: bucket, turn, on: .inline) { bucket, turn in
        if turn.number != bucket.turn { return }
        let now = clock.now
        if control.snapshot(of: turn.key)[waiting] > 0 {
          next(turn)
        } else if let full = bucket.full, full > now {
          bucket.isQueued = false
          arm(&bucket, turn.key, after: full - now)
        } else {
          bucket = Bucket()
        }
      }
      soup.react(state: bucket, waiting, next, on: .inline) { bucket, call, turn in
        if turn.number != bucket.turn {  // the turn was for a caller that gave up
          waiting(call)
          return
        }
        let now = clock.now
        if call.reply() { bucket.full = max(bucket.full ?? now, now) + step }
        arm(&bucket, turn.key, after: delay(of: bucket, at: now))
      }
      return (pass, attempt, soup.control)
    }
  }
}
