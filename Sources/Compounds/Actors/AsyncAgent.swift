public import Crucible

/// Makes an actor whose messages and questions may be `async`: while one of them awaits, no other one enters.
///
/// ```swift
/// let store = AsyncAgent("store") { Store() }
/// store.send { store in try await store.write(row) }                 // returns at once
/// let rows = try await store.ask { store in try await store.read() } // waits for the result
/// store.send { store in store.reset() }                              // as with any agent
/// ```
///
/// The methods of a Swift actor let others in at each `await`, so they find the actor changed after it. Here a message
/// has the object until it has ended. Where others shall enter meanwhile, ask in steps, as ``Agent`` shows.
///
/// The definition is that of an ``Agent``, and for what may suspend:
///
/// ```
/// soup.react(state: object, task) { object, message async in try await message(&object) }
/// soup.react(state: object, inquiry) { object, call async in try await call.input(&object, call) }
/// ```
///
/// Unless the options name a matcher, messages and questions are handled in the order in which they arrived. Messages
/// and questions run on the main actor with `on: .main`, if the object is `Sendable`, as a class on the main actor is.
///
/// The `onError` of the options gets the error of a message. The caller gets the error of a question. If a caller gives
/// up, its question is withdrawn, or goes on if it has begun. A question that a message of the agent awaits from its
/// own agent throws `Deadlock`.
///
/// A message that may suspend is a task on the placement of the options. A restart of the agent's soup makes a new
/// object.
///
/// - Complexity: as ``Agent``, and a task for what may suspend. An `Agent` is faster.
public struct AsyncAgent<Object: SendableMetatype>: Recipient {
  public let mailbox: Mailbox<Object>
  public let control: Soup.Control
  @usableFromInline let task: Injector<AgentTask<Object>>
  @usableFromInline let inquiry: FastInjector<AgentInquiry<Object>, AgentAnswer>

  /// Makes an agent with the object that the closure makes.
  @inlinable
  public init(
    _ label: String = "agent", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, make: @escaping @Sendable () -> sending Object
  ) {
    (mailbox, task, inquiry, control) = Soup.define(label, with: options.inOrder, file: file, line: line) { soup in
      let tell = soup.slow("tell", of: AgentMessage<Object>.self)
      let question = soup.fast("question", of: AgentQuestion<Object>.self, returning: AgentAnswer.self)
      let task = soup.slow("task", of: AgentTask<Object>.self)
      let inquiry = soup.fast("inquiry", of: AgentInquiry<Object>.self, returning: AgentAnswer.self)
      let object = soup.state("object", initially: make)

      soup.react(state: object, tell) { object, message in try message.run(&object) }
      soup.react(state: object, question, on: options.placementOfQuestions) { object, call in
        try call.input.run(&object, call)
      }
      soup.react(state: object, task) { object, message async throws in try await message.run(&object) }
      soup.react(state: object, inquiry) { object, call async throws in try await call.input.run(&object, call) }
      return (Mailbox(tell: tell, question: question), task, inquiry, soup.control)
    }
  }

  /// Makes an agent of an existing object, which nothing else may use from now on; see
  /// ``Agent/init(_:of:options:file:line:)``.
  @inlinable
  @_disfavoredOverload  // so that a trailing closure is not taken for the object
  public init(
    _ label: String = "agent", of object: sending Object, options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line
  ) {
    let kept = KeptObject(object)
    self.init(label, options: options, file: file, line: line) { kept.handOut() }
  }

  /// Sends a message that may suspend, and returns at once.
  ///
  /// - Returns: false if the agent has been stopped: then the message does not run.
  /// - Complexity: O(1), and a task. Never blocks, but on `locked`.
  @inlinable
  @discardableResult
  public func send(_ message: @escaping @Sendable (inout Object) async throws -> Void) -> Bool {
    task(AgentTask(run: message))
  }

  /// Waits until a question that may suspend has been handled, and returns its result.
  ///
  /// - Throws: `CallError.failed` with the error that the question throws, or with `Deadlock` if a message of the agent
  ///   asks its own agent.
  /// - Complexity: O(1), and a task.
  @inlinable
  nonisolated(nonsending)
    public func ask<Result: Sendable>(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ question: @escaping @Sendable (inout Object) async throws -> Result
    ) async throws(CallError) -> Result
  {
    try await inquiry(AgentInquiry(question), within: limit, file: file, line: line).result(as: Result.self)
  }
}

extension AsyncAgent where Object: Sendable {
  /// Sends a message that runs on the main actor, and returns at once.
  ///
  /// ```swift
  /// let view = AsyncAgent("view", of: model)                 // a class on the main actor
  /// view.send(on: .main) { model in model.title = "new" }
  /// ```
  ///
  /// - Returns: false if the agent has been stopped: then the message does not run.
  /// - Complexity: as ``send(_:)``.
  @discardableResult
  public func send(
    on place: MainPlacement, _ message: @escaping @MainActor @Sendable (inout Object) throws -> Void
  ) -> Bool {
    send { object async throws in try await message(&object) }
  }

  /// Waits until a question has been handled on the main actor, and returns its result.
  ///
  /// - Throws: as ``ask(within:file:line:_:)``.
  /// - Complexity: as ``ask(within:file:line:_:)``.
  nonisolated(nonsending)
    public func ask<Result: Sendable>(
      on place: MainPlacement, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ question: @escaping @MainActor @Sendable (inout Object) throws -> Result
    ) async throws(CallError) -> Result
  {
    try await ask(within: limit, file: file, line: line) { object async throws in try await question(&object) }
  }
}

extension Blocking {
  /// Blocks the thread until a question that may suspend has been handled; see
  /// ``AsyncAgent/ask(within:file:line:_:)``.
  @inlinable
  @available(*, noasync, message: "await ask(within:) instead of blocking a thread of Swift concurrency")
  public func ask<Object, Result: Sendable>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ question: @escaping @Sendable (inout Object) async throws -> Result
  ) throws(CallError) -> Result where Blocked == AsyncAgent<Object> {
    try compound.inquiry.blocking(AgentInquiry(question), within: limit, file: file, line: line).result(as: Result.self)
  }
}
