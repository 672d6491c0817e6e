import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@Suite(.watched)
struct `The clock that bodies read` {
  /// The token bucket of the article on timers.
  private struct Bucket {
    var tokens = 3
    var filledAt: Duration?

    mutating func take(at now: Duration) -> Bool {
      let filled = filledAt ?? now
      let new = Int((now - filled) / .seconds(1))
      tokens = min(3, tokens + new)
      filledAt = filled + .seconds(new)
      if tokens == 0 { return false }
      tokens -= 1
      return true
    }
  }

  @Test(arguments: Run.setups)
  func `Bodies read the soup's clock, which a manual clock advances`(setup: Setup) async throws {
    let clock = ManualClock()
    let (take, _) = setup.with(clock: clock).define(fast("take", returning: Bool.self), named: "bucket") { soup, take in
      let bucket = soup.state("bucket", Bucket())
      let clock = soup.clock
      soup.react(state: bucket, take) { bucket, call in call.reply(bucket.take(at: clock.now)) }
    }
    func taken() async throws -> Int {
      var count = 0
      for _ in 0..<5 where try await take() { count += 1 }
      return count
    }
    #expect(try await taken() == 3)
    clock.advance(by: .milliseconds(2_999))
    #expect(try await taken() == 2)
    clock.advance(by: .milliseconds(1))
    #expect(try await taken() == 1)
    clock.advance(by: .seconds(3600))
    #expect(try await taken() == 3)
    #expect(clock.nextAwakening == nil, "no timer is armed")
  }

  @Test(arguments: matchers)
  func `Without a clock of its own a soup reads the monotonic clock, also when it is gone`(
    matcher: Matcher
  ) async throws {
    let outside = Shared<Soup.ClockReader>(nil)
    func readTwice() async throws -> (Duration, Duration) {
      let (read, _) = matcher.define(fast("read", returning: Duration.self)) { soup, read in
        let clock = soup.clock
        outside.put(clock)
        soup.react(read) { call in call.reply(clock.now) }
      }
      return (try await read(), try await read())
    }
    let (first, second) = try await readTwice()
    let third = try #require(outside.value).now
    #expect(first <= second && second <= third && third < first + patience)
  }
}
