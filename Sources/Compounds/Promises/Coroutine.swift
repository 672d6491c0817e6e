public import Crucible

/// Lets a closure and its callers take turns: a caller's value goes into the closure, and the closure's next value
/// comes back. It cannot be restarted once it has been stopped.
///
/// ```swift
/// let average = Coroutine<Double, Double> { first, yield in
///   var (sum, count) = (first, 1.0)
///   while true {
///     sum += try await yield(sum / count)      // the value of the next call
///     count += 1
///   }
/// }
/// let one = try await average.next(3)          // 3
/// let two = try await average.next(5)          // 4
/// ```
///
/// The closure runs only while a caller waits: it begins with the first call, and rests in `yield` between two calls.
/// It is a task of its own on the soup's placement. A ``Generator`` is a coroutine whose callers give no values.
///
/// The definition. One molecule has the phase of the closure: `fresh`, resting (`taken`), working for a caller
/// (`asked`), working although its caller has given up (`idle`), or `over`:
///
/// ```
/// soup.react(fresh, next) { _, call in start(call.input); ask(call) }
/// soup.react(taken, resume, next) { _, resume, call in resume.reply(call.input); ask(call) }
/// soup.react(state: refused, asked, offered) { _, call, x in if call.reply(x) { taken() } else { offered(x) } }
/// soup.react(idle, offered) { _, _ in taken() }
/// soup.react(asked, ended) { call, error in … over() }
/// soup.react(next, over) { call, _ in call.reply(nil) }              // over is a fact
/// ```
///
/// The coroutine serves callers one after the other. If a caller gives up before its turn, its call is withdrawn. If it
/// gives up later, the closure has its value, and the next value of the closure is dropped. An error, or the end, goes
/// to the next caller.
///
/// The data of a coroutine are the variables of its closure. Functions that the closure calls get them by a task-local
/// value that the closure binds: it stays bound while the closure rests, because the closure is one task.
///
/// When the coroutine is gone, the task of its closure is cancelled, and a `yield` in which it rests throws. So nothing
/// leaks.
///
/// A drain waits in vain for a closure that rests, until its limit is over. The stop at its end lets `yield` throw.
///
/// - Complexity: O(1) for a value, and an allocation.
public struct Coroutine<Input: Sendable, Output: Sendable>: Compound {
  /// Gives the closure a value, and waits for its next one; `nil` once the closure has returned or thrown.
  ///
  /// - Throws: `CallError.failed`, once, with the error that the closure has thrown.
  public let next: FastInjector<Input, Output?>
  public let control: Soup.Control
  @usableFromInline let clock: Soup.ClockReader

  /// Hands values to the callers of a coroutine.
  ///
  /// ```swift
  /// @Sendable func count(from first: Int, _ yield: Coroutine<Int, Int>.Yield) async throws {
  ///   var number = first
  ///   while true { number += try await yield(number) }
  /// }
  /// let counting = Coroutine<Int, Int> { first, yield in try await count(from: first, yield) }
  /// ```
  ///
  /// - Complexity: O(1).
  public struct Yield: Sendable {
    @usableFromInline let offered: Injector<Output>
    @usableFromInline let resume: FastInjector<Void, Input>

    @inlinable
    init(_ offered: Injector<Output>, _ resume: FastInjector<Void, Input>) {
      self.offered = offered
      self.resume = resume
    }

    /// Hands out a value, suspends the closure until the next call, and returns that call's value.
    ///
    /// - Throws: `CallError.gone` or `CallError.cancelled` when the coroutine is gone, and `CallError.stopped`.
    @inlinable
    @discardableResult
    nonisolated(nonsending)
      public func callAsFunction(_ value: Output) async throws(CallError) -> Input
    {
      offered(value)
      return try await resume()
    }
  }

  /// Makes a coroutine whose closure has not begun. The closure gets the first call's value, and hands each of its own
  /// to its last argument.
  ///
  /// The closure runs on the placement of the options.
  @inlinable
  public init(
    _ label: String = "coroutine", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (Input, Yield) async throws -> Void
  ) {
    self.init(label, options, keepingOutputs: false, file, line, body)
  }

  /// `keepingOutputs`: if a caller gives up, the next caller gets the output that was made for it.
  @inlinable
  init(
    _ label: String, _ options: Soup.Options, keepingOutputs: Bool, _ file: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (Input, Yield) async throws -> Void
  ) {
    var options = options
    options.whenUnowned = .cancel
    (next, clock, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let next = soup.fast("next", of: Input.self, returning: Output?.self)
      let resume = soup.fast("resume", returning: Input.self)
      let start = soup.slow("start", of: Input.self)
      let fresh = soup.slow("fresh")
      let taken = soup.slow("taken")
      // The soup may be gone when a caller gives up, and when the closure ends.
      let idle = soup.slow("idle").weak
      let over = soup.fact("over")
      let asked = soup.slow("asked", of: Call<Input, Output?>.self)
      let offered = soup.slow("offered", of: Output.self)
      let ended = soup.slow("ended", of: (any Error)?.self).weak
      // The outputs that a stop has refused, because their caller gave up meanwhile.
      let refused = soup.state("refused", holding: { $0 }) { 0 }

      // If the caller gives up before it has its reply, its `asked` is withdrawn, and `idle` replaces it.
      @Sendable func ask(_ call: Call<Input, Output?>) {
        call.onAbandoned { idle() }
        asked(call)
      }
      soup.react(fresh, next, on: .inline) { _, call in
        start(call.input)
        ask(call)
      }
      soup.react(taken, resume, next, on: .inline) { _, resume, call in
        resume.reply(call.input)
        ask(call)
      }
      soup.react(state: refused, asked, offered, on: .inline) { refused, call, value in
        if call.reply(value) { taken() } else if !offered(value) { refused += 1 }
      }
      soup.react(asked, ended, on: .inline) { call, error in
        let isTold = error.map { call.fail($0) } ?? call.reply(nil)
        if isTold { over() } else { ended(error) }
      }
      if keepingOutputs {
        soup.react(idle, next, on: .inline) { _, call in ask(call) }
      } else {
        soup.react(idle, offered, on: .inline) { _, _ in taken() }
        soup.react(idle, ended, next, on: .inline) { _, error, call in
          ask(call)
          ended(error)
        }
      }
      soup.react(next, over, on: .inline) { call, _ in call.reply(nil) }
      soup.react(start) { input async in
        do {
          try await body(input, Yield(offered, resume))
          ended(nil)
        } catch {
          ended(error)
        }
      }

      soup.refuseRestarts()
      fresh()
      return (next, soup.clock, soup.control)
    }
  }
}

extension Coroutine {
  /// Gives the closure a value, and waits for its next one, as ``next`` does.
  ///
  /// ```swift
  /// let answer = try await average.next(with: 3, within: .seconds(1))
  /// ```
  ///
  /// Blocks: suspends the task.
  ///
  /// - Throws: as ``next``, and `CallError.timedOut`.
  /// - Complexity: as ``next``.
  nonisolated(nonsending)
    public func next(
      with value: Input, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError) -> Output?
  {
    try await next(value, within: limit, file: file, line: line)
  }
}

extension Blocking {
  /// Gives the closure a value, and blocks the thread until its next one; see
  /// ``Coroutine/next(with:within:file:line:)``.
  ///
  /// - Throws: as ``Coroutine/next``, and `CallError.timedOut`.
  @available(*, noasync, message: "await next(with:within:) instead of blocking a thread of Swift concurrency")
  public func next<Input, Output>(
    with value: Input, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) throws(CallError) -> Output? where Blocked == Coroutine<Input, Output> {
    try compound.next.blocking(value, within: limit, file: file, line: line)
  }
}
