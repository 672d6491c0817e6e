public import Crucible

/// Makes values one at a time, each when a caller asks for it. It cannot be restarted once it has been stopped.
///
/// ```swift
/// let squares = Generator<Int> { yield in
///   for n in 1... { try await yield(n * n) }
/// }
/// let one = try await squares.next()
/// for try await square in squares { … }
/// ```
///
/// The closure runs only while a caller waits for the next value: it begins with the first call, and rests in `yield`
/// between two calls. It is a task of its own on the soup's placement.
///
/// The definition: a ``Coroutine`` whose callers give no values. If a caller gives up, the value that was made for it
/// goes to the next caller. So this reaction takes the place of the one that drops the value:
///
/// ```
/// soup.react(idle, next) { _, call in ask(call) }
/// ```
///
/// When the generator is gone, the task of its closure is cancelled, and a `yield` in which it rests throws. So nothing
/// leaks.
///
/// - Complexity: O(1) for a value, and an allocation.
public struct Generator<Element: Sendable>: Compound {
  /// Waits for the next value; `nil` once the closure has returned or thrown.
  ///
  /// - Throws: `CallError.failed`, once, with the error that the closure has thrown.
  public let next: FastInjector<Void, Element?>
  public let control: Soup.Control
  @usableFromInline let madeAt: MadeAt
  @usableFromInline let clock: Soup.ClockReader

  /// Hands values to the callers of a generator.
  public typealias Yield = Coroutine<Void, Element>.Yield

  /// Makes a generator whose closure has not begun. The closure hands each value to its argument.
  ///
  /// The closure runs on the placement of the options.
  @inlinable
  public init(
    _ label: String = "generator", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (Yield) async throws -> Void
  ) {
    let coroutine = Coroutine<Void, Element>(label, options, keepingOutputs: true, file, line) { _, yield in
      try await body(yield)
    }
    (next, clock, control) = (coroutine.next, coroutine.clock, coroutine.control)
    madeAt = MadeAt("generator", label, file, line)
  }

  /// Waits for the next `count` values, 0 or more, or fewer if the generator ends before. Suspends the task.
  ///
  /// ```swift
  /// let three = try await squares.take(3, within: .seconds(1))
  /// ```
  ///
  /// The limit is that of the whole wait, by the clock of the options. If it is over, or the task is cancelled, or the
  /// generator stopped, the call returns the values that it has got, and throws only if there are none.
  ///
  /// - Throws: as ``next``, and `CallError.timedOut`. An error of the closure loses the values before it.
  /// - Complexity: O(values).
  nonisolated(nonsending)
    public func take(
      _ count: Int, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError) -> [Element]
  {
    madeAt.require("the number of values", count, in: 0...Int.max)
    let remaining = limit.map { clock.remaining(of: $0) }
    var values: [Element] = []
    do throws(CallError) {
      while values.count < count, let value = try await next(within: remaining?(), file: file, line: line) {
        values.append(value)
      }
    } catch {
      if !error.leaves(values) { throw error }
    }
    return values
  }
}

extension Blocking {
  /// Blocks the thread until the next `count` values are there, or fewer if the generator ends before; see
  /// ``Generator/take(_:within:file:line:)``.
  ///
  /// - Throws: as the call that is awaited, except `CallError.cancelled`.
  /// - Complexity: O(values).
  @available(*, noasync, message: "await take(_:within:) instead of blocking a thread of Swift concurrency")
  public func take<Element>(
    _ count: Int, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) throws(CallError) -> [Element] where Blocked == Generator<Element> {
    compound.madeAt.require("the number of values", count, in: 0...Int.max)
    let remaining = limit.map { compound.clock.remaining(of: $0) }
    var values: [Element] = []
    do throws(CallError) {
      while values.count < count, let value = try compound.next.blocking(within: remaining?(), file: file, line: line) {
        values.append(value)
      }
    } catch {
      if !error.leaves(values) { throw error }
    }
    return values
  }
}

extension CallError {
  /// Whether a call that took some values returns them. The next call then meets the reason again, unless it is an
  /// error of the closure, which is thrown once.
  fileprivate func leaves(_ values: [some Any]) -> Bool {
    if case .failed = self { return false }
    return !values.isEmpty
  }
}

extension Generator: AsyncSequence {
  /// Iterates over the values one after the other, until the closure has ended:
  /// `for try await value in generator { … }`.
  ///
  /// ```swift
  /// var iterator = squares.makeAsyncIterator()
  /// let first = try await iterator.next()
  /// ```
  public struct AsyncIterator: AsyncIteratorProtocol {
    let source: FastInjector<Void, Element?>

    nonisolated(nonsending)
      public func next() async throws(CallError) -> Element?
    {
      try await source()
    }

    public func next(isolation actor: isolated (any Actor)?) async throws(CallError) -> Element? { try await source() }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: next) }
}
