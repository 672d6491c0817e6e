public import Crucible

/// Lets requests through while it is on. Requests that come while it is off wait, or are ignored.
///
/// ```swift
/// let uploads = Switch("uploads")
/// uploads.request { upload(photo) }       // waits
/// try await uploads.turnOn()              // and now it runs
/// try await uploads.turnOff()             // later requests wait
/// ```
///
/// The definition. The position is a molecule, `on` or `off`:
///
/// ```
/// soup.react(turnOn, off) { call, _ in call.reply(); on() }
/// soup.react(turnOff, on) { call, _ in /* while requests wait: on(); again(call) */ call.reply(); off() }
/// soup.react(request, on) { request, _ in on(); run(request) }
/// ```
///
/// A switch that ignores what comes while it is off:
///
/// ```swift
/// let alarm = Switch("alarm", ignoring: true)
/// alarm.request { ring() }                // nothing happens
/// ```
///
/// ```
/// soup.react(request, off) { _, _ in off() }
/// ```
///
/// A request that came while the switch was on runs, even if it is turned off at once.
///
/// The `onError` of the options gets the error of a request. When the switch is gone, waiting requests are dropped.
///
/// - Complexity: O(1).
public struct Switch: Compound {
  /// Turns the switch on. If it is on already, nothing changes.
  ///
  /// Waits for bodies of this compound on other threads only: `turnOn.blocking()` is fine wherever a lock is.
  public let turnOn: FastInjector<Void, Void>
  /// Turns the switch off: later requests wait. Requests that have passed go on. Blocks as ``turnOn`` does.
  public let turnOff: FastInjector<Void, Void>
  /// Runs work once the switch is on. A switch that ignores drops work that comes while it is off. Does not block.
  public let request: Injector<@Sendable () throws -> Void>
  public let control: Soup.Control

  /// Makes a switch, which is on at first or not. If it is `ignoring`, it drops the requests that come while it is off.
  ///
  /// Requests run on the placement of the options.
  public init(
    isOn: Bool = false, _ label: String = "switch", ignoring: Bool = false, options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line
  ) {
    (turnOn, turnOff, request, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let turnOn = soup.fast("turn on", returning: Void.self)
      let turnOff = soup.fast("turn off", returning: Void.self)
      let request = soup.slow("request", of: (@Sendable () throws -> Void).self)
      let run = soup.slow("run", of: (@Sendable () throws -> Void).self)
      let on = soup.slow("on")
      let off = soup.slow("off")
      let again = soup.slow("again", of: Call<Void, Void>.self)
      let later = soup.slow("later", of: Call<Void, Void>.self)
      // The requests that a stop has refused while their body handed them on.
      let refused = soup.state("refused", holding: { $0 }) { 0 }
      let control = soup.control

      @Sendable func answer(_ call: Call<Void, Void>, and next: Injector<Void>) {
        call.reply()
        next()
      }
      @Sendable func close(_ call: Call<Void, Void>, _: Void) {
        if control.snapshot()[request] == 0 { return answer(call, and: off) }
        on()  // and the requests pass
        later(call)
      }
      soup.react(later, on: .pool) { call in again(call) }  // this thread returns, also if the requests are paused
      for position in [on, off] { soup.react(turnOn, position, on: .inline) { call, _ in answer(call, and: on) } }
      soup.react(turnOff, off, on: .inline) { call, _ in answer(call, and: off) }
      soup.react(again, off, on: .inline) { call, _ in answer(call, and: off) }
      soup.react(turnOff, on, on: .inline, close)
      soup.react(again, on, on: .inline, close)
      soup.react(state: refused, request, on, on: .inline) { refused, request, _ in
        on()
        if !run(request) { refused += 1 }
      }
      if ignoring { soup.react(request, off, on: .inline) { _, _ in off() } }
      soup.react(run) { request in try request() }

      soup.initially { if isOn { on() } else { off() } }
      return (turnOn, turnOff, request, control)
    }
  }
}
