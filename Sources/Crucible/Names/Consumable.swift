extension Soup {
  /// An input of a reaction: a name (``Consumable``), or an array of names of one type. No other type may conform.
  ///
  /// ```swift
  /// let (round, parts) = (soup.slow("round", of: Int.self), soup.slow("part", of: Int.self, count: 3))
  /// soup.react(round, parts) { round, values in print(round, values) }
  /// ```
  public protocol Input<Argument>: SendableMetatype {
    /// The type of the body's argument for this input.
    associatedtype Argument: Sendable

    // Internal to the library. They are requirements because inlined code of other modules calls them.
    /// The name, if the input is a single name.
    var _name: OpaquePointer? { get }
    func _add(to inputs: inout _InputNames)
    /// Moves the body's argument out of a firing's inputs.
    static func _take(_ inputs: inout _Inputs) -> Argument
    /// Ends the argument after the body has returned.
    static func _finish(_ argument: consuming Argument)
    /// Notes that an `async` body has returned, and that calls of the argument may be in hand.
    static func _stays(_ argument: Argument)
    /// Returns the argument's molecules after the body threw, to put them back or to give them the error.
    static func _failed(_ argument: Argument) -> [AnyObject]
  }

  /// The names of a pattern, and the counts of those that are arrays.
  public struct _InputNames {
    var names: [OpaquePointer] = []
    var counts: [Int] = []

    init<each I: Input>(of inputs: repeat each I) { repeat (each inputs)._add(to: &self) }
  }

  /// The inputs of a firing, from which arguments are taken one after the other.
  public struct _Inputs {
    @usableFromInline var next: UnsafePointer<UnsafeMutableRawPointer>
    /// The counts of the arrays whose values are not taken yet.
    @usableFromInline var counts: ArraySlice<Int>?

    @inlinable
    init(_ inputs: UnsafePointer<UnsafeMutableRawPointer>, counts: [Int]? = nil) {
      next = inputs
      self.counts = counts?[...]
    }

    @inlinable
    mutating func take() -> UnsafeMutableRawPointer {
      defer { next += 1 }
      return next.pointee
    }
  }
}

extension Soup.Input {
  public func _add(to inputs: inout Soup._InputNames) { inputs.names.append(_name!) }
  @inlinable public static func _finish(_ argument: consuming Argument) {}
  public static func _stays(_ argument: Argument) {}
  /// Gives nothing back: a state and a fact stay in the soup.
  public static func _failed(_ argument: Argument) -> [AnyObject] { [] }
}

/// A name whose molecules a reaction may consume: an ``Injector`` or a ``FastInjector``. No other type may conform.
public protocol Consumable<Argument>: Soup.Input {}

extension Consumable {
  @usableFromInline var name: OpaquePointer { _name! }
}

/// A reaction over an array consumes a molecule of each name in it; the body gets the arguments as an array.
extension Array: Soup.Input where Element: Consumable {
  public var _name: OpaquePointer? { nil }
  public func _add(to inputs: inout Soup._InputNames) {
    inputs.names += map(\.name)
    inputs.counts.append(count)
  }
  public static func _take(_ inputs: inout Soup._Inputs) -> [Element.Argument] {
    (0..<inputs.counts!.removeFirst()).map { _ in Element._take(&inputs) }
  }
  public static func _finish(_ arguments: consuming [Element.Argument]) {
    while let last = arguments.popLast() { Element._finish(consume last) }
  }
  public static func _stays(_ arguments: [Element.Argument]) { for argument in arguments { Element._stays(argument) } }
  public static func _failed(_ arguments: [Element.Argument]) -> [AnyObject] { arguments.flatMap(Element._failed) }
}
