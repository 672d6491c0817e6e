public import Crucible

/// Lets callers wait until an event is set. It stays set until it is reset.
///
/// ```swift
/// let online = AsyncEvent()
/// try await online.wait()             // until the connection is there
/// try await online.set()              // it is
/// try await online.reset()            // it is gone: from now on callers wait again
/// ```
///
/// The definition. The event is a molecule, `open` or `shut`:
///
/// ```
/// soup.react(wait, open) { call, _ in call.reply(); open() }
/// soup.react(set, shut) { call, _ in call.reply(); open() }
/// soup.react(reset, open) { call, _ in /* while callers wait: open(); again(call) */ call.reply(); shut() }
/// ```
///
/// Setting and resetting are calls, so each has happened when its caller goes on: a wait after a reset waits, and a
/// caller that waited before a set goes on, even if a reset follows at once. So a reset lets those go first.
///
/// - Complexity: O(1).
public struct AsyncEvent: Compound {
  /// Waits until the event is set. If the caller gives up, its call is withdrawn.
  public let wait: FastInjector<Void, Void>
  /// Sets the event, and lets all waiting callers go on. If the event is set already, nothing changes.
  ///
  /// Waits for bodies of this compound on other threads only: `set.blocking()` is fine wherever a lock is.
  public let set: FastInjector<Void, Void>
  /// Resets the event. If the event is not set, nothing changes. Blocks as ``set`` does.
  public let reset: FastInjector<Void, Void>
  public let control: Soup.Control

  /// Makes an event, which is set at first or not.
  public init(
    isSet: Bool = false, _ label: String = "event", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line
  ) {
    (wait, set, reset, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let wait = soup.fast("wait", returning: Void.self)
      let set = soup.fast("set", returning: Void.self)
      let reset = soup.fast("reset", returning: Void.self)
      let open = soup.slow("open")
      let shut = soup.slow("shut")
      let again = soup.slow("again", of: Call<Void, Void>.self)
      let later = soup.slow("later", of: Call<Void, Void>.self)
      let control = soup.control

      @Sendable func answer(_ call: Call<Void, Void>, and next: Injector<Void>) {
        call.reply()
        next()
      }
      soup.react(wait, open, on: .inline) { call, _ in answer(call, and: open) }
      soup.react(set, shut, on: .inline) { call, _ in answer(call, and: open) }
      soup.react(set, open, on: .inline) { call, _ in answer(call, and: open) }
      @Sendable func close(_ call: Call<Void, Void>, _: Void) {
        if control.snapshot()[wait] == 0 { return answer(call, and: shut) }
        open()  // and the callers go on
        later(call)
      }
      soup.react(later, on: .pool) { call in again(call) }  // this thread returns, also if the callers are paused
      soup.react(reset, open, on: .inline, close)
      soup.react(again, open, on: .inline, close)
      soup.react(reset, shut, on: .inline) { call, _ in answer(call, and: shut) }
      soup.react(again, shut, on: .inline) { call, _ in answer(call, and: shut) }

      soup.initially { if isSet { open() } else { shut() } }
      return (wait, set, reset, control)
    }
  }
}
