public import Crucible

/// Maps items in parallel, and reduces the values in parallel too: at most `reducers` at a time.
///
/// ```swift
/// let words = try await mapReduce(files, into: [:], reducers: 4) { file in
///   try count(wordsOf: file)
/// } reduce: { total, words in
///   total.merge(words, uniquingKeysWith: +)
/// } combine: { total, part in
///   total.merge(part, uniquingKeysWith: +)
/// }
/// ```
///
/// Each reducer has a total of its own, which begins with `initial`. At the end, the totals are combined one after the
/// other. So `initial` must be neutral, such as 0 for a sum, and the result must not depend on the order of the values.
///
/// The definition. A part of the total is a molecule:
///
/// ```
/// soup.react(add, part) { call, part in try reduce(&part.total, call.input); part(part); call.reply() }
/// ```
///
/// Otherwise this is like ``mapReduce(_:into:concurrency:ordered:within:_:options:file:line:map:reduce:)``. An item
/// counts towards the concurrency until its value is reduced. A number of reducers below 1 ends the program.
///
/// - Throws: `CallError.failed` with the error of `map`, `reduce` or `combine`; `CallError.timedOut`;
///   `CallError.cancelled`.
/// - Complexity: O(items + reducers), a task for each item that suspends and for each thread, and two soups.
public func mapReduce<Item: Sendable, Value: Sendable, Total: Sendable>(
  _ items: some Collection<Item>, into initial: Total, reducers: Int, concurrency: Int = .max,
  within limit: Duration? = nil, _ label: String = "map and reduce", options: Soup.Options = Soup.Options(),
  file: StaticString = #fileID, line: UInt = #line, map: @escaping @Sendable (Item) async throws -> Value,
  reduce: @escaping @Sendable (inout Total, Value) throws -> Void,
  combine: (inout Total, Total) throws -> Void
) async throws(CallError) -> Total {
  let parts = Parts(reducers, initial, MadeAt("map and reduce", label, file, line))
  try await mapReduce(
    items, into: (), concurrency: concurrency, within: limit, label, options: options, file: file, line: line,
    map: parts.adding(map, reduce, label, options, file, line), reduce: { _, _ in })
  return try parts.combined(combine)
}

extension BlockingJobs {
  /// Maps and reduces items with several reducers, and blocks the thread until it is done; see
  /// ``mapReduce(_:into:reducers:concurrency:within:_:options:file:line:map:reduce:combine:)``.
  ///
  /// - Throws: as the call that is awaited, except `CallError.cancelled`.
  @available(*, noasync, message: "await mapReduce(_:into:) instead of blocking a thread of Swift concurrency")
  public func mapReduce<Item: Sendable, Value: Sendable, Total: Sendable>(
    _ items: some Collection<Item>, into initial: Total, reducers: Int, concurrency: Int = .max,
    within limit: Duration? = nil, _ label: String = "map and reduce", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line, map: @escaping @Sendable (Item) async throws -> Value,
    reduce: @escaping @Sendable (inout Total, Value) throws -> Void, combine: (inout Total, Total) throws -> Void
  ) throws(CallError) -> Total {
    let parts = Parts(reducers, initial, MadeAt("map and reduce", label, file, line))
    try mapReduce(
      items, into: (), concurrency: concurrency, within: limit, label, options: options, file: file, line: line,
      map: parts.adding(map, reduce, label, options, file, line), reduce: { _, _ in })
    return try parts.combined(combine)
  }
}

/// The totals of the reducers.
private struct Parts<Total: Sendable>: Sendable {
  /// One body at a time has a part, because it is a molecule. After the reply to the last value, no body has one.
  final class Part: @unchecked Sendable {
    @exclusivity(unchecked) var total: Total

    init(_ total: Total) { self.total = total }
  }
  private let all: [Part]

  init(_ reducers: Int, _ initial: Total, _ madeAt: MadeAt) {
    madeAt.require("the number of reducers", reducers, in: 1...1 << 20)
    all = (0..<reducers).map { _ in Part(initial) }
  }

  /// Returns work that maps an item, and reduces its value to one of the parts.
  func adding<Item: Sendable, Value: Sendable>(
    _ map: @escaping @Sendable (Item) async throws -> Value,
    _ reduce: @escaping @Sendable (inout Total, Value) throws -> Void, _ label: String, _ options: Soup.Options,
    _ file: StaticString, _ line: UInt
  ) -> @Sendable (Item) async throws -> Void {
    let add = Soup.define("\(label): reducers", with: options, file: file, line: line) { [all] soup in
      let add = soup.fast("add", of: Value.self, returning: Void.self)
      let part = soup.slow("part", of: Part.self)
      soup.react(add, part, on: .inline) { call, reducer in
        defer { part(reducer) }
        try reduce(&reducer.total, call.input)
        call.reply()
      }
      for reducer in all { part(reducer) }
      return add
    }
    return { item in
      let value = try await map(item)
      do throws(CallError) {
        try await add(value)
      } catch {
        if case .failed(let reason) = error { throw reason }
        throw error
      }
    }
  }

  func combined(_ combine: (inout Total, Total) throws -> Void) throws(CallError) -> Total {
    var total = all[0].total
    do {
      for part in all.dropFirst() { try combine(&total, part.total) }
    } catch {
      throw .failed(error)
    }
    return total
  }
}
