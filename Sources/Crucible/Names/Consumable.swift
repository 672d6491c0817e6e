/// A name whose molecules a reaction may consume: an ``Injector`` or a ``FastInjector``. No other type can conform.
public protocol Consumable<Argument>: SendableMetatype {
  /// The type of the body's argument for one molecule.
  associatedtype Argument: Sendable

  // The library's own. They are requirements because inlined code of other modules calls them.
  @_documentation(visibility: internal) var _name: OpaquePointer { get }
  /// Moves the body's argument out of a firing's input.
  @_documentation(visibility: internal) static func _take(_ input: UnsafeMutableRawPointer) -> Argument
  /// Ends the argument after the body has returned.
  @_documentation(visibility: internal) static func _finish(_ argument: consuming Argument)
  /// The argument, to be put back or to be told the error, after the body has thrown.
  @_documentation(visibility: internal) static func _failed(_ argument: Argument) -> AnyObject
}
