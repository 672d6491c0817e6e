public import Crucible

/// Makes an actor of any value or class instance: messages reach the object one at a time.
///
/// ```swift
/// let till = Agent("till") { Till() }                      // a class of yours
/// till.send { till in till.sell("tea", for: 3) }           // returns at once
/// let sum = try await till.ask { till in till.sum }        // waits for the result
/// let bill = till.promise { till in till.bill() }          // a promise of the result
/// ```
///
/// `till.blocking.ask { … }` blocks the thread. The object need not be `Sendable`: it never leaves the agent.
///
/// The definition. The object is a state, and the mailbox is the bags of the two names:
///
/// ```
/// soup.react(state: object, tell) { object, message in try message(&object) }
/// soup.react(state: object, question) { object, call in try call.input(&object, call) }
/// ```
///
/// Unless the options name a matcher, it is `arrival`: the agent handles messages and questions
/// in the order in which they arrived. On another matcher messages keep their order, and a question may overtake them.
///
/// A message runs on the placement of the options. A question runs there too, but for the default placement: then it
/// runs on the thread that completes the match, which is the caller's if the agent is idle.
///
/// A message that throws is reported to the `onError` of the options. A question that throws fails its caller. A
/// caller that gives up is withdrawn. A question that an agent asks itself with `blocking` throws `Deadlock`.
///
/// - Complexity: O(1), and an allocation for a result of more than three words.
public struct Agent<Object: SendableMetatype>: Compound {
  public let control: Soup.Control
  let tell: Injector<AgentMessage<Object>>
  let question: FastInjector<AgentQuestion<Object>, any Sendable>

  /// Makes an agent with the object that the closure makes.
  ///
  /// Messages call the agent by its label. A restart of the agent's soup makes a new object.
  public init(
    _ label: String = "agent", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, make: @escaping @Sendable () -> sending Object
  ) {
    let options = options.inOrder
    (tell, question, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let tell = soup.slow("tell", of: AgentMessage<Object>.self)
      let question = soup.fast("question", of: AgentQuestion<Object>.self, returning: (any Sendable).self)
      let object = soup.state("object", initially: make)

      soup.react(state: object, tell) { object, message in try message.run(&object) }
      soup.react(state: object, question, on: options.placementOfQuestions) { object, call in
        try call.input.run(&object, call)
      }
      return (tell, question, soup.control)
    }
  }

  init(
    _ tell: Injector<AgentMessage<Object>>, _ question: FastInjector<AgentQuestion<Object>, any Sendable>,
    _ control: Soup.Control
  ) {
    self.tell = tell
    self.question = question
    self.control = control
  }

  /// Has the agent handle a message, and goes on at once.
  ///
  /// - Returns: false if the agent has been stopped: then it does not run.
  /// - Complexity: O(1). Never blocks, but on `locked`.
  @discardableResult
  public func send(_ message: @escaping @Sendable (inout Object) throws -> Void) -> Bool {
    tell(AgentMessage(run: message))
  }

  /// Waits until the agent has handled a question, and returns its result.
  ///
  /// - Throws: `CallError.failed` with the error that the question throws.
  nonisolated(nonsending)
    public func ask<Result: Sendable>(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ question: @escaping @Sendable (inout Object) throws -> Result
    ) async throws(CallError) -> Result
  {
    try await self.question.call(.asking(question), upTo: limit, file, line) as! Result
  }

  /// Waits until somebody completes a request, now or later.
  ///
  /// ```swift
  /// let page: Page = try await cache.request { pages, completion in
  ///   if let page = pages[url] { completion(page) } else { pages.waiting[url, default: []].append(completion) }
  /// }
  /// ```
  ///
  /// The agent goes on with other messages meanwhile.
  ///
  /// - Throws: `CallError.neverReplied` once the last copy of the completion is gone, so that a forgotten one is no
  ///   hang; `CallError.failed` with the error of ``Completion/fail(_:)`` or of the request itself.
  nonisolated(nonsending)
    public func request<Result: Sendable>(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ request: @escaping @Sendable (inout Object, Completion<Result>) throws -> Void
    ) async throws(CallError) -> Result
  {
    try await question.call(.requesting(request), upTo: limit, file, line) as! Result
  }

  /// A promise of what the agent answers. When the promise is gone before, the question is withdrawn.
  public func promise<Result: Sendable>(
    file: StaticString = #fileID, line: UInt = #line,
    _ question: @escaping @Sendable (inout Object) throws -> Result
  ) -> Promise<Result> {
    Promise("answer", file: file, line: line) { [name = self.question] in
      do throws(CallError) {
        return try await name(.asking(question), file: file, line: line) as! Result
      } catch {
        if case .failed(let reason) = error { throw reason }
        throw error
      }
    }
  }
}

extension Blocking {
  /// Blocks the thread until the agent has handled a question; see ``Agent/ask(within:file:line:_:)``.
  ///
  /// - Throws: `CallError.failed` with `Deadlock` if the agent asks itself.
  @available(*, noasync, message: "await ask(within:) instead of blocking a thread of Swift concurrency")
  public func ask<Object: SendableMetatype, Result: Sendable>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ question: @escaping @Sendable (inout Object) throws -> Result
  ) throws(CallError) -> Result where Blocked == Agent<Object> {
    try compound.question.callBlocking(.asking(question), upTo: limit, file, line) as! Result
  }
}

extension Soup.Options {
  /// The same, with messages and questions in the order of their arrival where the caller asks for no matcher.
  var inOrder: Soup.Options {
    var options = self
    if options.matcher == .automatic { options.matcher = .arrival }
    return options
  }

  /// A caller waits for its question in any case, so it may as well run it.
  var placementOfQuestions: Placement { placement == .pool ? .inline : placement }
}
