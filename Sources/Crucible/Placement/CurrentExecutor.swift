import CTask

extension UnownedSerialExecutor {
  /// Whether the calling thread runs on it.
  var isCurrent: Bool {
    let (identity, implementation) = unsafeBitCast(self, to: (UInt, UInt).self)
    return crucible_task_is_on(identity, implementation)
  }
}
