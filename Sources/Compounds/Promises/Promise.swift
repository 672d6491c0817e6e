public import Crucible

/// A value that is delivered later, once, or an error in its place.
///
/// ```swift
/// let answer = Promise<String>()
/// connection.onReply { answer.fulfil($0) }
/// let text = try await answer.value(within: .seconds(5))
/// ```
///
/// The definition. The outcome is a state, and once it has a result, the molecule `known` is there:
///
/// ```
/// soup.react(state: outcome, settle) { outcome, call in
///   let isFirst = outcome.result == nil
///   if isFirst { outcome.result = call.input; outcome.known() }
///   call.reply(isFirst)
/// }
/// soup.react(state: outcome, value, known) { outcome, call, _ in
///   call.reply(try outcome.result!.get())
///   outcome.known()
/// }
/// ```
///
/// The state holds the name `known` as well, so the bodies capture nothing.
///
/// A caller that gives up is withdrawn. A promise that nobody settles lets its callers wait for ever; give them a
/// limit.
///
/// A promise can be work that begins at once, and is cancelled and awaited:
///
/// ```swift
/// let page = Promise { try await load(url) }
/// page.cancel()                                     // awaiting its value throws `CancellationError`
/// try await page.join()                             // the work runs no more
/// ```
///
/// Work that reports how far it is: ``reporting(_:options:file:line:work:)``.
///
/// - Complexity: O(1).
public struct Promise<Value: Sendable>: Compound {
  /// Waits until the promise is settled, and returns its value; any number of times.
  ///
  /// Blocks: `value()` suspends the task, `value.blocking()` blocks the thread.
  ///
  /// - Throws: `CallError.failed` with the error by which the promise was rejected.
  public let value: FastInjector<Void, Value>
  public let control: Soup.Control
  @usableFromInline let settle: FastInjector<Result<Value, any Error>, Bool>
  /// Waits until the work has ended, if there is work.
  @usableFromInline let end: FastInjector<Void, Void>?

  /// Makes a promise that is settled by ``fulfil(_:)`` or ``reject(_:)``.
  ///
  /// Messages call the promise by its label. The placement of the options does not matter: all bodies run inline.
  @inlinable
  public init(
    _ label: String = "promise", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    (value, settle, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let (value, settle, _) = Self.declare(in: soup)
      return (value, settle, soup.control)
    }
    end = nil
  }

  /// Makes a promise that the work settles, which begins at once: with its value, or with the error that it throws.
  ///
  /// ```swift
  /// let page = Promise { try await load(url) }
  /// ```
  ///
  /// When the promise is gone, the work is cancelled. If the promise is settled before the work begins, it does not
  /// begin. Messages call the promise by its label. The work runs on the placement of the options.
  @inlinable
  public init(
    _ label: String = "promise", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, work: @escaping @Sendable () async throws -> Value
  ) {
    var options = options
    options.whenUnowned = .cancel
    (value, settle, end, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let (value, settle, outcome) = Self.declare(in: soup)
      let start = soup.slow("start")
      let begin = soup.fast("begin", returning: Bool.self)
      let done = soup.slow("done", of: Result<Value, any Error>.self)
      let end = soup.fast("end", returning: Void.self)
      let ended = soup.slow("ended")
      soup.react(start) { _ async in
        if (try? await begin()) == true {
          do { done(.success(try await work())) } catch { done(.failure(error)) }
        }
        ended()
      }
      soup.react(state: outcome, begin, on: .inline) { outcome, call in call.reply(outcome.result == nil) }
      soup.react(state: outcome, done, on: .inline) { outcome, result in outcome.settle(by: result) }
      soup.react(end, ended, on: .inline) { call, _ in
        call.reply()
        ended()
      }
      start()
      return (value, settle, end, soup.control)
    }
  }

  /// The result of a promise, once it is settled.
  @usableFromInline
  struct Outcome {
    @usableFromInline var result: Result<Value, any Error>?
    /// Waits in the soup once there is a result.
    @usableFromInline let known: Injector<Void>

    @inlinable
    init(known: Injector<Void>) { self.known = known }

    /// Answers whether it is the first result.
    @inlinable
    @discardableResult
    mutating func settle(by result: Result<Value, any Error>) -> Bool {
      if self.result != nil { return false }
      self.result = result
      known()
      return true
    }
  }

  /// Declares what every promise has.
  @inlinable
  static func declare(
    in soup: Soup
  ) -> (FastInjector<Void, Value>, FastInjector<Result<Value, any Error>, Bool>, Soup.State<Outcome>) {
    let value = soup.fast("value", returning: Value.self)
    let settle = soup.fast("settle", of: Result<Value, any Error>.self, returning: Bool.self)
    let known = soup.slow("known")
    let outcome = soup.state("result", Outcome(known: known))

    soup.react(state: outcome, settle, on: .inline) { outcome, call in call.reply(outcome.settle(by: call.input)) }
    soup.react(state: outcome, value, known, on: .inline) { outcome, call, _ in
      switch outcome.result! {
      case .success(let value): call.reply(value)
      case .failure(let error): call.fail(error)
      }
      outcome.known()
    }
    return (value, settle, outcome)
  }

  /// Settles the promise with a value.
  ///
  /// - Returns: whether it was the first to settle it. Otherwise nothing changes.
  /// - Complexity: O(callers that wait). Waits for bodies of the promise on other threads only: it may be called
  ///   wherever a lock may be taken.
  @inlinable
  @discardableResult
  public func fulfil(_ value: Value) -> Bool { (try? settle.blocking(.success(value))) ?? false }

  /// Settles the promise with an error; otherwise as ``fulfil(_:)``.
  ///
  /// ```swift
  /// answer.reject(CancellationError())
  /// ```
  @inlinable
  @discardableResult
  public func reject(_ error: any Error) -> Bool { (try? settle.blocking(.failure(error))) ?? false }
}
