public import Crucible

/// Runs a job for each item, in parallel, and returns the results of all jobs, in the order of the items.
///
/// ```swift
/// let report = try await runAll(urls, within: .seconds(10)) { url in try await load(url) }
/// for case .failure(let error) in report { print(error) }
/// ```
///
/// An error ends no other job. When its task is cancelled or its limit is over, the call cancels the jobs that run, and
/// waits for them. The definition is that of
/// ``mapReduce(_:into:concurrency:ordered:within:_:options:file:line:map:reduce:)``. `blocking.runAll` blocks the
/// thread.
///
/// - Throws: `CallError.timedOut`; `CallError.cancelled`.
/// - Complexity: as ``mapReduce(_:into:concurrency:ordered:within:_:options:file:line:map:reduce:)``.
@inlinable
public func runAll<Item: Sendable, Value: Sendable>(
  _ items: some Collection<Item>, concurrency: Int = .max, within limit: Duration? = nil,
  _ label: String = "run all", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
  line: UInt = #line, job: @escaping @Sendable (Item) async throws -> Value
) async throws(CallError) -> [Result<Value, any Error>] {
  try await mapReduce(
    items, into: [], concurrency: concurrency, ordered: true, within: limit, label, options: options, file: file,
    line: line, map: reporting(job), reduce: append)
}

extension BlockingJobs {
  /// Runs a job for each item, and blocks the thread until all have ended; see
  /// ``runAll(_:concurrency:within:_:options:file:line:job:)``.
  ///
  /// ```swift
  /// let report = try blocking.runAll(urls, within: .seconds(10)) { url in try await load(url) }
  /// ```
  ///
  /// A job must not be placed on the thread that waits.
  ///
  /// - Throws: `CallError.timedOut`.
  @available(*, noasync, message: "await runAll(_:) instead of blocking a thread of Swift concurrency")
  @inlinable
  public func runAll<Item: Sendable, Value: Sendable>(
    _ items: some Collection<Item>, concurrency: Int = .max, within limit: Duration? = nil,
    _ label: String = "run all", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, job: @escaping @Sendable (Item) async throws -> Value
  ) throws(CallError) -> [Result<Value, any Error>] {
    try mapReduce(
      items, into: [], concurrency: concurrency, ordered: true, within: limit, label, options: options, file: file,
      line: line, map: reporting(job), reduce: append)
  }
}

/// A job that reports its error as its value.
@inlinable
func reporting<Item, Value>(
  _ job: @escaping @Sendable (Item) async throws -> Value
) -> @Sendable (Item) async -> Result<Value, any Error> {
  { item in
    do { return .success(try await job(item)) } catch { return .failure(error) }
  }
}

@inlinable @Sendable
func append<Value>(_ report: inout [Result<Value, any Error>], _ result: Result<Value, any Error>) {
  report.append(result)
}
