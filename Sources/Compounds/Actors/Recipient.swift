public import Crucible

/// Handles messages and questions: an ``Agent``, or an ``AgentPool``.
///
/// ```swift
/// cache.send { pages in pages.waiting = [:] }                       // goes on at once
/// let count = try await cache.ask { pages in pages.waiting.count }  // waits for the result
/// let later = cache.promise { pages in pages.waiting.count }       // a promise of the result
/// ```
///
/// - Complexity: O(1), and for a promise a soup. A question suspends the task.
public protocol Recipient<Object>: Compound {
  /// The type of the object that handles messages.
  associatedtype Object: SendableMetatype
  /// The mailbox, which receives messages and questions.
  var mailbox: Mailbox<Object> { get }
}

/// The names by which messages and questions reach an ``Agent`` or an ``AgentPool``.
///
/// A recipient of a program's own hands on the mailbox of another one:
///
/// ```swift
/// struct Cache: Recipient {
///   let agent: Agent<Pages>
///   var mailbox: Mailbox<Pages> { agent.mailbox }
///   var control: Soup.Control { agent.control }
/// }
/// ```
public struct Mailbox<Object: SendableMetatype>: Leaving, Sendable {
  @usableFromInline let tell: Injector<AgentMessage<Object>>
  @usableFromInline let question: FastInjector<AgentQuestion<Object>, AgentAnswer>

  @inlinable
  init(tell: Injector<AgentMessage<Object>>, question: FastInjector<AgentQuestion<Object>, AgentAnswer>) {
    self.tell = tell
    self.question = question
  }
}

extension Recipient {
  /// Sends a message, and returns at once.
  ///
  /// - Returns: false if the agent or the pool has been stopped: then the message does not run.
  /// - Complexity: O(1). Never blocks, but on `locked`.
  @inlinable
  @discardableResult
  public func send(_ message: @escaping @Sendable (inout Object) throws -> Void) -> Bool {
    mailbox.tell(AgentMessage(run: message))
  }

  /// Waits until a question has been handled, and returns its result.
  ///
  /// - Throws: `CallError.failed` with the error that the question throws.
  @inlinable
  nonisolated(nonsending)
    public func ask<Result: Sendable>(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ question: @escaping @Sendable (inout Object) throws -> Result
    ) async throws(CallError) -> Result
  {
    try await mailbox.question(.asking(question), within: limit, file: file, line: line).result(as: Result.self)
  }

  /// Waits until a request is completed, now or later.
  ///
  /// ```swift
  /// let page: Page = try await cache.request { pages, completion in
  ///   if let page = pages[url] { completion(page) } else { pages.waiting[url, default: []].append(completion) }
  /// }
  /// ```
  ///
  /// Other messages are handled meanwhile.
  ///
  /// - Throws: `CallError.neverReplied` once the last copy of the completion is gone, so a forgotten completion does
  ///   not hang. `CallError.failed` with the error of ``Completion/fail(_:)`` or of the request itself.
  nonisolated(nonsending)
    public func request<Result: Sendable>(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ request: @escaping @Sendable (inout Object, Completion<Result>) throws -> Void
    ) async throws(CallError) -> Result
  {
    try await mailbox.question(.requesting(request), within: limit, file: file, line: line).result(as: Result.self)
  }

  /// Makes a promise of the answer to a question. If the promise is released first, the question is withdrawn.
  ///
  /// - Complexity: O(1), and a soup.
  public func promise<Result: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ question: @escaping @Sendable (inout Object) throws -> Result
  ) -> Promise<Result> {
    promise(of: .asking(question), file, line)
  }

  /// Makes a promise of the result of a request, which comes now or later; see ``request(within:file:line:_:)``.
  ///
  /// ```swift
  /// let page: Promise<Page> = cache.promise { pages, completion in
  ///   if let page = pages[url] { completion(page) } else { pages.waiting[url, default: []].append(completion) }
  /// }
  /// ```
  ///
  /// If the promise is released first, the request is withdrawn, or its completion is no longer wanted.
  ///
  /// - Complexity: O(1), and a soup.
  public func promise<Result: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ request: @escaping @Sendable (inout Object, Completion<Result>) throws -> Void
  ) -> Promise<Result> {
    promise(of: .requesting(request), file, line)
  }

  private func promise<Result: Sendable>(
    of question: AgentQuestion<Object>, _ file: StaticString, _ line: UInt
  ) -> Promise<Result> {
    Promise("answer", file: file, line: line) { [name = mailbox.question] in
      do throws(CallError) {
        return try await name(question, file: file, line: line).result(as: Result.self)
      } catch {
        if case .failed(let reason) = error { throw reason }
        throw error
      }
    }
  }
}

extension Blocking {
  /// Blocks the thread until a question has been handled; see ``Recipient/ask(within:file:line:_:)``.
  ///
  /// - Throws: `CallError.failed` with `Deadlock` if an agent asks itself.
  @inlinable
  @available(*, noasync, message: "await ask(within:) instead of blocking a thread of Swift concurrency")
  public func ask<Object, Result: Sendable>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ question: @escaping @Sendable (inout Object) throws -> Result
  ) throws(CallError) -> Result where Blocked: Recipient<Object> {
    try compound.mailbox.question.blocking(.asking(question), within: limit, file: file, line: line)
      .result(as: Result.self)
  }

  /// Blocks the thread until a request is completed, now or later; see ``Recipient/request(within:file:line:_:)``.
  ///
  /// ```swift
  /// let page: Page = try cache.blocking.request { pages, completion in
  ///   if let page = pages[url] { completion(page) } else { pages.waiting[url, default: []].append(completion) }
  /// }
  /// ```
  ///
  /// - Throws: `CallError.neverReplied` once the last copy of the completion is gone; `CallError.failed` with the error
  ///   of the completion or of the request, or with `Deadlock` if an agent asks itself.
  @available(*, noasync, message: "await request(within:) instead of blocking a thread of Swift concurrency")
  public func request<Object, Result: Sendable>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ request: @escaping @Sendable (inout Object, Completion<Result>) throws -> Void
  ) throws(CallError) -> Result where Blocked: Recipient<Object> {
    try compound.mailbox.question.blocking(.requesting(request), within: limit, file: file, line: line)
      .result(as: Result.self)
  }
}
