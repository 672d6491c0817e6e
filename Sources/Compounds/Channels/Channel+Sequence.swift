public import Crucible

extension Channel: AsyncSequence {
  /// Iterates over the values one after the other, until the channel is closed: `for try await value in channel { … }`.
  ///
  /// ```swift
  /// var iterator = lines.makeAsyncIterator()
  /// let first = try await iterator.next()
  /// ```
  ///
  /// Each value goes to one of the loops. A loop whose task is cancelled throws `CallError.cancelled`.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let receive: FastInjector<Void, Element?>

    nonisolated(nonsending)
      public func next() async throws(CallError) -> Element?
    {
      try await receive()
    }

    public func next(isolation actor: isolated (any Actor)?) async throws(CallError) -> Element? { try await receive() }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(receive: receive) }
}
