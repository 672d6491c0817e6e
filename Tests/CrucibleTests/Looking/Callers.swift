import Crucible

/// The part of a waiting caller that a test can expect beforehand.
struct Caller: Hashable {
  let source: Soup.Source
  let isSuspended: Bool
  let limit: Duration?

  init(line: Int, isSuspended: Bool, limit: Duration? = nil, file: String = #fileID) {
    source = Soup.Source(file: file, line: line)
    self.isSuspended = isSuspended
    self.limit = limit
  }

  init(_ call: WaitingCall) {
    source = call.source
    isSuspended = call.form == .suspended
    limit = call.limit
  }
}

/// A soup that answers a call as soon as it has a token.
struct Desk: Sendable {
  let ask: FastInjector<Int, Int>
  let tick: FastInjector<Void, Int>
  let token: Injector<Void>
  let control: Soup.Control

  init(_ setup: Setup, clock: (any Clock<Duration>)? = nil) {
    (ask, tick, token, control) = setup.with(clock: clock).define(
      fast("ask", of: Int.self, returning: Int.self), fast("tick", returning: Int.self), slow("token")
    ) { soup, ask, tick, token in
      soup.react(ask, token) { call, _ in call.reply(-call.input) }
      soup.react(tick, token) { call, _ in call.reply(7) }
    }
  }
}
