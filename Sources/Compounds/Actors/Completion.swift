public import Crucible

/// The right to complete an awaited operation once, from anywhere: a callback, or a request to an agent
/// (``Recipient/request(within:file:line:_:)``).
///
/// A copy is the same right. When the last copy is gone, the caller gets `CallError.neverReplied`. A copy keeps the
/// closure of its request, with everything that the closure captures.
///
/// - Complexity: O(1).
public struct Completion<Result: Sendable>: Sendable {
  let complete: @Sendable (Result) -> Bool
  let fail: @Sendable (any Error) -> Bool
  let isAwaited: @Sendable () -> Bool

  /// Suspends the task until the operation that the closure begins is completed.
  ///
  /// ```swift
  /// let page = try await Completion.value { completion in
  ///   connection.load(url, onLoad: { page in completion(page) }, onError: { error in completion.fail(error) })
  /// }
  /// ```
  ///
  /// A continuation that is resumed twice, or never, is a mistake. A completion refuses the second result, and fails
  /// the caller once the last copy is gone.
  ///
  /// - Throws: `CallError.neverReplied` if no copy of the completion is left; `CallError.failed` with the error of
  ///   ``fail(_:)`` or of the closure; `CallError.timedOut`; `CallError.cancelled`.
  /// - Complexity: O(1), and a soup.
  nonisolated(nonsending)
    public static func value(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ begin: @escaping @Sendable (Completion) throws -> Void
    ) async throws(CallError) -> Result
  {
    try await define(begin, file, line)(within: limit, file: file, line: line)
  }

  /// The static call of ``Completion`` in the form that blocks the thread: write `.blocking` before the call instead of
  /// `await`.
  ///
  /// ```swift
  /// let page = try Completion.blocking.value { completion in
  ///   connection.load(url, onLoad: { page in completion(page) }, onError: { error in completion.fail(error) })
  /// }
  /// ```
  public static var blocking: Blocking { Blocking() }

  /// The static call of ``Completion`` that blocks the thread; see ``Completion/blocking``.
  ///
  /// ```swift
  /// let number = try Completion<Int>.blocking.value(within: .seconds(1)) { completion in completion(7) }
  /// ```
  ///
  /// - Complexity: as the call that is awaited.
  public struct Blocking: Sendable {
    /// Blocks the thread until the operation that the closure begins is completed; see
    /// ``Completion/value(within:file:line:_:)``.
    ///
    /// - Throws: as ``Completion/value(within:file:line:_:)``, except `CallError.cancelled`.
    @available(*, noasync, message: "await value(within:) instead of blocking a thread of Swift concurrency")
    public func value(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ begin: @escaping @Sendable (Completion) throws -> Void
    ) throws(CallError) -> Result {
      try define(begin, file, line).blocking(within: limit, file: file, line: line)
    }
  }

  private static func define(
    _ begin: @escaping @Sendable (Completion) throws -> Void, _ file: StaticString, _ line: UInt
  ) -> FastInjector<Void, Result> {
    Soup.define("completion", file: file, line: line) { soup in
      let call = soup.fast("call", returning: Result.self)
      soup.react(call, on: .inline) { call in try begin(Completion(call) { $0 }) }
      return call
    }
  }

  init<Input, Output>(_ call: Call<Input, Output>, _ output: @escaping @Sendable (Result) -> Output) {
    complete = { call.reply(output($0)) }
    fail = { call.fail($0) }
    isAwaited = { call.isAwaited }
  }

  /// Completes the request.
  ///
  /// - Returns: false if the request was completed before, or if its caller has given up.
  /// - Complexity: O(1). Does not block.
  @discardableResult
  public func callAsFunction(_ result: Result) -> Bool { complete(result) }

  /// Completes the request with an error; otherwise as ``callAsFunction(_:)``.
  @discardableResult
  public func fail(_ error: any Error) -> Bool { fail(error) }

  /// Whether a caller still waits. Look at this before long work.
  public var isWanted: Bool { isAwaited() }
}
