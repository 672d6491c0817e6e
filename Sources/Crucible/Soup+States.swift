import CCrucible

extension Soup {
  /// Declares a state molecule with its first value: exactly one copy of it exists from now on. It need not be `Sendable`, for
  /// it is the soup's from now on.
  ///
  /// A restart of the soup sets it back to this value if it is plain: numbers, and structs, enums and tuples of such. A soup with
  /// another state that is declared so cannot be restarted; see ``state(_:file:line:initially:)``.
  @_disfavoredOverload  // lest a trailing closure is taken for the value
  public func state<Value: SendableMetatype>(
    _ label: String, _ initial: sending Value, file: StaticString = #fileID, line: UInt = #line
  ) -> State<Value> {
    let state: State<Value> = declareState(label, initial, at: Source(file: file, line: line))
    if _isPOD(Value.self) {
      // A copy of what holds no reference shares nothing with the original.
      let copy = State<Value>.value(crucible_name_cell(state.name)!).pointee
      setReset(of: state, to: { copy })
    }
    return state
  }

  /// Declares a state molecule with a closure that makes its first value: once now, and again at each restart.
  ///
  /// ```swift
  /// let log = soup.state("log") { Log() }
  /// ```
  public func state<Value: SendableMetatype>(
    _ label: String, file: StaticString = #fileID, line: UInt = #line,
    initially: @escaping @Sendable () -> sending Value
  ) -> State<Value> {
    let state = declareState(label, initially(), at: Source(file: file, line: line))
    setReset(of: state, to: initially)
    return state
  }

  private func declareState<Value: SendableMetatype>(
    _ label: String, _ initial: sending Value, at source: Source
  ) -> State<Value> {
    let isPlain = _isPOD(Value.self)
    let destructor = Destructor(isPlain ? nil : { value, _ in State<Value>.value(value).deinitialize(count: 1) })
    let name = declare(
      label, CRUCIBLE_STATE, size: MemoryLayout<Value>.size, alignment: MemoryLayout<Value>.alignment,
      destroys: !isPlain, destructor, at: source)
    State<Value>.value(crucible_name_cell(name)!).initialize(to: initial)
    return State(name: name)
  }

  private func setReset<Value>(of state: State<Value>, to initially: @escaping () -> Value) {
    Destructor.of(state.name)!.reset = { cell in
      let value = initially()
      let cell = State<Value>.value(cell)
      cell.deinitialize(count: 1)
      cell.initialize(to: value)
    }
  }
}
