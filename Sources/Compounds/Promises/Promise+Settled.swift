import Crucible

extension Promise {
  /// Whether the promise has been fulfilled or rejected.
  ///
  /// ```swift
  /// if !page.isSettled { showSpinner() }
  /// ```
  ///
  /// - Complexity: O(1). Does not block.
  public var isSettled: Bool { outcome.isKnown }

  /// The value or the error of the promise; `nil` if it is not settled yet, or while its soup is paused or stopped.
  ///
  /// ```swift
  /// switch page.result {
  /// case .success(let page)?: show(page)
  /// case .failure(let error)?: report(error)
  /// case nil: showSpinner()
  /// }
  /// ```
  ///
  /// - Complexity: O(1). Does not block.
  public var result: Result<Value, any Error>? {
    if !isSettled { return nil }
    do throws(CallError) {
      return .success(try value.unlessPaused((), control))
    } catch {
      if case .failed(let reason) = error { return .failure(reason) }
      return nil
    }
  }
}

/// All promises of ``Promise/any(of:within:file:line:)`` were rejected, or there was none.
///
/// ```swift
/// do { try await Promise.any(of: pages) } catch let none as AllRejected { for error in none.errors { print(error) } }
/// ```
public struct AllRejected: Error, CustomStringConvertible {
  /// The errors of the promises, in the order of the promises.
  public let errors: [any Error]

  public var description: String {
    errors.isEmpty ? "There was no promise." : "All promises were rejected: \(errors)"
  }
}

extension Promise where Value == Void {
  /// Waits for promises of any types, and returns their values as a tuple.
  ///
  /// ```swift
  /// let (user, pages) = try await Promise.all(Promise { try await loadUser() }, Promise { try await loadPages() })
  /// ```
  ///
  /// The limit is that of the whole wait.
  ///
  /// - Throws: the first error by which one of the promises was rejected, without waiting for the others. `CallError`
  ///   if a wait ended otherwise.
  public static func all<each Part: Sendable>(
    _ promises: repeat Promise<each Part>, within limit: Duration? = nil
  ) async throws -> (repeat each Part) {
    var waits: [@Sendable () async throws -> any Sendable] = []
    for promise in repeat each promises { waits.append(promise.waiting(upTo: limit)) }
    var values = Parts(count: waits.count)
    try await withThrowingTaskGroup(of: (Int, any Sendable).self) { group in
      for (index, wait) in waits.enumerated() { group.addTask { (index, try await wait()) } }
      for try await (index, value) in group { values.all[index] = value }
    }
    return (repeat values.next((each Part).self))
  }
}

extension Promise {
  fileprivate func waiting(upTo limit: Duration?) -> @Sendable () async throws -> any Sendable {
    { [value] in try await Self.wait(for: value, upTo: limit) }
  }
}

/// The values of a tuple, which come in any order.
private struct Parts {
  var all: [(any Sendable)?]
  private var index = 0

  init(count: Int) { all = Array(repeating: nil, count: count) }

  mutating func next<Part>(_: Part.Type) -> Part {
    index += 1
    return all[index - 1] as! Part
  }
}
