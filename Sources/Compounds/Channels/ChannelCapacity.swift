/// The most values that wait in a channel.
///
/// ```swift
/// let meeting = Channel<Int>(.unbuffered), queue = Channel<Int>(.buffered(64)), log = Channel<String>(.unbounded)
/// ```
public enum ChannelCapacity: Sendable, Hashable {
  /// None: a sender waits for a receiver.
  case unbuffered
  /// This number of values, 1 or more. Another number ends the program.
  case buffered(Int)
  /// Any number: senders never wait, and a backlog takes memory.
  case unbounded

  @usableFromInline
  func limit(_ madeAt: MadeAt) -> Int {
    switch self {
    case .unbuffered: return 0
    case .unbounded: return .max
    case .buffered(let count):
      madeAt.require("the capacity", count, in: 1...Int.max)
      return count
    }
  }
}
