/// A dictionary in an order that only depends on what was done with it: a removed value is replaced by the last one.
///
/// The order of Swift's dictionaries differs from process to process, and then an exploration would take other steps.
@usableFromInline
struct Ordered<Key: Hashable, Value> {
  @usableFromInline var keys: [Key] = []
  @usableFromInline var values: [Value] = []
  @usableFromInline var places: [Key: Int] = [:]

  @inlinable init() {}

  @inlinable
  subscript(key: Key) -> Value? {
    get { places[key].map { values[$0] } }
    set {
      if let newValue { insert(newValue, key) } else { removeValue(forKey: key) }
    }
  }

  @inlinable
  mutating func insert(_ value: Value, _ key: Key) {
    if let place = places[key] {
      values[place] = value
      return
    }
    places[key] = values.count
    keys.append(key)
    values.append(value)
  }

  @inlinable
  @discardableResult
  mutating func removeValue(forKey key: Key) -> Value? {
    guard let place = places.removeValue(forKey: key) else { return nil }
    if place < values.count - 1 { places[keys.last!] = place }
    keys.swapAt(place, keys.count - 1)
    values.swapAt(place, values.count - 1)
    keys.removeLast()
    return values.removeLast()
  }
}
