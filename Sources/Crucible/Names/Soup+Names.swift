public import CCrucible

// Inlinable where a type is made for the values of a name: a client that knows the type finds it without a search.

extension Soup {
  /// Declares a slow molecule: injecting it returns at once. Without `of`, it carries nothing.
  ///
  /// - Complexity: O(1), as for every name.
  @inlinable
  public func slow<Value: Sendable>(
    _ label: String, of: Value.Type = Void.self, file: StaticString = #fileID, line: UInt = #line
  ) -> Injector<Value> {
    let name = declareValue(label, CRUCIBLE_SLOW, of: Value.self, at: StaticSource(file, line))
    return Injector(name: name, handle: takeHandle())
  }

  /// Declares a name of values that bodies get as they are.
  @inlinable @inline(__always)
  func declareValue<Value: Sendable>(
    _ label: String, _ kind: crucible_kind, of: Value.Type, at source: StaticSource
  ) -> OpaquePointer {
    typealias Content = Payload<Value>
    let isPlain = _isPOD(Value.self)
    // First, because only a search through all types shows whether the values are calls.
    let shape = crucible_name_shape(kind, Content.size, Content.alignment)
    let shared = isPlain ? nil : ValueDestructor<Value>.self
    if let name = declareAgain(label, shape, shared: shared, at: source) { return name }
    let calls = kind == CRUCIBLE_SLOW && !isPlain ? Value.self as? any AnyCall.Type : nil
    let kept = isPlain ? ValueDestructor<Value>.ofPlain : shared
    return declare(
      label, kind, size: Content.size, alignment: Content.alignment, destroys: !isPlain,
      shared: calls == nil ? kept : nil, kept == nil ? nil : calls?.destructor ?? ValueDestructor<Value>(), at: source)
  }

  /// Declares a slow molecule whose value holds others, such as the rows of a batch, and says how many.
  ///
  /// ```swift
  /// let batch = soup.slow("batch", of: [Row].self, holding: { $0.count })
  /// ```
  ///
  /// ``StopReport`` and ``DrainReport`` then count a dropped molecule as so many, at least one. Everything else counts
  /// molecules.
  ///
  /// - Complexity: O(1), as for every name.
  public func slow<Value: Sendable>(
    _ label: String, of: Value.Type, holding count: @escaping @Sendable (borrowing Value) -> Int,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Injector<Value> {
    let name = declare(
      label, CRUCIBLE_SLOW, size: Payload<Value>.size, alignment: Payload<Value>.alignment, destroys: true, shared: nil,
      (Value.self as? any AnyCall.Type)?.destructor ?? HoldingDestructor<Value>(counting: count),
      at: StaticSource(file, line))
    return Injector(name: name, handle: takeHandle())
  }

  /// Declares `count` slow molecules, which carry nothing without `of`. Their labels are `label[0]`, `label[1]` and so
  /// on.
  ///
  /// ```swift
  /// let forks = soup.slow("fork", count: n), hungry = soup.slow("hungry", of: Int.self, count: n)
  /// for i in 0..<n {
  ///   soup.react(hungry[i], forks[i], forks[(i + 1) % n]) { meals, _, _ in … }
  /// }
  /// ```
  public func slow<Value: Sendable>(
    _ label: String, of type: Value.Type = Void.self, count: Int, file: StaticString = #fileID, line: UInt = #line
  ) -> [Injector<Value>] {
    (0..<count).map { slow("\(label)[\($0)]", of: type, file: file, line: line) }
  }

  /// Declares a fast molecule: calling it waits for the reply of the reaction that consumed it. Without `of`, it
  /// carries nothing.
  ///
  /// - Complexity: O(1), as for every name.
  @inlinable
  public func fast<Input: Sendable, Output: Sendable>(
    _ label: String, of: Input.Type = Void.self, returning: Output.Type, file: StaticString = #fileID,
    line: UInt = #line
  ) -> FastInjector<Input, Output> {
    typealias Content = Payload<Call<Input, Output>>
    let source = StaticSource(file, line)
    let shared = CallDestructor<Input, Output>.self
    let name =
      declareAgain(
        label, crucible_name_shape(CRUCIBLE_FAST, Content.size, Content.alignment), shared: shared, at: source)
      ?? declare(
        label, CRUCIBLE_FAST, size: Content.size, alignment: Content.alignment, destroys: true, shared: shared,
        CallDestructor<Input, Output>(), at: source)
    return FastInjector(name: name, handle: takeHandle())
  }

  /// Returns the name that an earlier soup of this place declared at this step, in memory that has held it already.
  /// Returns nil if that name differs. `shared` is as in `declare`; nil if the values need no destructor.
  @usableFromInline
  func declareAgain(
    _ label: String, _ shape: UInt64, shared: Destructor.Type?, at source: StaticSource
  ) -> OpaquePointer? {
    guard isOpen, let file = source.fixedFile else { return nil }
    let identity = shared.flatMap { UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier($0))) }
    let words = label.smallWords ?? withLabel(label, at: source) { crucible_soup_next_label(core, $0) }
    return crucible_soup_repeat_name(core, words, shape, identity, file, UInt32(truncatingIfNeeded: source.line))
  }

  /// Declares a name for the core. The typed name refers to the handle of ``takeHandle()``. `shared` is the class of
  /// the object that `make` makes, if that class has no members. Then soups that repeat this one need no object.
  @usableFromInline
  func declare(
    _ label: String, _ kind: crucible_kind, size: Int, alignment: Int, destroys: Bool, shared: Destructor.Type?,
    _ make: @autoclosure () -> Destructor?, by rules: NameRules? = nil, at source: StaticSource
  ) -> OpaquePointer {
    requireOpen("declaring '\(label)'", at: source)
    let shape = shared.flatMap { UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier($0))) }
    let destructor = shared == nil ? make() : nil
    if let keying = rules?.keying { keying.numbers = SoupContext.known(of: core)?.keyNumbers }
    let values = destructor.map { Unmanaged.passRetained($0).toOpaque() }
    var name: OpaquePointer?
    let status = withLabel(label, at: source) { label in
      source.withFile { file in
        (rules ?? NameRules()).withOptions { key, bound, expiry in
          var options = crucible_name_options(
            label: label, kind: kind, size: size, alignment: alignment,
            destroy: destroys ? Destructor.call : nil, context: values,
            release: values == nil ? nil : Destructor.release,
            carry: destructor?.handsCallsOn == true ? Destructor.carry : nil,
            shared: shape, key: key, bound: bound, expiry: expiry, file: file, line: UInt32(source.line))
          return crucible_soup_add_name(core, &options, nil, &name)
        }
      }
    }
    guard status == CRUCIBLE_OK, let name else { fail(status, what: ": declaring '\(label)' (\(source))", at: source) }
    if shared != nil && crucible_name_context(name) == nil {
      crucible_name_give_context(name, Unmanaged.passRetained(make()!).toOpaque(), Destructor.release)
    }
    rules?.expiry?.name = name
    destructor?.begin(name)
    // Until the definition ends: its thread must not wait for a reply, and observers get events of other threads.
    if crucible_name_has_callers(name) { crucible_name_set_special(name, true) }
    if !crucible_soup_repeats(core) { addHandle() }
    return name
  }
}
