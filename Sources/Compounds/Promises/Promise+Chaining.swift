public import Crucible

extension Promise {
  /// Makes a promise of the closure's result for the value. If this promise is rejected, the new one is rejected by the
  /// same error.
  ///
  /// ```swift
  /// let size = page.then { page in page.count }
  /// ```
  ///
  /// The closure runs on the placement of the options once the value is known. If the new promise is released first,
  /// the closure does not run, or its task is cancelled.
  public func then<Next: Sendable>(
    _ label: String = "promise", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, _ transform: @escaping @Sendable (Value) async throws -> Next
  ) -> Promise<Next> {
    Promise<Next>(label, options: options, file: file, line: line) { [value] in
      try await transform(try await Self.wait(for: value))
    }
  }

  /// Makes a promise of the same value or, if this promise is rejected, of the closure's result for the error.
  ///
  /// ```swift
  /// let safe = page.catch { error in [] }
  /// ```
  ///
  /// Otherwise this is like ``then(_:options:file:line:_:)``.
  public func `catch`(
    _ label: String = "promise", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, _ recover: @escaping @Sendable (any Error) async throws -> Value
  ) -> Promise {
    Promise(label, options: options, file: file, line: line) { [value] in
      do { return try await Self.wait(for: value) } catch {
        if Task.isCancelled { throw error }
        return try await recover(error)
      }
    }
  }

  /// Waits for all promises, and returns their values, in the order of the promises.
  ///
  /// ```swift
  /// let pages = try await Promise.all(urls.map { url in Promise { try await load(url) } }, within: .seconds(10))
  /// ```
  ///
  /// The limit is that of the whole wait.
  ///
  /// - Throws: the first error by which one of the promises was rejected, without waiting for the others. `CallError`
  ///   if a wait ended otherwise.
  public static func all(_ promises: [Promise], within limit: Duration? = nil) async throws -> [Value] {
    try await withThrowingTaskGroup(of: (Int, Value).self) { group in
      for (index, promise) in promises.enumerated() {
        group.addTask { (index, try await wait(for: promise.value, upTo: limit)) }
      }
      var values = [Value?](repeating: nil, count: promises.count)
      for try await (index, value) in group { values[index] = value }
      return values.map { $0! }
    }
  }

  /// Waits until one of the promises is settled, and returns its value.
  ///
  /// ```swift
  /// let fastest = try await Promise.first(of: urls.map { url in Promise { try await load(url) } })
  /// ```
  ///
  /// A promise that is rejected may be the first; ``any(of:within:file:line:)`` waits for one that succeeds.
  ///
  /// - Throws: the error of the promise that is settled first, if it is rejected; ``AllRejected`` for an empty list;
  ///   `CallError` if the wait ended otherwise.
  public static func first(
    of promises: [Promise], within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      for promise in promises {
        group.addTask { try await wait(for: promise.value, upTo: limit, file: file, line: line) }
      }
      defer { group.cancelAll() }
      guard let first = try await group.next() else { throw AllRejected(errors: []) }
      return first
    }
  }

  /// Waits until one of the promises is fulfilled, and returns its value.
  ///
  /// ```swift
  /// let page = try await Promise.any(of: mirrors.map { mirror in Promise { try await load(mirror) } })
  /// ```
  ///
  /// The others go on. A promise of work that the program no longer keeps is cancelled.
  ///
  /// - Throws: ``AllRejected`` once all promises are rejected, at once for an empty list. `CallError` if the wait ended
  ///   otherwise, for example by its limit.
  public static func any(
    of promises: [Promise], within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
      for (index, promise) in promises.enumerated() {
        group.addTask {
          do throws(CallError) {
            return (index, .success(try await promise.value(within: limit, file: file, line: line)))
          } catch {
            if case .failed(let reason) = error { return (index, .failure(reason)) }
            throw error
          }
        }
      }
      defer { group.cancelAll() }
      var errors: [Int: any Error] = [:]
      for try await (index, result) in group {
        switch result {
        case .success(let value): return value
        case .failure(let error): errors[index] = error
        }
      }
      throw AllRejected(errors: errors.sorted { $0.key < $1.key }.map(\.value))
    }
  }

  /// Returns the value, or throws the error with which the promise was rejected.
  static func wait(
    for value: FastInjector<Void, Value>, upTo limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) async throws -> Value {
    do throws(CallError) {
      return try await value(within: limit, file: file, line: line)
    } catch {
      if case .failed(let error) = error { throw error }
      throw error
    }
  }
}

extension Promise {
  /// The static calls of ``Promise`` in the form that blocks the thread: write `.blocking` before the call instead of
  /// `await`.
  ///
  /// ```swift
  /// let pages = try Promise.blocking.all(urls.map { url in Promise { try await load(url) } }, within: .seconds(10))
  /// ```
  public static var blocking: Blocking { Blocking() }

  /// The static calls of ``Promise`` that block the thread.
  ///
  /// ```swift
  /// let pages = urls.map { url in Promise { try await load(url) } }
  /// let fastest = try Promise.blocking.first(of: pages)
  /// let all = try Promise.blocking.all(pages)
  /// ```
  ///
  /// - Complexity: as the call that is awaited, and a promise.
  public struct Blocking: Sendable {
    /// Blocks the thread until all promises are fulfilled, or one is rejected; see `Promise.all`.
    ///
    /// - Throws: as `Promise.all`.
    @available(*, noasync, message: "await all(_:within:) instead of blocking a thread of Swift concurrency")
    public func all(_ promises: [Promise], within limit: Duration? = nil) throws -> [Value] {
      try Promise<[Value]> { try await Promise.all(promises, within: limit) }.waitBlocking()
    }

    /// Blocks the thread until one of the promises is settled; see ``Promise/first(of:within:file:line:)``.
    ///
    /// - Throws: as ``Promise/first(of:within:file:line:)``.
    @available(*, noasync, message: "await first(of:within:) instead of blocking a thread of Swift concurrency")
    public func first(
      of promises: [Promise], within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws -> Value {
      try Promise { try await Promise.first(of: promises, within: limit, file: file, line: line) }.waitBlocking()
    }

    /// Blocks the thread until one of the promises is fulfilled; see ``Promise/any(of:within:file:line:)``.
    ///
    /// ```swift
    /// let page = try Promise.blocking.any(of: urls.map { url in Promise { try await load(url) } })
    /// ```
    ///
    /// - Throws: as ``Promise/any(of:within:file:line:)``.
    @available(*, noasync, message: "await any(of:within:) instead of blocking a thread of Swift concurrency")
    public func any(
      of promises: [Promise], within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws -> Value {
      try Promise { try await Promise.any(of: promises, within: limit, file: file, line: line) }.waitBlocking()
    }
  }

  /// Returns the value, or throws the error with which the promise was rejected.
  @available(*, noasync)
  fileprivate func waitBlocking() throws -> Value {
    do throws(CallError) {
      return try value.blocking()
    } catch {
      if case .failed(let error) = error { throw error }
      throw error
    }
  }
}
