import CCrucible

extension Injector {
  /// Injects one molecule for each value, in one step: no reaction sees some of them without the others.
  ///
  /// ```swift
  /// jobs.inject(contentsOf: [3, 1, 2])
  /// ```
  ///
  /// The molecules wait in the order of the values. The soup reserves all firings that they enable before any of them
  /// runs. If the reactions are placed ``Placement/inline``, one runs on this thread and the others on the pool.
  ///
  /// - Returns: false if the soup is gone or stopped, if it drains, if the name has no room for all, or if there is no
  ///   memory. Then nothing was injected, except for molecules that reactions consumed before the memory ran out.
  /// - Complexity: O(values + firings).
  @discardableResult
  public func inject(contentsOf values: some Sequence<Value>) -> Bool {
    let batch = Together(owns: owns)
    for value in values { batch.add(value, to: name) }
    return withExtendedLifetime(handle) { batch.inject() == nil }
  }
}

extension Injector where Value == Void {
  /// Injects `count` molecules in one step: no reaction sees some of them without the others.
  ///
  /// The count is from 0 to 2⁴⁰.
  ///
  /// - Returns: false if the soup is gone or stopped, if it drains, if there is no memory, or if 2⁵⁶ molecules of this
  ///   name wait already. Then nothing was injected.
  /// - Complexity: O(firings).
  @discardableResult
  public func inject(count: Int, file: StaticString = #fileID, line: UInt = #line) -> Bool {
    if count < 0 || count > 1 << 40 {
      fatalError("Crucible: a count of molecules to inject must not be \(count)", file: file, line: line)
    }
    if count == 0 { return true }
    let batch = Together(owns: owns)
    batch.add((), to: name, times: count)
    return withExtendedLifetime(handle) { batch.inject() == nil }
  }
}

extension Soup {
  /// Injects molecules of several names of one soup, in one step per component: no reaction sees some of them without
  /// the others. A component has the names that are connected by sharing reactions.
  ///
  /// ```swift
  /// Soup.inject((left, fork), (right, fork), (hungry, 1))
  /// ```
  ///
  /// Different components are served one after the other. Names of different soups end the program with a message.
  ///
  /// - Complexity: O(names + firings).
  /// - Returns: as ``Injector/inject(contentsOf:)``; of several components, some may have been served before a stop.
  @discardableResult
  public static func inject<each Value>(
    _ molecules: repeat (Injector<each Value>, each Value), file: StaticString = #fileID, line: UInt = #line
  ) -> Bool {
    var owns = false
    for (name, _) in repeat each molecules { owns = owns || name.owns }
    let batch = Together(owns: owns)
    for (name, value) in repeat each molecules { batch.add(value, to: name.name) }
    return batch.inject(at: StaticSource(file, line)) == nil
  }
}

final class Together {
  private var molecules: [crucible_molecule] = []
  /// Destroy the values: those that the soup has refused, or, if nil, those that were not injected.
  private var destroys: [(UnsafeMutableRawPointer, _ refusal: crucible_status?) -> Void] = []
  private let owns: Bool
  /// Whether they were consumed before, and so are injected even if their names are full.
  private let arePutBack: Bool

  init(owns: Bool, arePutBack: Bool = false) {
    self.owns = owns
    self.arePutBack = arePutBack
  }

  var count: Int { molecules.count }

  deinit {
    for (molecule, destroy) in zip(molecules, destroys) {
      destroy(molecule.value!, nil)
      molecule.value!.deallocate()
    }
  }

  func add<Value>(_ value: Value, to name: OpaquePointer) {
    add(value, to: name, times: Payload<Value>.size == 0 ? 1 : 0)
  }

  /// `times`: how often the molecule was put back. For a name without a value, the number of molecules.
  func add<Value>(_ value: Value, to name: OpaquePointer, times: Int) {
    if Payload<Value>.isBoxed { return add(Payload<Value>.Box(value), to: name, times: times) }
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: max(MemoryLayout<Value>.size, 1), alignment: MemoryLayout<Value>.alignment)
    memory.initializeMemory(as: Value.self, to: value)
    molecules.append(crucible_molecule(name: name, value: memory, times: UInt64(times), is_put_back: arePutBack))
    destroys.append { memory, refusal in
      let value = memory.assumingMemoryBound(to: Value.self)
      if let refusal { Payload.discard(value, because: refusal) } else { value.deinitialize(count: 1) }
    }
  }

  /// Injects all molecules. Returns nil on success. Destroys the values that the soup refuses.
  func inject(at source: StaticSource? = nil) -> crucible_status? {
    var culprit: OpaquePointer?
    let memories = molecules.map(\.value)
    let status = crucible_inject_together(&molecules, molecules.count, owns, &culprit)
    if status == CRUCIBLE_FOREIGN_NAME, let culprit, let source {
      require(culprit, of: crucible_name_soup(molecules[0].name), "injecting into", source.file, source.line)
    }
    for (index, memory) in memories.enumerated() {
      if status != CRUCIBLE_OK, let value = molecules[index].value { destroys[index](value, status) }
      memory?.deallocate()
    }
    molecules = []
    destroys = []
    return status == CRUCIBLE_OK ? nil : status
  }
}
