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
/// soup.react(work) { work in made((work, try await make(work.key))) }
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
/// A value stays until it is forgotten (``forget``). If the memo is stopped while `make` runs, the waiting callers get
/// an error.
///
/// - Complexity: O(1) for a value that is known.
public struct Memo<Key: Hashable & Sendable, Value: Sendable>: Compound {
  /// Returns the value of a key, after it has been made.
  ///
  /// - Throws: `CallError.failed` with the error of `make`. `make` must not ask for its own key: it would wait for
  ///   itself.
  public let value: FastInjector<Key, Value>
  /// Forgets the value of a key. Callers from now on get a value whose making begins later. A value that is being made
  /// goes to the callers that wait for it, and is not kept.
  ///
  /// Waits for bodies of this compound on other threads only: `forget.blocking(key)` is fine wherever a lock is.
  public let forget: FastInjector<Key, Void>
  public let control: Soup.Control

  /// The callers that wait for the value of a key. The molecules of its work own them, and the table does not. So a
  /// stop that drops such a molecule ends the calls.
  @usableFromInline
  final class Asked: Sendable {
    /// The calls. Nil once the soup has refused the work or its result.
    private let calls = Guarded<[Call<Key, Value>]?>([])

    @usableFromInline init() {}

    @usableFromInline
    func add(_ call: Call<Key, Value>) {
      if !calls.withLock({ $0?.append(call) != nil }) { call.fail(CallError.stopped) }
    }

    @usableFromInline func removeAbandoned() { calls.withLock { $0?.removeAll { !$0.isAwaited } } }
    @usableFromInline var all: [Call<Key, Value>] { calls.withLock { $0 ?? [] } }

    /// Ends the calls: the soup is stopped, and no body will answer them.
    @usableFromInline
    func stop() {
      for call in calls.withLock({ $0.take() }) ?? [] { call.fail(CallError.stopped) }
    }
  }

  @usableFromInline
  struct Waiting {
    @usableFromInline weak var asked: Asked?

    @inlinable init(_ asked: Asked) { self.asked = asked }
  }

  @usableFromInline
  enum Entry {
    case known(Value)
    case waiting(Waiting)

    /// The callers that wait for the value, while it is being made.
    @inlinable var asked: Asked? { if case .waiting(let waiting) = self { waiting.asked } else { nil } }
  }

  @usableFromInline
  struct Work: Sendable {
    @usableFromInline let key: Key
    @usableFromInline let asked: Asked

    @inlinable
    init(_ key: Key, _ asked: Asked) {
      self.key = key
      self.asked = asked
    }
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
      let work = soup.slow("work", of: Work.self)
      let made = soup.slow("made", of: (work: Work, result: Result<Value, any Error>).self)
      let table = soup.state("table") { [Key: Entry]() }

      soup.react(state: table, value, on: .inline) { table, call in
        if case .known(let value) = table[call.input] {
          call.reply(value)
          return
        }
        let begun = table[call.input]?.asked
        let asked = begun ?? Asked()
        asked.add(call)
        call.onAbandoned { [weak asked] in asked?.removeAbandoned() }
        if begun != nil { return }
        table[call.input] = .waiting(Waiting(asked))
        if !work(Work(call.input, asked)) { asked.stop() }
      }
      soup.react(work) { work async in
        let result: Result<Value, any Error>
        do { result = .success(try await make(work.key)) } catch { result = .failure(error) }
        if !made((work, result)) { work.asked.stop() }
      }
      soup.react(state: table, made, on: .inline) { table, made in
        let work = made.work
        // Forgotten meanwhile, the entry is gone, or that of a later work.
        let isCurrent = table[work.key]?.asked === work.asked
        switch made.result {
        case .success(let value):
          if isCurrent { table[work.key] = .known(value) }
          for call in work.asked.all { call.reply(value) }
        case .failure(let error):
          if isCurrent { table[work.key] = nil }
          for call in work.asked.all { call.fail(error) }
        }
      }
      soup.react(state: table, forget, on: .inline) { table, call in
        table[call.input] = nil
        call.reply()
      }

      return (value, forget, soup.control)
    }
  }
}
