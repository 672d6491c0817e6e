/// The free functions of Compounds as they block the thread: put `blocking.` before the call that would be awaited.
///
/// ```swift
/// let report = try blocking.runAll(urls) { url in try await load(url) }
/// ```
///
/// Where another `blocking` is nearer, as in an extension of a compound, write `Compounds.blocking`.
public var blocking: BlockingJobs { BlockingJobs() }

/// The free functions of Compounds, each of which blocks the thread; see ``blocking``.
///
/// ```swift
/// let total = try blocking.mapReduce(1...100, into: 0) { $0 } reduce: { $0 += $1 }
/// let report = try blocking.runAll(urls) { url in try await load(url) }
/// ```
///
/// A thread of the pool is replaced while it waits.
///
/// - Throws: as the call that is awaited, but for `CallError.cancelled`.
/// - Complexity: as the call that is awaited.
public struct BlockingJobs: Sendable {}
