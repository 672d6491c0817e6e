/// A value was sent on a channel that had been closed.
public struct ChannelClosed: Error, Equatable, CustomStringConvertible {
  /// The error.
  public init() {}

  public var description: String { "The channel is closed." }
}
