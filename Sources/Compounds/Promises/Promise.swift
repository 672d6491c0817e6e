public import Crucible

/// A value that somebody delivers later, once, or an error in its place.
///
/// ```swift
/// let answer = Promise<String>()
/// connection.onReply { answer.fulfil($0) }
/// let text = try await answer.value(within: .seconds(5))
/// ```
///
/// The definition. The promise is a molecule, `open` or `known`, and once it is known, it stays:
///
/// ```
/// soup.react(settle, open) { call, _ in call.reply(true); known(call.input) }
/// soup.react(settle, known) { call, result in call.reply(false); known(result) }
/// soup.react(value, known) { call, result in call.reply(try result.get()); known(result) }
/// ```
///
/// A caller that gives up is withdrawn. A promise that nobody settles lets its callers wait for ever; give them a
/// limit.
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

  /// Makes a promise that is settled by ``fulfil(_:)`` or ``reject(_:)``.
  ///
  /// Messages call the promise by its label. The placement of the options does not matter: all bodies run inline.
  @inlinable
  public init(
    _ label: String = "promise", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(label, options: options, file, line) { _, _ in }
  }

  /// Makes a promise that the work settles, which begins at once: with its value, or with the error that it throws.
  ///
  /// ```swift
  /// let page = Promise { try await load(url) }
  /// ```
  ///
  /// When the promise is gone, the work is cancelled. Messages call the promise by its label. The work runs on the
  /// placement of the options.
  @inlinable
  public init(
    _ label: String = "promise", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, work: @escaping @Sendable () async throws -> Value
  ) {
    var options = options
    options.whenUnowned = .cancel
    self.init(label, options: options, file, line) { soup, settle in
      let start = soup.slow("start")
      let done = soup.slow("done", of: Result<Value, any Error>.self)
      soup.react(start) { _ async in
        do { done(.success(try await work())) } catch { done(.failure(error)) }
      }
      settle(done)
      start()
    }
  }

  /// `declare` may declare what settles it besides.
  @inlinable
  init(
    _ label: String, options: Soup.Options, _ file: StaticString, _ line: UInt,
    _ declare: (Soup, (Injector<Result<Value, any Error>>) -> Void) -> Void
  ) {
    (value, settle, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let value = soup.fast("value", returning: Value.self)
      let settle = soup.fast("settle", of: Result<Value, any Error>.self, returning: Bool.self)
      let open = soup.slow("open")
      let known = soup.slow("known", of: Result<Value, any Error>.self)

      soup.react(settle, open, on: .inline) { call, _ in
        call.reply(true)
        known(call.input)
      }
      soup.react(settle, known, on: .inline) { call, result in
        call.reply(false)
        known(result)
      }
      soup.react(value, known, on: .inline) { call, result in
        switch result {
        case .success(let value): call.reply(value)
        case .failure(let error): call.fail(error)
        }
        known(result)
      }
      declare(soup) { done in
        soup.react(done, open, on: .inline) { result, _ in known(result) }
        soup.react(done, known, on: .inline) { _, result in known(result) }
      }

      open()
      return (value, settle, soup.control)
    }
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
  @inlinable
  @discardableResult
  public func reject(_ error: any Error) -> Bool { (try? settle.blocking(.failure(error))) ?? false }
}
