/// The free functions of Compounds in the form that blocks the thread: write `blocking.` before the call instead of
/// `await`.
///
/// ```swift
/// let report = try blocking.runAll(urls) { url in try await load(url) }
/// ```
///
/// Where another `blocking` is nearer, for example in an extension of a compound, write `Compounds.blocking`.
public var blocking: BlockingJobs { BlockingJobs() }

/// The free functions of Compounds that block the thread; see ``blocking``.
///
/// ```swift
/// let total = try blocking.mapReduce(1...100, into: 0) { $0 } reduce: { $0 += $1 }
/// let report = try blocking.runAll(urls) { url in try await load(url) }
/// ```
///
/// If the thread is the pool's, the pool replaces it during the wait.
///
/// - Throws: as the call that is awaited, except `CallError.cancelled`.
/// - Complexity: as the call that is awaited.
public struct BlockingJobs: Sendable {}
