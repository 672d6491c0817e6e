extension Array {
  /// Makes an array of all elements that `list` finds. `list` copies up to `capacity` elements, and returns the number
  /// of all. Calls it again with more room until all fit.
  init(roomFor capacity: Int, listedBy list: (UnsafeMutablePointer<Element>, _ capacity: Int) -> Int) {
    var count = 0
    self.init(unsafeUninitializedCapacity: capacity) { elements, initialized in
      count = list(elements.baseAddress!, capacity)
      initialized = Swift.min(count, capacity)
    }
    if count > capacity { self.init(roomFor: 2 * count, listedBy: list) }
  }
}
