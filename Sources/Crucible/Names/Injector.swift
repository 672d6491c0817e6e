/// The name of a slow molecule: calling it injects a molecule.
///
/// ```swift
/// let greet = Soup.define { soup in
///   let greet = soup.slow("greet", of: String.self)
///   soup.react(greet) { name in print("Hello, \(name)!") }
///   return greet
/// }
/// greet("world")
/// ```
///
/// A name is a value that a program can store, pass, return and send. <doc:Order> has the order of consumption.
public struct Injector<Value: Sendable>: @unchecked Sendable, Consumable, Soup.Name {
  @usableFromInline let name: OpaquePointer
  @usableFromInline let handle: SoupHandle
  @usableFromInline let owns: Bool

  @inlinable
  init(name: OpaquePointer, handle: SoupHandle) {
    self.name = name
    self.handle = handle
    owns = handle.owns
  }

  /// Injects a molecule that carries `value`. It may run a reaction placed ``Placement/inline`` before it returns.
  ///
  /// - Returns: false if the soup refuses the molecule: it is gone or stopped, or it drains, or the name is full
  ///   (<doc:Keys>), or no memory is left for the backlog. The value is then destroyed.
  /// - Complexity: O(reactions that consume this name). On ``Soup/Matcher/word`` lock-free, and mostly without
  ///   allocation (<doc:Guarantees>). Blocks on ``Soup/Matcher/locked``.
  @inlinable
  @discardableResult
  public func callAsFunction(_ value: Value) -> Bool {
    defer { withExtendedLifetime(handle) {} }
    return Payload<Value>.inject(value, into: name, owns: owns)
  }

  public static func _own(_ name: UnsafeMutableRawPointer) { AnyName.own(name) }

  public typealias Argument = Value
  @inlinable public var _name: OpaquePointer? { name }
  @inlinable public static func _take(_ inputs: inout Soup._Inputs) -> Value { Payload<Value>.take(inputs.take()) }
  public static func _failed(_ argument: Value) -> [AnyObject] {
    [(argument as? any AnyCall)?.failed ?? FailedValue(argument)]
  }
}

extension Injector where Value == Void {
  /// Injects a molecule that carries nothing: it is only counted.
  @inlinable
  @discardableResult
  public func callAsFunction() -> Bool { callAsFunction(()) }
}
