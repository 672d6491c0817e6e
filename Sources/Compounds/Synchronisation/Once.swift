public import Crucible

/// Makes a value once, when the first caller asks for it, and gives it to all callers.
///
/// ```swift
/// let settings = Once { try await Settings.load() }
/// let volume = try await settings.value().volume
/// ```
///
/// The definition. While `make` runs, neither `untried` nor the fact `known` is there, so other callers wait:
///
/// ```
/// soup.react(value, untried) { call, _ in attempt(call) }
/// soup.react(attempt) { call in let value = try await make(); call.reply(value); known(value) }
/// soup.react(value, known) { call, value in call.reply(value) }
/// ```
///
/// Callers of a value that is known do not wait for each other.
///
/// If `make` throws, the caller for which it ran gets the error, and the next caller tries again. If that caller gives
/// up, `make` goes on: its value is for later callers.
///
/// - Complexity: O(1), besides `make`.
public struct Once<Value: Sendable>: Compound {
  /// Returns the value, after it has been made. If a caller gives up during the attempt of another one, its call is
  /// withdrawn.
  ///
  /// - Throws: `CallError.failed` with the error of `make`. `make` must not ask for the value: it would wait for
  ///   itself.
  public let value: FastInjector<Void, Value>
  public let control: Soup.Control

  /// A call that is not withdrawn. An attempt is made for it.
  @usableFromInline
  struct Attempt: Sendable {
    @usableFromInline let call: Call<Void, Value>

    @inlinable init(_ call: Call<Void, Value>) { self.call = call }
  }

  /// Makes a value that does not exist yet.
  ///
  /// `make` runs on the placement of the options.
  @inlinable
  public init(
    _ label: String = "once", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, make: @escaping @Sendable () async throws -> Value
  ) {
    (value, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let value = soup.fast("value", returning: Value.self)
      let untried = soup.slow("untried")
      let attempt = soup.slow("attempt", of: Attempt.self)
      let known = soup.fact("known", of: Value.self)

      soup.react(value, untried, on: .inline) { call, _ in attempt(Attempt(call)) }
      // A separate reaction: a call that an `async` body may consume would carry the context of its task.
      soup.react(attempt) { attempt async in
        do {
          let value = try await make()
          attempt.call.reply(value)
          known(value)
        } catch {
          attempt.call.fail(error)
          untried()
        }
      }
      soup.react(value, known, on: .inline) { call, value in call.reply(value) }

      soup.initially { untried() }
      return (value, soup.control)
    }
  }
}
