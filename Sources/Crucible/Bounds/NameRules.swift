import CCrucible

/// The keys, the capacity and the expiry of a name.
@usableFromInline
struct NameRules {
  var keying: Keying?
  var bound: crucible_bound_options?
  var expiry: Expiry?

  /// Calls `body` with what the core needs. Each of them owns its object.
  func withOptions<Result>(
    _ body: (
      UnsafePointer<crucible_key_options>?, UnsafePointer<crucible_bound_options>?,
      UnsafePointer<crucible_expiry_options>?
    ) -> Result
  ) -> Result {
    withPointer(keying?.options()) { key in
      withPointer(bound) { bound in withPointer(expiry?.options()) { body(key, bound, $0) } }
    }
  }
}

private func withPointer<Value, Result>(_ value: Value?, _ body: (UnsafePointer<Value>?) -> Result) -> Result {
  guard let value else { return body(nil) }
  return withUnsafePointer(to: value) { body($0) }
}

extension Soup {
  /// Declares a slow name by rules. `destructor`: nil for that of all values of the type, which may be calls.
  func slow<Value: Sendable>(
    _ label: String, _ destructor: Destructor? = nil, by rules: NameRules, at source: StaticSource
  ) -> Injector<Value> {
    let name = declare(
      label, CRUCIBLE_SLOW, size: Payload<Value>.size, alignment: Payload<Value>.alignment, destroys: true, shared: nil,
      destructor ?? (Value.self as? any AnyCall.Type)?.destructor ?? ValueDestructor<Value>(), by: rules, at: source)
    return Injector(name: name, handle: takeHandle())
  }

  func expiry<Value>(
    of label: String, after lifetime: Duration?, into late: Injector<Value>?, at source: StaticSource
  ) -> Expiry? {
    var misuse: String?
    if lifetime == nil, late != nil { misuse = "has a name to expire into, and does not expire" }
    if let lifetime, lifetime <= .zero { misuse = "must expire after a positive time, not \(lifetime)" }
    if let late, crucible_name_soup(late.name) != core { misuse = "expires into '\(late)', which is of another soup" }
    if let misuse {
      fatalError("Crucible: \(Definition(core)): '\(label)' \(misuse)", file: source.file, line: source.line)
    }
    return lifetime.map { Expiry(after: $0, into: late?.name, in: core, by: clock.clock) }
  }

  func bound<Value>(
    _ capacity: Int, of label: String, _ whenFull: WhenFull<Value>, at source: StaticSource
  ) -> crucible_bound_options {
    requireUsual(capacity, "the capacity", of: label, at: source)
    return crucible_bound_options(
      capacity: UInt64(capacity), when_full: whenFull.policy, into: whenFull.into?.name, room: nil, rooms: 0)
  }

  func requireUsual(_ limit: Int, _ which: String, of label: String, at source: StaticSource) {
    if (1...1 << 40).contains(limit) { return }
    let what = "\(which) of '\(label)' must be from 1 to 2⁴⁰, not \(limit)"
    fatalError("Crucible: \(Definition(core)): \(what)", file: source.file, line: source.line)
  }

  func requireNoCalls(_ type: Any.Type, _ label: String, at source: StaticSource) {
    if type is any AnyCall.Type { fail(CRUCIBLE_BAD_BOUND, what: ": declaring '\(label)' (\(source))", at: source) }
  }
}
