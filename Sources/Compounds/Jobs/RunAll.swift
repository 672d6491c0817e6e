public import Crucible

/// Runs a job for each item, beside each other, and reports the results of all of them, in the order of the items.
///
/// ```swift
/// let report = try await runAll(urls, within: .seconds(10)) { url in try await load(url) }
/// for case .failure(let error) in report { print(error) }
/// ```
///
/// An error ends no other job. The end of the task, or of the limit, cancels those that run, and waits for them. The
/// definition is that of ``mapReduce(_:into:concurrency:ordered:within:_:options:file:line:map:reduce:)``.
///
/// - Throws: `CallError.timedOut`; `CallError.cancelled`.
/// - Complexity: O(items), a task for each, and a soup.
public func runAll<Item: Sendable, Value: Sendable>(
  _ items: some Collection<Item>, concurrency: Int = .max, within limit: Duration? = nil,
  _ label: String = "run all", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
  line: UInt = #line, job: @escaping @Sendable (Item) async throws -> Value
) async throws(CallError) -> [Result<Value, any Error>] {
  try await mapReduce(
    items, into: [], concurrency: concurrency, ordered: true, within: limit, label, options: options, file: file,
    line: line
  ) { item in
    do { return .success(try await job(item)) } catch { return .failure(error) }
  } reduce: { (report: inout [Result<Value, any Error>], result: Result<Value, any Error>) in
    report.append(result)
  }
}
