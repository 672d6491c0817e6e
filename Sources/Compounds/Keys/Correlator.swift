public import Crucible

/// Brings requests and their replies together by an id, when replies come in any order, late, twice or never.
///
/// ```swift
/// let replies = Correlator<Int, String> { id, text in log.warning("nobody waits for \(id): \(text)") }
/// try await connection.send(request, id: 7)
/// let text = try await replies.reply(7, within: .seconds(5))
/// // and where replies are read:
/// replies.deliver("done", for: 7)
/// ```
///
/// The definition. A reply that comes before its caller waits for it, so it does not matter which is first. One that no
/// caller takes in time goes to `unclaimed`:
///
/// ```
/// let late = soup.slow("late", of: Delivery.self)
/// let arrived = soup.slow("arrived", of: Delivery.self, key: \.id, expires: patience, into: late)
/// soup.react(reply, arrived) { call, delivery in if !call.reply(delivery.reply) { arrived(delivery) } }
/// soup.react(late) { delivery in unclaimed(delivery.id, delivery.reply) }
/// ```
///
/// A caller that gives up leaves nothing behind. Of several callers of one id, the one that has waited longest gets the
/// first reply.
///
/// - Complexity: O(1) on average.
public struct Correlator<ID: Hashable & Sendable, Reply: Sendable>: Compound {
  @usableFromInline
  struct Delivery: Sendable {
    @usableFromInline let id: ID
    @usableFromInline let reply: Reply

    @inlinable init(id: ID, reply: Reply) { (self.id, self.reply) = (id, reply) }
  }

  /// Waits for the reply to the request with this id.
  public let reply: FastInjector<ID, Reply>
  @usableFromInline let arrived: Injector<Delivery>
  public let control: Soup.Control

  /// Makes a correlator.
  ///
  /// - Parameters:
  ///   - label: the name in messages.
  ///   - patience: how long a reply waits for its caller.
  ///   - options: those of the soup. `unclaimed` runs on their placement.
  ///   - file: the caller's file.
  ///   - line: the caller's line.
  ///   - unclaimed: gets each reply that no caller took in time, or whose caller gave up during a stop.
  @inlinable
  public init(
    _ label: String = "correlator", keepingReplies patience: Duration = .seconds(30),
    options: Soup.Options = Soup.Options(), file: StaticString = #fileID, line: UInt = #line,
    unclaimed: @escaping @Sendable (ID, Reply) -> Void
  ) {
    let madeAt = MadeAt("correlator", label, file, line)
    if patience <= .zero { madeAt.misuse("keepingReplies must be positive, not \(patience)") }
    (reply, arrived, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let reply = soup.fast("reply", of: ID.self, key: \.self, returning: Reply.self)
      let late = soup.slow("late", of: Delivery.self)
      let arrived = soup.slow("arrived", of: Delivery.self, key: \.id, expires: patience, into: late)
      soup.react(reply, arrived, on: .inline) { call, delivery in
        if !call.reply(delivery.reply) && !arrived(delivery) { unclaimed(delivery.id, delivery.reply) }
      }
      soup.react(late) { delivery in unclaimed(delivery.id, delivery.reply) }
      return (reply, arrived, soup.control)
    }
  }

  /// Delivers the reply to the request with this id. Does not block, and may be called on any thread.
  ///
  /// - Returns: false if the correlator was stopped.
  /// - Complexity: O(1) on average.
  @inlinable @discardableResult
  public func deliver(_ reply: Reply, for id: ID) -> Bool { arrived(Delivery(id: id, reply: reply)) }
}
