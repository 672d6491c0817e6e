public import Crucible

/// A value that is delivered later, once, or an error in its place.
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
    self.init(label, options, file, line) { _, _, _ in nil }
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
    self.init(label, options, file, line) { soup, open, known in
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
      soup.react(begin, open, on: .inline) { call, _ in
        call.reply(true)
        open()
      }
      soup.react(begin, known, on: .inline) { call, result in
        call.reply(false)
        known(result)
      }
      Self.declare(done, open, known, in: soup)
      soup.react(end, ended, on: .inline) { call, _ in
        call.reply()
        ended()
      }
      start()
      return end
    }
  }

  /// Declares what settles the promise, if it is open.
  @inlinable
  static func declare(
    _ done: Injector<Result<Value, any Error>>, _ open: Injector<Void>, _ known: Injector<Result<Value, any Error>>,
    in soup: Soup
  ) {
    soup.react(done, open, on: .inline) { result, _ in known(result) }
    soup.react(done, known, on: .inline) { _, result in known(result) }
  }

  /// `declare` may declare what else settles the promise, and the name for callers that wait for the end of the work.
  @inlinable
  init(
    _ label: String, _ options: Soup.Options, _ file: StaticString, _ line: UInt,
    _ declare: (Soup, Injector<Void>, Injector<Result<Value, any Error>>) -> FastInjector<Void, Void>?
  ) {
    (value, settle, end, control) = Soup.define(label, with: options, file: file, line: line) { soup in
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
      let end = declare(soup, open, known)

      open()
      return (value, settle, end, soup.control)
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
  ///
  /// ```swift
  /// answer.reject(CancellationError())
  /// ```
  @inlinable
  @discardableResult
  public func reject(_ error: any Error) -> Bool { (try? settle.blocking(.failure(error))) ?? false }
}
