extension Soup {
  /// A group of inputs that counts as one input: the body gets their arguments as one parameter, ``Values``.
  ///
  /// Use it for a reaction with states, or on an actor, that has more inputs than `react` has parameters for
  /// (<doc:Placing>). An array of names of one type serves as well.
  ///
  /// ```swift
  /// soup.react(state: counter, Soup.Group(a, b)) { n, values in
  ///   let (x, y) = values.all
  ///   n += x + y
  /// }
  /// ```
  ///
  /// - Complexity: O(inputs) a firing. A synchronous reaction with a group costs several times as much as one whose
  ///   inputs are single names. Where each firing makes a task, the group adds little to it.
  public struct Group<each I: Input>: Input {
    private let inputs: (repeat each I)

    /// Makes one input of several: names, arrays of names, groups.
    public init(_ inputs: repeat each I) { self.inputs = (repeat each inputs) }

    public var _name: OpaquePointer? { nil }
    public func _add(to names: inout _InputNames) { repeat (each inputs)._add(to: &names) }
    public static func _take(_ inputs: inout _Inputs) -> Values<(repeat (each I).Argument)> {
      Values(all: (repeat (each I)._take(&inputs)))
    }
    public static func _finish(_ values: consuming Values<(repeat (each I).Argument)>) {
      repeat (each I)._finish(each values.all)
    }
    public static func _stays(_ values: Values<(repeat (each I).Argument)>) { repeat (each I)._stays(each values.all) }
    public static func _failed(_ values: Values<(repeat (each I).Argument)>) -> [AnyObject] {
      failed(repeat (each I).self, arguments: repeat each values.all)
    }
  }

  // A struct: the compiler of Swift 6.3 crashes where the argument is a tuple of a pack.
  /// The values of a ``Group``.
  ///
  /// ```swift
  /// soup.react(Soup.Group(a, b)) { values in print(values.all.0 + values.all.1) }
  /// ```
  public struct Values<All: Sendable>: Sendable {
    /// The values in the order of the inputs, as a tuple. A fast molecule gives its ``Call``, an array an array.
    ///
    /// - Complexity: O(1).
    public let all: All
  }
}

extension Soup.Group: Sendable where repeat each I: Sendable {}

func failed<each I: Soup.Input>(_: repeat (each I).Type, arguments: repeat (each I).Argument) -> [AnyObject] {
  var failed: [AnyObject] = []
  for (input, argument) in repeat ((each I).self, each arguments) { failed += input._failed(argument) }
  return failed
}
