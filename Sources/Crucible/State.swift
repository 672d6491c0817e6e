/// The name of a state molecule: there is exactly one copy of it at any time. Every reaction that names it consumes it, may
/// change it in place, and gives it back when the body ends. Nobody can inject it.
///
/// ```swift
/// let total = soup.state("total", 0)
/// soup.react(total & add) { total, x in total += x }   // `total` is inout
/// ```
///
/// So reactions that share a state never run at the same time, and the value need not be `Sendable`. A state is only a part
/// of patterns: it cannot leave the definition.
public struct State<Value: SendableMetatype> {
  @usableFromInline let name: OpaquePointer

  @usableFromInline init(name: OpaquePointer) { self.name = name }

  /// The value in the soup, while a body has the state.
  @inlinable
  static func value(_ input: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Value> {
    input.assumingMemoryBound(to: Value.self)
  }

  /// The same as the compiler may see it sent to wherever the body runs: nobody else has it meanwhile.
  struct Cell: @unchecked Sendable { var value: Value }

  static func cell(_ input: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Cell> {
    input.assumingMemoryBound(to: Cell.self)
  }
}
