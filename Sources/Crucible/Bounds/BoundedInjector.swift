/// The name of a slow molecule with a capacity: an injection waits until there is room.
///
/// ```swift
/// let line = Soup.define { soup in
///   let line = soup.slow("line", of: Int.self, capacity: 2, whenFull: .wait)
///   soup.react(line) { number in print(number) }
///   return line
/// }
/// try await line(1)
/// try await line(2, within: .seconds(1))
/// ```
///
/// Each injection ends in one way. If it returns, the soup has the molecule, or gets it from another thread at once. If
/// it throws, the molecule is not in the soup, and never will be. A limit of zero may be over before room is found.
public struct BoundedInjector<Value: Sendable>: @unchecked Sendable, Consumable, Soup.Name {
  // The members of every name, those of the call by which injections wait, and then the name itself.
  let name: OpaquePointer
  let handle: SoupHandle
  let owns: Bool
  let line: OpaquePointer

  init(put: FastInjector<Value, Void>, line: OpaquePointer) {
    name = put.name
    handle = put.handle
    owns = put.owns
    self.line = line
  }

  private var put: FastInjector<Value, Void> { FastInjector(name: name, handle: handle) }

  /// Injects a molecule, and suspends the task until there is room for it.
  ///
  /// When the task is cancelled meanwhile, nothing is injected.
  ///
  /// - Throws: ``CallError/stopped``, ``CallError/cleared`` or ``CallError/gone`` if that happened to the soup.
  ///   ``CallError/cancelled``. With a limit, ``CallError/timedOut``.
  /// - Complexity: as ``FastInjector/callAsFunction(_:within:file:line:)``.
  nonisolated(nonsending)
    public func callAsFunction(
      _ value: Value, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError)
  { try await put(value, within: limit, file: file, line: line) }

  /// Injects a molecule, and blocks the thread until there is room for it.
  ///
  /// ```swift
  /// let tickets = soup.slow("tickets", of: Int.self, capacity: 1000, whenFull: .wait)
  /// try tickets.blocking(1)
  /// try tickets.blocking(2, within: .seconds(1))
  /// ```
  ///
  /// - Throws: as ``callAsFunction(_:within:file:line:)``, except ``CallError/cancelled``.
  /// - Complexity: as ``callAsFunction(_:within:file:line:)``.
  @available(*, noasync, message: "await the injection instead of blocking a thread of Swift concurrency")
  public func blocking(
    _ value: Value, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) throws(CallError) {
    try put.blocking(value, within: limit, file: file, line: line)
  }

  public static func _own(_ name: UnsafeMutableRawPointer) { AnyName.own(name) }

  public typealias Argument = Value
  public var _name: OpaquePointer? { line }
  public static func _take(_ inputs: inout Soup._Inputs) -> Value { Payload<Value>.take(inputs.take()) }
  public static func _failed(_ argument: Value) -> [AnyObject] { [FailedValue(argument)] }
}
