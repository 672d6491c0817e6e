import CCrucible

extension Soup {
  /// Declares a slow molecule that reacts only with molecules of its own key.
  ///
  /// ```swift
  /// let order   = soup.slow("order", of: Order.self, key: \.id)
  /// let payment = soup.slow("payment", of: Payment.self, key: \.order)
  /// soup.react(order, payment) { order, payment in ship(order, payment) }   // of one id
  /// ```
  ///
  /// `key` reads the key from the value, once for each injection. With `expires`, a molecule that has not reacted in
  /// this time leaves the soup, and the name `into` gets its value. <doc:Keys> has more.
  ///
  /// Requires: `key`, and the comparison of keys, do not use the soup.
  ///
  /// - Complexity: an injection is O(1) on average, and blocks for those of other keys in the same one of 32 groups.
  @inlinable
  public func slow<Value: Sendable, Key: Hashable & Sendable>(
    _ label: String, of: Value.Type, key: @escaping @Sendable (Value) -> Key, expires lifetime: Duration? = nil,
    into late: Injector<Value>? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> Injector<Value> {
    declareKeyed(label, of: Value.self, by: Keying.ofValues(key), lifetime, late, file, line)
  }

  @usableFromInline
  func declareKeyed<Value: Sendable>(
    _ label: String, of: Value.Type, by keying: Keying, _ lifetime: Duration?, _ late: Injector<Value>?,
    _ file: StaticString, _ line: UInt
  ) -> Injector<Value> {
    let source = StaticSource(file, line)
    let expiry = expiry(of: label, after: lifetime, into: late, at: source)
    return slow(label, by: NameRules(keying: keying, expiry: expiry), at: source)
  }

  /// Declares a fast molecule that reacts only with molecules of its own key: calling it waits for the reply of the
  /// reaction that consumed it.
  ///
  /// ```swift
  /// let balance = soup.fast("balance", of: String.self, key: \.self, returning: Int.self)
  /// ```
  ///
  /// - Complexity: as for a slow name with a key.
  @inlinable
  public func fast<Input: Sendable, Output: Sendable, Key: Hashable & Sendable>(
    _ label: String, of: Input.Type, key: @escaping @Sendable (Input) -> Key, returning: Output.Type,
    file: StaticString = #fileID, line: UInt = #line
  ) -> FastInjector<Input, Output> {
    declareKeyed(label, by: Keying.ofCalls(Output.self, key), file, line)
  }

  @usableFromInline
  func declareKeyed<Input: Sendable, Output: Sendable>(
    _ label: String, by keying: Keying, _ file: StaticString, _ line: UInt
  ) -> FastInjector<Input, Output> {
    typealias Content = Payload<Call<Input, Output>>
    let name = declare(
      label, CRUCIBLE_FAST, size: Content.size, alignment: Content.alignment, destroys: true, shared: nil,
      CallDestructor<Input, Output>(), by: NameRules(keying: keying), at: StaticSource(file, line))
    return FastInjector(name: name, handle: takeHandle())
  }

  /// Declares a state of which each key has one copy. The first body of a key gets a value that the closure has made.
  ///
  /// ```swift
  /// let balance = soup.state("balance", key: Int.self) { account in 0 }
  /// let deposit = soup.slow("deposit", of: Deposit.self, key: \.account)
  /// soup.react(state: balance, deposit) { balance, deposit in balance += deposit.amount }
  /// ```
  ///
  /// Reactions of one key that share the state never run at the same time; those of two keys do. A restart of the soup
  /// forgets all values. So does the end of the soup, and `forget` may before: it is asked after each body.
  ///
  /// `initially` runs on the thread of the first body of a key, before it. It may inject, but must not wait for
  /// reactions of the soup.
  ///
  /// - Complexity: O(1), and what the closure does for each key.
  public func state<Value: ~Copyable & SendableMetatype, Key: Hashable & Sendable>(
    _ label: String, key: Key.Type, forget: Forgetting<Value> = .never, file: StaticString = #fileID,
    line: UInt = #line, initially: @escaping @Sendable (Key) -> sending Value
  ) -> State<Value> {
    let source = StaticSource(file, line)
    let expiry = expiry(of: label, after: forget.idle, into: Injector<Void>?.none, at: source)
    let rules = NameRules(keying: Keying.ofState(initially, forgetting: forget), expiry: expiry)
    let name = declare(
      label, CRUCIBLE_STATE, size: MemoryLayout<Value>.size, alignment: MemoryLayout<Value>.alignment,
      destroys: !_isPOD(Value.self), shared: nil, KeyedState<Value>(), by: rules, at: source)
    return State(name: name)
  }

  /// When the value of a state may go, so that a key that nobody uses takes no memory.
  ///
  /// ```swift
  /// let rows = soup.state("rows", key: Int.self, forget: .when { $0.isEmpty }) { _ in [Row]() }
  /// ```
  ///
  /// A value that goes is destroyed, and the next body of the key gets a new one. The key goes with it when nothing
  /// else of it waits or runs.
  public struct Forgetting<Value: ~Copyable & SendableMetatype>: Sendable {
    var decides: (@Sendable (borrowing Value, () -> Value) -> Bool)?
    var idle: Duration?

    /// The value stays until the soup ends or restarts.
    public static var never: Forgetting { Forgetting() }

    /// The value goes when no body has had it for this time, by the soup's clock: never earlier.
    ///
    /// ```swift
    /// let basket = soup.state("basket", key: Int.self, forget: .after(idle: .seconds(60))) { _ in [Row]() }
    /// ```
    ///
    /// - Complexity: reads the clock after each body. A state has one alarm, and each look takes O(keys). It blocks
    ///   injections of one group of keys after the other.
    public static func after(idle: Duration) -> Forgetting { Forgetting(idle: idle) }

    /// The value goes if the closure says so after a body that had the state. Requires: the closure does not use the
    /// soup.
    ///
    /// - Complexity: what the closure does, after each body.
    public static func when(_ isOver: @escaping @Sendable (borrowing Value) -> Bool) -> Forgetting {
      Forgetting { value, _ in isOver(value) }
    }
  }
}

extension Soup.Forgetting where Value: Equatable {
  /// The value goes if it equals the one that a new key would get, after a body that had the state. Nobody can tell the
  /// difference.
  ///
  /// Requires: the closure that makes values has no other effect, because it also makes those for the comparison.
  ///
  /// - Complexity: makes one new value after each body.
  public static var whenEqualToNew: Soup.Forgetting<Value> { Soup.Forgetting { value, new in copy value == new() } }
}
