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
/// A message runs on the placement of the options. A question runs there too, unless the options say
/// `Placement.automatic`, the default. Then it runs on the thread that completes the match, which is the caller's if
/// the agent is idle. A thread that ends a question goes on with those that wait, as a thread that unlocks a contended
/// lock may be late. Where questions take long, name a placement in the options, for example `.pool`. Then no caller
/// runs the questions of others, and its limit holds.
///
/// The `onError` of the options gets the error of a message. The caller gets the error of a question. If a caller gives
/// up, its question is withdrawn. A question that an agent asks itself with `blocking` throws `Deadlock`.
///
/// Work that awaits between its questions lets other messages in meanwhile. An ``AsyncAgent`` keeps them out.
///
/// ```swift
/// let update = Promise {
///   let name = try await store.ask { store in store.next }
///   let page = try await load(name)                               // other messages are handled meanwhile
///   try await store.ask { store in store.pages[name] = page }
/// }
/// ```
///
/// Two agents that keep each other live for ever. One of them keeps a copy that does not own: `till.weak`.
///
/// - Complexity: O(1), and an allocation for a result that has references, or more than three words.
public struct Agent<Object: SendableMetatype>: Recipient {
  public let mailbox: Mailbox<Object>
  public let control: Soup.Control

  /// Makes an agent with the object that the closure makes.
  ///
  /// A restart of the agent's soup makes a new object.
  @inlinable
  public init(
    _ label: String = "agent", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, make: @escaping @Sendable () -> sending Object
  ) {
    let options = options.inOrder
    let (tell, question, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let tell = soup.slow("tell", of: AgentMessage<Object>.self)
      let question = soup.fast("question", of: AgentQuestion<Object>.self, returning: AgentAnswer.self)
      let object = soup.state("object", initially: make)

      soup.react(state: object, tell) { object, message in try message.run(&object) }
      soup.react(state: object, question, on: options.placementOfQuestions) { object, call in
        try call.input.run(&object, call)
      }
      return (tell, question, soup.control)
    }
    self.init(tell, question, control)
  }

  /// Makes an agent of an existing object, which nothing else may use from now on.
  ///
  /// ```swift
  /// let till = Till()
  /// till.sell("tea", for: 3)
  /// let agent = Agent("till", of: till)
  /// ```
  ///
  /// A restart of the agent's soup goes on with the same object, or with the first value of one that is no class
  /// instance.
  @inlinable
  @_disfavoredOverload  // so that a trailing closure is not taken for the object
  public init(
    _ label: String = "agent", of object: sending Object, options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line
  ) {
    let kept = KeptObject(object)
    self.init(label, options: options, file: file, line: line) { kept.handOut() }
  }

  @usableFromInline
  init(
    _ tell: Injector<AgentMessage<Object>>, _ question: FastInjector<AgentQuestion<Object>, AgentAnswer>,
    _ control: Soup.Control
  ) {
    mailbox = Mailbox(tell: tell, question: question)
    self.control = control
  }
}

/// An object that becomes a state. Only the soup uses it: it hands the object out for the definition, and for a restart
/// after that, when the state before is gone.
@usableFromInline
final class KeptObject<Object: SendableMetatype>: @unchecked Sendable {
  @exclusivity(unchecked) private let object: Object

  @usableFromInline
  init(_ object: sending Object) { self.object = object }

  @usableFromInline
  func handOut() -> sending Object {
    nonisolated(unsafe) let object = object
    return object
  }
}

extension Soup.Options {
  /// These options. If the caller chose no matcher, messages and questions are handled in the order of their arrival.
  @usableFromInline var inOrder: Soup.Options {
    var options = self
    if options.matcher == .automatic { options.matcher = .arrival }
    return options
  }

  /// The placement of questions. A caller waits for its question anyway, so its thread may run the question.
  @inlinable var placementOfQuestions: Placement { placement == .automatic ? .inline : placement }
}
