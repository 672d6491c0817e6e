public import Crucible

/// Makes a value for each key once, when a caller first asks for it, and gives it to all callers.
///
/// ```swift
/// let pages = Memo<URL, Page> { url in try await load(url) }
/// let page = try await pages.value(url)
/// try await pages.forget(url)                 // the next caller has it made anew
/// ```
///
/// The definition. The first caller of a key starts the work, the others wait with it:
///
/// ```
/// soup.react(state: table, value) { table, call in /* known: reply; else wait, and start the work if nobody did */ }
/// soup.react(work) { key in made((key, try await make(key))) }
/// soup.react(state: table, made) { table, made in /* reply to all callers */ }
/// ```
///
/// If `make` throws, all callers that wait for the key get the error, and the next caller tries again. If a caller
/// gives up, the memo forgets it; `make` goes on, for later callers. A promise inside gives `make` itself a limit:
///
/// ```swift
/// let quick = Memo<URL, Page> { url in try await Promise { try await load(url) }.value(within: .seconds(5)) }
/// ```
///
/// A value stays until it is forgotten (``forget``).
///
/// - Complexity: O(1) for a value that is known.
public struct Memo<Key: Hashable & Sendable, Value: Sendable>: Compound {
  /// Returns the value of a key, after it has been made.
  ///
  /// - Throws: `CallError.failed` with the error of `make`. `make` must not ask for its own key: it would wait for
  ///   itself.
  public let value: FastInjector<Key, Value>
  /// Forgets the value of a key. A value that is being made stays.
  ///
  /// Waits for bodies of this compound on other threads only: `forget.blocking(key)` is fine wherever a lock is.
  public let forget: FastInjector<Key, Void>
  public let control: Soup.Control

  @usableFromInline
  enum Entry {
    case known(Value)
    case asked([Call<Key, Value>])
  }

  /// Makes a memo that knows nothing yet.
  ///
  /// `make` runs on the placement of the options, for several keys at a time.
  @inlinable
  public init(
    _ label: String = "memo", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line, make: @escaping @Sendable (Key) async throws -> Value
  ) {
    (value, forget, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let value = soup.fast("value", of: Key.self, returning: Value.self)
      let forget = soup.fast("forget", of: Key.self, returning: Void.self)
      let work = soup.slow("work", of: Key.self)
      let made = soup.slow("made", of: (key: Key, result: Result<Value, any Error>).self)
      let gaveUp = soup.slow("gave up", of: Key.self)
      let table = soup.state("table") { [Key: Entry]() }

      soup.react(state: table, value, on: .inline) { table, call in
        let key = call.input
        switch table[key] {
        case .known(let value):
          call.reply(value)
          return
        case .asked(let calls): table[key] = .asked(calls + [call])
        case nil:
          table[key] = .asked([call])
          work(key)
        }
        call.onAbandoned { gaveUp(key) }
      }
      soup.react(work) { key async in
        do { made((key, .success(try await make(key)))) } catch { made((key, .failure(error))) }
      }
      soup.react(state: table, made, on: .inline) { table, made in
        guard case .asked(let calls) = table[made.key] else { return }
        switch made.result {
        case .success(let value):
          table[made.key] = .known(value)
          for call in calls { call.reply(value) }
        case .failure(let error):
          table[made.key] = nil
          for call in calls { call.fail(error) }
        }
      }
      soup.react(state: table, gaveUp, on: .inline) { table, key in
        if case .asked(let calls) = table[key] { table[key] = .asked(calls.filter(\.isAwaited)) }
      }
      soup.react(state: table, forget, on: .inline) { table, call in
        if case .known = table[call.input] { table[call.input] = nil }
        call.reply()
      }

      return (value, forget, soup.control)
    }
  }
}
