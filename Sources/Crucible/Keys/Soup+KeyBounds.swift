import CCrucible

extension Soup {
  /// Declares a slow molecule with a key, of which only so many may wait.
  ///
  /// ```swift
  /// let orders = soup.slow(
  ///   "orders", of: Order.self, key: \.id, capacity: 10, capacityOfAll: 100_000, keys: 50_000, whenFull: .refuse)
  /// ```
  ///
  /// `whenFull` acts on one more molecule when a limit is reached:
  ///
  /// - `capacity`: the most molecules of one key that wait. The oldest one is that of the key. A molecule that reacts
  ///   at once does not wait.
  /// - `keys`: the most keys of which a molecule waits. None of a new key waits, so `.dropOldest` drops the new one.
  /// - `capacityOfAll`: the most molecules of all keys whose bodies have not begun. It also bounds what waits for a
  ///   thread of the pool. All keys share its count. The oldest molecule is that of all keys.
  ///
  /// Each is from 1 to 2⁴⁰, and nil is no limit. Each acts by itself, `capacityOfAll` first. So one injection may drop
  /// two molecules. The rest is as for the capacity of a name without a key. The values must not be calls.
  ///
  /// - Complexity: as for other names with a key. `.dropOldest` takes the locks of all 32 groups of keys when
  ///   `capacityOfAll` is reached.
  public func slow<Value: Sendable, Key: Hashable & Sendable>(
    _ label: String, of: Value.Type, key: @escaping @Sendable (Value) -> Key, expires lifetime: Duration? = nil,
    into late: Injector<Value>? = nil, capacity: Int? = nil, capacityOfAll: Int? = nil, keys: Int? = nil,
    whenFull: WhenFull<Value>, file: StaticString = #fileID, line: UInt = #line
  ) -> Injector<Value> {
    let source = StaticSource(file, line)
    requireNoCalls(Value.self, label, at: source)
    if capacity == nil && capacityOfAll == nil && keys == nil {
      fatalError("Crucible: \(Definition(core)): '\(label)' has `whenFull`, and no limit", file: file, line: line)
    }
    if let capacity { requireUsual(capacity, "the capacity", of: label, at: source) }
    if let keys { requireUsual(keys, "the number of keys", of: label, at: source) }
    let keying = Keying.ofValues(key)
    (keying.capacity, keying.keys) = (capacity ?? 0, keys ?? 0)
    keying.whenFull = (whenFull.policy, whenFull.into?.name)
    let all = capacityOfAll.map { bound($0, of: label, whenFull, at: source) }
    let expiry = expiry(of: label, after: lifetime, into: late, at: source)
    return slow(label, by: NameRules(keying: keying, bound: all, expiry: expiry), at: source)
  }

  /// Declares a slow molecule with a key, of which only so many of all keys may wait, and for whose room an injection
  /// waits.
  ///
  /// ```swift
  /// let orders = soup.slow("orders", of: Order.self, key: \.id, capacityOfAll: 1000, whenFull: .wait)
  /// try await orders(order)
  /// ```
  ///
  /// Injections go on in the order in which they came, whatever their key is. The rest is as for a name without a key.
  ///
  /// Requires: as for a name without a key.
  ///
  /// - Complexity: an injection is a call and two reactions.
  public func slow<Value: Sendable, Key: Hashable & Sendable>(
    _ label: String, of: Value.Type, key: @escaping @Sendable (Value) -> Key, expires lifetime: Duration? = nil,
    into late: Injector<Value>? = nil, capacityOfAll: Int, whenFull: Waiting, file: StaticString = #fileID,
    line: UInt = #line
  ) -> BoundedInjector<Value> {
    let source = StaticSource(file, line)
    let expiry = expiry(of: label, after: lifetime, into: late, at: source)
    return waiting(label, capacityOfAll, NameRules(keying: Keying.ofValues(key), expiry: expiry), at: source)
  }
}
