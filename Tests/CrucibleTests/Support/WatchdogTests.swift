import Crucible
import CrucibleTestSupport
import Testing

@Suite("The watchdog", .watched)
struct WatchdogTests {
  @Test("The watchdog ends a process whose test is stuck, and describes its soups")
  func bites() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (wait, control) = Soup.define("abandoned") { soup in
        let wait = soup.fast("wait", returning: Int.self)
        let never = soup.slow("never")
        soup.react(wait, never) { call, _ in call.reply(1) }
        return (wait, soup.control)
      }
      let stuck = Task { try await onThread { try wait.blocking() } }
      while control.snapshot()[wait] == 0 { await Task.yield() }
      try await Watchdog.guarding("stuck", within: .milliseconds(20)) { _ = try await stuck.value }
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    for part in ["'stuck' did not end", "soup 'abandoned'", "fast wait: 1", "reaction wait & never"] {
      #expect(message.contains(part))
    }
  }

  @Test("The watchdog lets a test pass that ends in time")
  func sleeps() async {
    let result = await Watchdog.guarding("quick", within: .seconds(60)) { 7 }
    #expect(result == 7)
  }
}
