/// A value was sent on a channel that had been closed.
///
/// ```swift
/// do { try await lines.send("hello") } catch CallError.failed(is ChannelClosed) { print("nobody listens") }
/// ```
public struct ChannelClosed: Error, Equatable, CustomStringConvertible {
  /// The error.
  public init() {}

  public var description: String { "The channel is closed." }
}
