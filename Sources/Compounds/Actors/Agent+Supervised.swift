public import Crucible

extension Agent {
  /// Sends a message that throws the error. A supervisor makes its agent anew; any other agent reports the error.
  ///
  /// ```swift
  /// store.crash(with: DiskFull())
  /// ```
  ///
  /// - Returns: false if the agent has been stopped.
  @discardableResult
  public func crash(with error: any Error) -> Bool { send { _ in throw error } }

  /// Makes an agent. After a crash its supervisor decides when its object is made anew; see ``Supervisor``.
  @inlinable
  static func supervised(
    _ id: String, _ report: FamilyReport, _ options: Soup.Options, _ onCrash: Crash.Policy?, _ file: StaticString,
    _ line: UInt, _ make: @escaping @Sendable () -> sending Object
  ) -> (agent: Agent, revival: Injector<Void>, renewal: Injector<Void>) {
    let options = options.inOrder
    let (tell, question, revival, renewal, control) = Soup.define(id, with: options, file: file, line: line) { soup in
      let tell = soup.slow("tell", of: AgentMessage<Object>.self)
      let question = soup.fast("question", of: AgentQuestion<Object>.self, returning: AgentAnswer.self)
      let up = soup.slow("up")
      let revival = soup.slow("revival")
      let renewal = soup.slow("renewal")
      let object = soup.state("object", initially: make)
      let control = soup.control

      soup.react(state: object, up, tell) { object, _, message in
        do { try message.run(&object) } catch {
          report(error, of: control)
          return try onCrash.handle(error, of: message) { tell($0) }
        }
        up()
      }
      soup.react(state: object, up, question, on: options.placementOfQuestions) { object, _, call in
        defer { up() }
        try call.input.run(&object, call)
      }
      soup.react(state: object, revival) { object, _ in
        object = make()
        up()
      }
      soup.react(state: object, up, renewal) { object, _, _ in
        object = make()
        up()
      }

      soup.initially { up() }
      return (tell, question, revival, renewal, control)
    }
    return (Agent(tell, question, control), revival, renewal)
  }
}
