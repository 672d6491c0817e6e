public import Crucible

/// Makes values one at a time, each when it is asked for.
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
/// The definition. One molecule says what the closure does: `fresh`, resting (`taken`), working for a caller (`asked`),
/// working for nobody, because its caller has given up (`idle`), or `over`:
///
/// ```
/// soup.react(fresh, next) { _, call in start(); ask(call) }
/// soup.react(taken, resume, next) { _, resume, call in resume.reply(); ask(call) }
/// soup.react(idle, next) { _, call in ask(call) }
/// soup.react(asked, offered) { call, x in if call.reply(x) { taken() } else { offered(x) } }
/// soup.react(asked, ended) { call, error in … over() }
/// soup.react(over, next) { _, call in call.reply(nil); over() }
/// ```
///
/// Callers are served one after the other. One that gives up is withdrawn; the value that was made for it goes to the
/// next caller.
///
/// When the generator is gone, its closure's task is cancelled, and a `yield` in which it rests throws. So nothing is
/// left behind.
///
/// - Complexity: O(1) for a value, and an allocation.
public struct Generator<Element: Sendable>: Compound {
  /// Waits for the next value; `nil` once the closure has returned or thrown.
  ///
  /// Blocks: `next()` suspends the task, `next.blocking()` blocks the thread.
  ///
  /// - Throws: `CallError.failed`, once, with the error that the closure has thrown.
  public let next: FastInjector<Void, Element?>
  public let control: Soup.Control

  /// Hands values to the callers of a generator.
  public struct Yield: Sendable {
    @usableFromInline let offered: Injector<Element>
    @usableFromInline let resume: FastInjector<Void, Void>

    @inlinable
    init(_ offered: Injector<Element>, _ resume: FastInjector<Void, Void>) {
      self.offered = offered
      self.resume = resume
    }

    /// Hands out a value, and suspends the closure until the next one is asked for.
    ///
    /// - Throws: `CallError.gone` or `CallError.cancelled` when the generator is gone, and `CallError.stopped`.
    @inlinable
    nonisolated(nonsending)
      public func callAsFunction(_ value: Element) async throws(CallError)
    {
      offered(value)
      try await resume()
    }
  }

  /// Makes a generator whose closure has not begun. The closure hands each value to its argument.
  ///
  /// Messages call the generator by its label. The closure runs on the placement of the options.
  @inlinable
  public init(
    _ label: String = "generator", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (Yield) async throws -> Void
  ) {
    var options = options
    options.whenUnowned = .cancel
    (next, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let next = soup.fast("next", returning: Element?.self)
      let resume = soup.fast("resume", returning: Void.self)
      let start = soup.slow("start")
      let fresh = soup.slow("fresh")
      let taken = soup.slow("taken")
      let idle = soup.slow("idle")
      let over = soup.slow("over")
      let asked = soup.slow("asked", of: Call<Void, Element?>.self)
      let offered = soup.slow("offered", of: Element.self)
      let ended = soup.slow("ended", of: (any Error)?.self)

      // If the caller gives up before it has its reply, its `asked` is withdrawn, and `idle` takes its place.
      @Sendable func ask(_ call: Call<Void, Element?>) {
        call.onAbandoned { idle() }
        asked(call)
      }
      soup.react(fresh, next, on: .inline) { _, call in
        start()
        ask(call)
      }
      soup.react(taken, resume, next, on: .inline) { _, resume, call in
        resume.reply()
        ask(call)
      }
      soup.react(idle, next, on: .inline) { _, call in ask(call) }
      soup.react(asked, offered, on: .inline) { call, value in
        if call.reply(value) { taken() } else { offered(value) }
      }
      soup.react(asked, ended, on: .inline) { call, error in
        let isTold = error.map { call.fail($0) } ?? call.reply(nil)
        if isTold { over() } else { ended(error) }
      }
      soup.react(over, next, on: .inline) { _, call in
        call.reply(nil)
        over()
      }
      soup.react(start) { _ async in
        do {
          try await body(Yield(offered, resume))
          ended(nil)
        } catch {
          ended(error)
        }
      }

      fresh()
      return (next, soup.control)
    }
  }

  /// The next `count` values, or fewer if the generator ends before. An error loses the values before it.
  nonisolated(nonsending)
    public func take(
      _ count: Int, file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError) -> [Element]
  {
    var values: [Element] = []
    while values.count < count, let value = try await next(file: file, line: line) { values.append(value) }
    return values
  }
}

extension Generator: AsyncSequence {
  /// The values one after the other, until the closure has ended: `for try await value in generator { … }`.
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
