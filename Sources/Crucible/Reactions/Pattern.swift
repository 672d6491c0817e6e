/// The names of one reaction, in the order of the pattern, on the stack.
@usableFromInline
struct Pattern {
  @usableFromInline typealias Names = (
    OpaquePointer, OpaquePointer, OpaquePointer, OpaquePointer, OpaquePointer, OpaquePointer
  )
  @usableFromInline var names: Names
  @usableFromInline let count: Int

  /// Makes a pattern. Returns nil if an input is more than a name. Ignores missing inputs at the end.
  @inlinable @inline(__always)
  init?(
    _ a: OpaquePointer?, _ b: OpaquePointer?? = .none, _ c: OpaquePointer?? = .none, _ d: OpaquePointer?? = .none,
    _ e: OpaquePointer?? = .none, _ f: OpaquePointer?? = .none
  ) {
    count = f != nil ? 6 : e != nil ? 5 : d != nil ? 4 : c != nil ? 3 : b != nil ? 2 : 1
    guard let a, let b = b ?? a, let c = c ?? a, let d = d ?? a, let e = e ?? a, let f = f ?? a else { return nil }
    names = (a, b, c, d, e, f)
  }
}
