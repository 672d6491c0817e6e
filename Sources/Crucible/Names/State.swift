extension Soup {
  /// The name of a state molecule, of which exactly one copy exists at any time. Every reaction that names the state
  /// consumes it, may change it in place, and gives it back when the body ends. No program can inject it.
  ///
  /// ```swift
  /// let total = soup.state("total", 0)
  /// soup.react(state: total, add) { total, x in total += x }   // `total` is inout
  /// ```
  ///
  /// So reactions that share a state never run at the same time. The value need not be `Sendable`, nor `Copyable`.
  public struct State<Value: ~Copyable & SendableMetatype> {
    @usableFromInline let name: OpaquePointer

    @usableFromInline init(name: OpaquePointer) { self.name = name }

    /// The value in the soup, while a body has the state.
    @inlinable
    static func value(_ input: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Value> {
      input.assumingMemoryBound(to: Value.self)
    }

    /// The value in a form that the library may send to the body's thread: no other code has it meanwhile.
    @usableFromInline
    struct Cell: @unchecked Sendable {
      @usableFromInline let input: UnsafeMutableRawPointer

      @inlinable init(_ input: UnsafeMutableRawPointer) { self.input = input }

      @inlinable var value: Value {
        _read { yield State.value(input).pointee }
        nonmutating _modify { yield &State.value(input).pointee }
      }
    }
  }

  /// The type that an error of the compiler names, if a pattern has a state without its label.
  public struct UnlabelledState: Sendable {}
}

@available(
  *, unavailable,
  message: """
    a state has a label and comes first: react(state: s, molecule) { s, value in … }; a state cannot be cleared or \
    paused
    """
)
extension Soup.State: Consumable {
  public typealias Argument = Soup.UnlabelledState
  public var _name: OpaquePointer? { name }
  public static func _take(_ inputs: inout Soup._Inputs) -> Argument { Argument() }
}
