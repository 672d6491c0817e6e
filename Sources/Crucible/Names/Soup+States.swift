public import CCrucible

extension Soup {
  /// Declares a state molecule with its first value: exactly one copy of it exists from now on. The value need not be
  /// `Sendable`, because the soup owns it from now on.
  ///
  /// A restart of the soup sets the state back to this value if it is plain: numbers, and structs, enums and tuples of
  /// such. Otherwise the soup cannot be restarted; ``state(_:file:line:initially:)`` avoids that.
  @inlinable
  @_disfavoredOverload  // so that a trailing closure is not taken for the value
  public func state<Value: SendableMetatype>(
    _ label: String, _ initial: sending Value, file: StaticString = #fileID, line: UInt = #line
  ) -> Soup.State<Value> {
    // A copy of a value without references shares nothing with the original.
    if !_isPOD(Value.self) {
      return declareState(
        label, initial, shared: StateDestructor<Value>.self, StateDestructor<Value>(), at: StaticSource(file, line))
    }
    let state = declareState(
      label, initial, shared: PlainState<Value>.self, PlainState<Value>(), at: StaticSource(file, line))
    PlainState<Value>.keepFirst(crucible_name_cell(state.name)!)
    return state
  }

  /// Declares a state molecule whose value cannot be copied.
  ///
  /// ```swift
  /// struct Log: ~Copyable { var lines = 0 }
  /// let log = soup.state("log", Log())
  /// soup.react(state: log, increment) { log, _ in log.lines += 1 }
  /// ```
  ///
  /// A soup with such a state cannot be restarted; see ``state(_:file:line:initially:)``.
  @inlinable
  @_disfavoredOverload
  public func state<Value: ~Copyable & SendableMetatype>(
    _ label: String, _ initial: consuming sending Value, file: StaticString = #fileID, line: UInt = #line
  ) -> Soup.State<Value> {
    declareState(
      label, initial, shared: StateDestructor<Value>.self, StateDestructor<Value>(), at: StaticSource(file, line))
  }

  /// Declares a state molecule with a closure that makes its first value: once now, and again at each restart.
  ///
  /// ```swift
  /// let log = soup.state("log") { Log() }
  /// ```
  ///
  /// - Complexity: O(1), and what the closure does.
  public func state<Value: ~Copyable & SendableMetatype>(
    _ label: String, file: StaticString = #fileID, line: UInt = #line,
    initially: @escaping @Sendable () -> sending Value
  ) -> Soup.State<Value> {
    declareState(label, initially(), shared: nil, MadeState(initially), at: StaticSource(file, line))
  }

  /// Declares a state that holds values for later, such as the rows of a batch, and says how many.
  ///
  /// ```swift
  /// let rows = soup.state("rows", holding: { $0.count }) { [Row]() }
  /// ```
  ///
  /// A stop drops these values, and counts them in ``StopReport/dropped``. A drain lists them in
  /// ``DrainReport/unfinished``, unless reactions have given them out before (``whenDraining(_:file:line:)``). A body
  /// that still runs when the limit is over keeps its state, and the next stop counts the values.
  ///
  /// Requires: `count` does not use the soup.
  ///
  /// - Complexity: as ``state(_:file:line:initially:)``.
  public func state<Value: ~Copyable & SendableMetatype>(
    _ label: String, holding count: @escaping @Sendable (borrowing Value) -> Int, file: StaticString = #fileID,
    line: UInt = #line, initially: @escaping @Sendable () -> sending Value
  ) -> Soup.State<Value> {
    declareState(
      label, initially(), shared: nil, MadeState(initially, counting: count), at: StaticSource(file, line))
  }

  @inlinable
  func declareState<Value: ~Copyable & SendableMetatype>(
    _ label: String, _ initial: consuming Value, shared: Destructor.Type?,
    _ destructor: @autoclosure () -> StateDestructor<Value>, at source: StaticSource
  ) -> Soup.State<Value> {
    let size = MemoryLayout<Value>.size
    let alignment = MemoryLayout<Value>.alignment
    let again =
      shared == nil
      ? nil
      : declareAgain(label, crucible_name_shape(CRUCIBLE_STATE, size, alignment), shared: shared, at: source)
    let name =
      again
      ?? declare(
        label, CRUCIBLE_STATE, size: size, alignment: alignment, destroys: !_isPOD(Value.self), shared: shared,
        destructor(), at: source)
    Soup.State<Value>.value(crucible_name_cell(name)!).initialize(to: initial)
    return Soup.State(name: name)
  }
}
