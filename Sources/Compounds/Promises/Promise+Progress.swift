public import Crucible

extension Promise {
  /// Makes a promise of work that reports how far it is, and a channel of its reports.
  ///
  /// ```swift
  /// let (file, progress) = Promise.reporting { report in try await download { fraction in report(fraction) } }
  /// for try await fraction in progress { show(fraction) }     // ends with the work
  /// let page = try await file.value()
  /// ```
  ///
  /// The last 64 reports wait in the channel. A loop that is slower than the work misses older ones. The channel is
  /// closed when the work has ended, or when the promise is gone. Each report goes to one loop. For several loops,
  /// publish the reports to a ``Topic``.
  ///
  /// Does not block. The work begins at once, and is cancelled like the work of any promise.
  ///
  /// - Complexity: O(1) for a report.
  public static func reporting<Report: Sendable>(
    _ label: String = "promise", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, work: @escaping @Sendable (_ report: @escaping @Sendable (Report) -> Void) async throws -> Value
  ) -> (promise: Promise, progress: Channel<Report>) {
    let progress = Channel<Report>(.buffered(64), "progress of \(label)", options: options, file: file, line: line)
    let promise = Promise(label, options: options, file: file, line: line) {
      try await work { report in
        if progress.trySend(report) { return }
        _ = progress.tryReceive()
        progress.trySend(report)
      }
    }
    // By a weak name, so that an observing task does not keep the work alive.
    Task { [end = promise.end!.weak] in
      _ = try? await end()
      progress.close()
    }
    return (promise, progress)
  }
}
