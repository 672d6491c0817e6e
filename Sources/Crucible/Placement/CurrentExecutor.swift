import CTask

extension UnownedSerialExecutor {
  /// Whether the calling thread runs on it.
  var isCurrent: Bool {
    let (identity, implementation) = unsafeBitCast(self, to: (UInt, UInt).self)
    return crucible_task_is_on(identity, implementation)
  }

  /// Whether its actor has no executor of its own: then the second word is 0.
  var isOfDefaultActor: Bool { unsafeBitCast(self, to: (UInt, UInt).self).1 == 0 }
}
