public import Crucible

/// Work for an agent without a waiting caller.
@usableFromInline
struct AgentMessage<Object: SendableMetatype>: Sendable {
  @usableFromInline let run: @Sendable (inout Object) throws -> Void
  /// The number of times that an agent has begun it before.
  @usableFromInline var attempts = 0

  @inlinable
  init(run: @escaping @Sendable (inout Object) throws -> Void) { self.run = run }
}

/// Work for an agent that may suspend, without a waiting caller.
@usableFromInline
struct AgentTask<Object: SendableMetatype>: Sendable {
  @usableFromInline let run: @Sendable (inout Object) async throws -> Void

  @inlinable
  init(run: @escaping @Sendable (inout Object) async throws -> Void) { self.run = run }
}

/// Work for an agent that may suspend, and whose caller waits.
@usableFromInline
struct AgentInquiry<Object: SendableMetatype>: Sendable {
  @usableFromInline typealias Asking = Call<AgentInquiry, AgentAnswer>
  @usableFromInline let run: @Sendable (inout Object, Asking) async throws -> Void

  @inlinable
  init<Result: Sendable>(_ body: @escaping @Sendable (inout Object) async throws -> Result) {
    run = { object, call in call.reply(AgentAnswer(try await body(&object))) }
  }
}

/// Work for an agent whose caller waits.
@usableFromInline
struct AgentQuestion<Object: SendableMetatype>: Sendable {
  @usableFromInline typealias Asking = Call<AgentQuestion, AgentAnswer>
  @usableFromInline let run: @Sendable (inout Object, Asking) throws -> Void

  @inlinable
  init(run: @escaping @Sendable (inout Object, Asking) throws -> Void) { self.run = run }

  @inlinable
  static func asking<Result: Sendable>(_ body: @escaping @Sendable (inout Object) throws -> Result) -> AgentQuestion {
    AgentQuestion { object, call in call.reply(AgentAnswer(try body(&object))) }
  }

  static func requesting<Result: Sendable>(
    _ body: @escaping @Sendable (inout Object, Completion<Result>) throws -> Void
  ) -> AgentQuestion {
    AgentQuestion { object, call in try body(&object, Completion(call) { AgentAnswer($0) }) }
  }
}
