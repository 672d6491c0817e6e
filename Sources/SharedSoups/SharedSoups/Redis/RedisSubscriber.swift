import Synchronization

/// Hears the wake-ups that other processes send to this one: one connection and one thread for each engine.
///
/// The server forgets what nobody hears. So the thread rings all bells after each new connection, and waits for bells
/// are bounded in any case. A connection that is silent is asked for a sign of life.
final class RedisSubscriber: Sendable {
  private struct State {
    var channels: [String] = []
    var confirmed: Set<String> = []
    var connection: RedisConnection?
    var isOver = false
  }
  private let address: RedisAddress
  private let bell: Bell
  private let state = Mutex(State())
  private static let silence: Int64 = 5_000_000_000

  init(_ address: RedisAddress, _ bell: Bell) { (self.address, self.bell) = (address, bell) }

  func begin(_ hear: @escaping @Sendable (String, String) -> Void) throws {
    try onOwnThread { [self] in
      var wait: Int32 = 10
      while !state.withLock({ $0.isOver }) {
        // It is lost sooner or later, and the next one hears the rest.
        let begin = MachineClock.monotonic.now
        try? self.hear(hear)
        state.withLock { ($0.connection, $0.confirmed) = (nil, []) }
        wait = MachineClock.monotonic.now - begin > 1_000_000_000 ? 20 : min(2 * wait, 1000)
        pause(wait)
      }
    }
  }

  func end() {
    state.withLock {
      $0.isOver = true
      $0.connection?.shut()
    }
  }

  /// Subscribes, and returns when the server has confirmed it, or the patience is over.
  func listen(to channels: [String], _ patience: Int64) throws {
    let deadline = MachineClock.monotonic.now.adding(patience)
    state.withLock { state in
      let new = channels.filter { !state.channels.contains($0) }
      state.channels += new
      // If it fails, the thread finds out, and subscribes again.
      for channel in new { try? state.connection?.send(RedisRequest("SUBSCRIBE", channel), until: deadline) }
    }
    while true {
      let seen = bell.read(Bell.ofControl)
      let left = deadline - MachineClock.monotonic.now
      if state.withLock({ state in channels.allSatisfy { state.confirmed.contains($0) } }) { return }
      if left <= 0 { throw EngineError(.system, "\(address): it does not confirm a subscription") }
      bell.wait(Bell.ofControl, seen: seen, Bell.everybody, atMost: min(left, longestWait))
    }
  }

  private func hear(_ hear: (String, String) -> Void) throws {
    var deadline: Int64 { MachineClock.monotonic.now + RedisSubscriber.silence }
    let connection = try address.open(until: deadline)
    try state.withLock { state in
      if state.isOver { return }
      state.connection = connection
      for channel in state.channels { try connection.send(RedisRequest("SUBSCRIBE", channel), until: deadline) }
    }
    var (isAsked, isNew) = (false, true)
    while !state.withLock({ $0.isOver }) {
      guard connection.hasReply(until: deadline) else {
        if isAsked { return }
        isAsked = true
        try state.withLock { _ in try connection.send(RedisRequest("PING"), until: deadline) }
        continue
      }
      isAsked = false
      let reply = try connection.receive(until: deadline)
      // The reply to PING is a string while no channel is subscribed, and a list otherwise.
      if case .bytes = reply { continue }
      var fields = try RedisFields(reply)
      let (kind, channel) = (try fields.text(), try fields.text())
      if kind == "message" { hear(channel, try fields.text()) }
      if kind != "subscribe" { continue }
      let isComplete = state.withLock { state in
        state.confirmed.insert(channel)
        return state.confirmed.count == state.channels.count
      }
      if isComplete && isNew {
        isNew = false
        for bell in 0..<Bell.count { self.bell.ring(bell, Bell.everybody, all: true) }
      } else {
        bell.ring(Bell.ofControl, Bell.everybody, all: true)
      }
    }
  }
}
