public import Crucible

/// A value that is delivered later, once, or an error in its place. A promise cannot be restarted once it has been
/// stopped.
///
/// ```swift
/// let answer = Promise<String>()
/// connection.onReply { answer.fulfil($0) }
/// let text = try await answer.value(within: .seconds(5))
/// ```
///
/// The definition. The outcome is a fact, which is injected once, and which all callers read:
///
/// ```
/// soup.react(value, outcome) { call, outcome in
///   switch outcome {
///   case .success(let value): call.reply(value)
///   case .failure(let error): call.fail(error)
///   }
/// }
/// ```
///
/// Callers of a promise that is settled do not wait for each other.
///
/// If a caller gives up, its call is withdrawn. If a program never settles a promise, its callers wait for ever; give
/// them a limit.
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
  /// Waits until the promise is settled, and returns its value. May be called any number of times.
  ///
  /// - Throws: `CallError.failed` with the error by which the promise was rejected.
  public let value: FastInjector<Void, Value>
  public let control: Soup.Control
  @usableFromInline let outcome: Soup.Fact<Result<Value, any Error>>
  /// Waits until the work has ended, if there is work.
  @usableFromInline let end: FastInjector<Void, Void>?

  /// Makes a promise that is settled by ``fulfil(_:)`` or ``reject(_:)``.
  @inlinable
  public init(
    _ label: String = "promise", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    (value, outcome, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      // Read first, because a call between a name and its return would retain the name once more.
      let control = soup.control
      let (value, outcome) = Self.declare(in: soup)
      return (value, outcome, control)
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
  /// begin. The work runs on the placement of the options.
  @inlinable
  public init(
    _ label: String = "promise", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, work: @escaping @Sendable () async throws -> Value
  ) {
    var options = options
    options.whenUnowned = .cancel
    // Only the work needs a context: all other bodies just reply.
    if options.carriesContext == nil { options.carriesContext = false }
    (value, outcome, end, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let (value, outcome) = Self.declare(in: soup)
      let start = soup.slow("start")
      let end = soup.fast("end", returning: Void.self)
      let ended = soup.fact("ended")
      soup.react(start) { _ async in
        if !outcome.isKnown {
          do { outcome(.success(try await work())) } catch { outcome(.failure(error)) }
        }
        ended()
      }
      soup.react(end, ended, on: .inline) { call, _ in call.reply() }
      start()
      return (value, outcome, end, soup.control)
    }
  }

  /// Declares the names and reactions of every promise.
  @inlinable
  static func declare(
    in soup: Soup
  ) -> (FastInjector<Void, Value>, Soup.Fact<Result<Value, any Error>>) {
    let value = soup.fast("value", returning: Value.self)
    let outcome = soup.fact("outcome", of: Result<Value, any Error>.self)
    soup.refuseRestarts()
    soup.react(value, outcome, on: .inline) { call, outcome in
      switch outcome {
      case .success(let value): call.reply(value)
      case .failure(let error): call.fail(error)
      }
    }
    return (value, outcome)
  }

  /// Settles the promise with a value.
  ///
  /// - Returns: whether this call settled the promise. Otherwise nothing changes.
  /// - Complexity: O(callers that wait). Waits for no body, so it is fine wherever a lock is.
  @inlinable
  @discardableResult
  public func fulfil(_ value: Value) -> Bool { outcome(.success(value)) }

  /// Settles the promise with an error; otherwise as ``fulfil(_:)``.
  ///
  /// ```swift
  /// answer.reject(CancellationError())
  /// ```
  @inlinable
  @discardableResult
  public func reject(_ error: any Error) -> Bool { outcome(.failure(error)) }
}
