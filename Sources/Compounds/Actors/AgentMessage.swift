import Crucible

/// What an agent does for nobody in particular.
struct AgentMessage<Object: SendableMetatype>: Sendable {
  let run: @Sendable (inout Object) throws -> Void
  /// How often an agent has begun it before.
  var attempts = 0
}

/// What an agent does for a caller that waits.
struct AgentQuestion<Object: SendableMetatype>: Sendable {
  typealias Asking = Call<AgentQuestion, any Sendable>
  let run: @Sendable (inout Object, Asking) throws -> Void

  static func asking<Result: Sendable>(_ body: @escaping @Sendable (inout Object) throws -> Result) -> AgentQuestion {
    AgentQuestion { object, call in call.reply(try body(&object)) }
  }

  static func requesting<Result: Sendable>(
    _ body: @escaping @Sendable (inout Object, Completion<Result>) throws -> Void
  ) -> AgentQuestion {
    AgentQuestion { object, call in try body(&object, Completion(call) { $0 }) }
  }
}
