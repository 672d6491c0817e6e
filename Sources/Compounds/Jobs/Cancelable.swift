public import Crucible

/// Takes steps that can be cancelled between any two of them. They cannot be restarted once they have been stopped.
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
/// The definition. `running` is the right to take steps, and `due` is the next one. Between two steps, the steps inject
/// `due` and ask whether they may go on. A cancellation consumes `due`, and so no step follows. It hands its call on,
/// to the moment at which `running` is back. `cancelled` and `over` are facts:
///
/// ```
/// soup.react(state: value, running, due) { value, _, _ in while step(&value) { due(); try mayGoOn() }; … over() }
/// soup.react(mayGoOn, due) { steps, _ in steps.reply() }
/// soup.react(cancel, due) { call, _ in ending(Ending(call: call)) }
/// soup.react(state: value, running, ending) { value, _, ending in cancelled(); ending.call.reply(steps) }
/// soup.react(state: value, cancel, cancelled) { value, call, _ in call.reply(steps) }            // as with `over`
/// soup.react(state: value, result, cancelled) { value, call, _ in call.reply(nil) }
/// soup.react(state: value, result, over) { value, call, _ in call.reply(value) }
/// soup.react(state: value, partial, over) { value, call, _ in call.reply(value) }               // as with `cancelled`
/// ```
///
/// A step that throws ends the steps: callers that ask for the result get the error.
///
/// One task takes one step after the other. About once a millisecond another task takes its place, so other work of the
/// placement has its turn. In a paused soup, the steps rest after the current one.
///
/// - Complexity: O(1) for a step.
public struct Cancelable<Value: Sendable>: Compound {
  /// Ends the steps, and returns the number of steps that were taken. Waits for the step in progress. May be called any
  /// number of times.
  public let cancel: FastInjector<Void, Int>
  /// Waits for the last step, and returns the result of the steps; `nil` if they were cancelled. May be called any
  /// number of times.
  ///
  /// Blocks as ``cancel``.
  ///
  /// - Throws: `CallError.failed` with the error of a step.
  public let result: FastInjector<Void, Value?>
  /// Waits for the last step, or for the cancellation, and returns the value as the steps have left it.
  ///
  /// ```swift
  /// try await search.cancel()
  /// let board = try await search.partial()      // as far as it was
  /// ```
  ///
  /// May be called any number of times. Blocks as ``cancel``.
  ///
  /// - Throws: `CallError.failed` with the error of a step.
  public let partial: FastInjector<Void, Value>
  public let control: Soup.Control

  @usableFromInline
  struct Progress {
    @usableFromInline var value: Value
    @usableFromInline var steps = 0
    @usableFromInline var error: (any Error)?

    @inlinable init(value: Value) { self.value = value }
  }

  /// A cancellation that has taken the next step. In a struct, because it must take place when its caller gives up.
  @usableFromInline
  struct Ending: Sendable {
    @usableFromInline let call: Call<Void, Int>

    @inlinable init(call: Call<Void, Int>) { self.call = call }
  }

  /// Begins the steps. The closure takes one step, and returns whether there is another.
  ///
  /// Steps run on the placement of the options.
  @inlinable
  public init(
    from initial: Value, _ label: String = "steps", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line, step: @escaping @Sendable (inout Value) async throws -> Bool
  ) {
    (cancel, result, partial, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let cancel = soup.fast("cancel", returning: Int.self)
      let result = soup.fast("result", returning: Value?.self)
      let partial = soup.fast("partial", returning: Value.self)
      let mayGoOn = soup.fast("may go on", returning: Void.self)
      let running = soup.slow("running")
      let due = soup.slow("due")
      let ending = soup.slow("ending", of: Ending.self)
      let cancelled = soup.fact("cancelled")
      let over = soup.fact("over")
      let progress = soup.state("progress") { Progress(value: initial) }

      soup.react(state: progress, running, due) { progress, _, _ async in
        let turn = Turn()
        do {
          while try await step(&progress.value) {
            progress.steps += 1
            due()
            let isAtEnd = turn.isOver || Task.isCancelled
            // If `due` exists, the reply is immediate, unless the soup is paused or stopped.
            if !isAtEnd, (try? await mayGoOn(within: .zero)) != nil { continue }
            running()
            return
          }
          progress.steps += 1
        } catch {
          progress.error = error
        }
        over()
      }
      soup.react(mayGoOn, due, on: .inline) { steps, _ in if !steps.reply() { due() } }
      soup.react(cancel, due, on: .inline) { call, _ in ending(Ending(call: call)) }
      soup.react(state: progress, running, ending, on: .inline) { progress, _, ending in
        cancelled()
        ending.call.reply(progress.steps)
      }
      for end in [cancelled, over] {
        soup.react(state: progress, cancel, end, on: .inline) { progress, call, _ in call.reply(progress.steps) }
        soup.react(state: progress, partial, end, on: .inline) { progress, call, _ in
          if let error = progress.error { call.fail(error) } else { call.reply(progress.value) }
        }
      }
      soup.react(state: progress, result, cancelled, on: .inline) { _, call, _ in call.reply(nil) }
      soup.react(state: progress, result, over, on: .inline) { progress, call, _ in
        if let error = progress.error { call.fail(error) } else { call.reply(progress.value) }
      }

      soup.refuseRestarts()
      due()
      running()
      return (cancel, result, partial, soup.control)
    }
  }
}
