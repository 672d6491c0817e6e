public import Crucible

/// Takes steps that can be cancelled between any two of them.
///
/// ```swift
/// let search = Cancelable(from: Board()) { board in
///   board.tryNextMove()
///   return !board.isSolved          // whether there is another step
/// }
/// let board = try await search.result(within: .seconds(10))
/// let steps = try await search.cancel()
/// ```
///
/// The definition. One body takes the steps. `ready` is there between two of them, with their number, and the right to
/// go on; a cancellation consumes it:
///
/// ```
/// soup.react(start) { _ async in while try await go() { if step(&value) { ready(steps) } else { return over(value) } } }
/// soup.react(ready, go) { steps, call in call.reply(true) }
/// soup.react(ready, cancel) { steps, call in call.reply(steps); cancelled(steps) }
/// soup.react(cancelled, go) { steps, call in call.reply(false); cancelled(steps) }
/// soup.react(cancelled, result) { steps, call in call.reply(nil); cancelled(steps) }
/// soup.react(over, result) { value, call in call.reply(value); over(value) }
/// ```
///
/// Every millisecond other tasks may run between two steps.
///
/// A step that throws ends the steps: callers that ask for the result get the error. A body that is cancelled ends them
/// as a cancellation does.
///
/// - Complexity: O(1) for a step, and a task for all of them.
public struct Cancelable<Value: Sendable>: Compound {
  /// Ends the steps, and returns how many were taken; any number of times. It waits for the step that is being taken.
  ///
  /// Blocks: `cancel()` suspends the task, `cancel.blocking()` blocks the thread.
  public let cancel: FastInjector<Void, Int>
  /// Waits for the last step, and returns what the steps have made; `nil` if they were cancelled. Any number of times.
  ///
  /// Blocks as ``cancel``.
  ///
  /// - Throws: `CallError.failed` with the error of a step.
  public let result: FastInjector<Void, Value?>
  public let control: Soup.Control

  @usableFromInline
  struct End: Sendable {
    @usableFromInline let outcome: Result<Value, any Error>
    @usableFromInline let steps: Int

    @inlinable
    init(_ outcome: Result<Value, any Error>, after steps: Int) {
      self.outcome = outcome
      self.steps = steps
    }
  }

  /// Begins the steps. The closure takes one, and tells whether there is another.
  ///
  /// Messages call it by its label. Steps run on the placement of the options.
  @inlinable
  public init(
    from initial: Value, _ label: String = "steps", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line, step: @escaping @Sendable (inout Value) async throws -> Bool
  ) {
    (cancel, result, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let cancel = soup.fast("cancel", returning: Int.self)
      let result = soup.fast("result", returning: Value?.self)
      let start = soup.slow("start")
      let go = soup.fast("go", returning: Bool.self)
      let ready = soup.slow("ready", of: Int.self)
      let cancelled = soup.slow("cancelled", of: Int.self)
      let over = soup.slow("over", of: End.self)
      let halt = soup.slow("halt")

      soup.react(start) { _ async in
        var value = initial
        var steps = 0
        var slice = ContinuousClock.now + .milliseconds(1)
        while true {
          guard let mayGoOn = try? await go() else {
            halt()
            return
          }
          if !mayGoOn { return }
          do {
            let goesOn = try await step(&value)
            steps += 1
            guard goesOn else {
              over(End(.success(value), after: steps))
              return
            }
          } catch {
            over(End(.failure(error), after: steps))
            return
          }
          ready(steps)
          if slice <= .now {
            await Task.yield()
            slice = .now + .milliseconds(1)
          }
        }
      }
      soup.react(ready, go, on: .inline) { _, call in call.reply(true) }
      soup.react(cancelled, go, on: .inline) { steps, call in
        call.reply(false)
        cancelled(steps)
      }
      soup.react(ready, halt, on: .inline) { steps, _ in cancelled(steps) }
      for before in [ready, cancelled] {
        soup.react(before, cancel, on: .inline) { steps, call in
          call.reply(steps)
          cancelled(steps)
        }
      }
      soup.react(over, cancel, on: .inline) { end, call in
        call.reply(end.steps)
        over(end)
      }
      soup.react(cancelled, result, on: .inline) { steps, call in
        call.reply(nil)
        cancelled(steps)
      }
      soup.react(over, result, on: .inline) { end, call in
        switch end.outcome {
        case .success(let value): call.reply(value)
        case .failure(let error): call.fail(error)
        }
        over(end)
      }

      start()
      ready(0)
      return (cancel, result, soup.control)
    }
  }
}
