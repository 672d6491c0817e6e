import Crucible
import CrucibleTestSupport
import Testing

/// Contract 4 for calls within another value. Such a call ends with the reason for the value's destruction.
@Suite(.watched, .serialized)
struct `Calls within a value` {
  struct Request: Sendable {
    let name: String
    let call: Call<Int, Int>
  }

  enum End: CaseIterable, Sendable, CustomTestStringConvertible {
    case clear, stop, gone
    var testDescription: String { "\(self)" }
    var error: CallError { self == .clear ? .cleared : self == .stop ? .stopped : .gone }
  }

  /// Expects that two calls within one value both end for the reason of `end`. `wrap` makes the value.
  private func check<Value: Sendable>(
    _ matcher: Matcher, _ end: End, _ wrap: @escaping @Sendable (Call<Int, Int>, Call<Int, Int>) -> Value
  ) async {
    var ask: FastInjector<Int, Int>?
    var kept: Injector<Value>?
    var control: Soup.Control? = Soup.define("wrapped", with: .init(matcher: matcher, placement: .inline)) { soup in
      let asked = soup.fast("ask", of: Int.self, returning: Int.self)
      let wrapped = soup.slow("wrapped", of: Value.self)
      let never = soup.slow("never")
      soup.react(asked, asked) { a, b in wrapped(wrap(a, b)) }
      soup.react(wrapped, never) { _, _ in }
      (ask, kept) = (asked, wrapped)
      return soup.control
    }
    let tasks = [WayToCall.suspending, .blocking].map { way in Task { [ask] in await way.call(ask!, 1) } }
    while control!.snapshot()[kept!] == 0 { await Task.yield() }
    // The body holds the calls until it has ended.
    await control!.settle()
    switch end {
    case .clear: #expect(control!.clear() == 1)
    case .stop: #expect(await control!.stop().dropped == 1)
    case .gone: control = nil
    }
    for task in tasks { #expect(await task.value == .failure(end.error)) }
    withExtendedLifetime(control) {}
  }

  @Test(arguments: matchers, End.allCases)
  func `A call within a value ends with the reason for the value's destruction`(matcher: Matcher, end: End) async {
    await check(matcher, end) { (Request(name: "a", call: $0), Request(name: "b", call: $1)) }
    await check(matcher, end) { [$0, $1] }
    await check(matcher, end) { [Request(name: "a", call: $0), Request(name: "b", call: $1)] }
    await check(matcher, end) { (1, Optional($0), Optional($1)) }
    await check(matcher, end) { a, b in { @Sendable in _ = (a, b) } }
  }

  /// A deinitializer may inject, and the body that this runs may drop a call. That call was not within the value.
  @Test(arguments: matchers)
  func `A call that a value's deinitializer drops throws neverReplied, not the reason for the value's destruction`(
    matcher: Matcher
  ) async {
    let kept = Shared<Call<Int, Int>>(nil)
    let (ask, drop, other) = matcher.on(.inline).define(fast("ask", of: Int.self, returning: Int.self), slow("drop")) {
      soup, ask, drop in
      soup.react(ask) { call in kept.put(call) }
      soup.react(drop) { _ in _ = kept.take() }
    }
    let (value, _, control) = matcher.react(slow("value", of: AtItsEnd.self), slow("never"), named: "value") { _, _ in }
    let task = Task { await ask.outcome(1) }
    while kept.value == nil { await Task.yield() }
    await other.callers(1)
    value(AtItsEnd { drop() })
    #expect(control.clear() == 1)
    #expect(await task.value == .failure(.neverReplied))
  }
}
