public import Crucible

/// Makes a value for each key when a caller first asks for it, and gives it to all callers until it is too old.
///
/// ```swift
/// let pages = Cache<URL, Page>(limit: 1_000, keeping: .seconds(60), refreshingAfter: .seconds(50)) { url in
///   try await load(url)
/// }
/// let page = try await pages.value(url)
/// try await pages.invalidate(url)             // the next caller has it made anew
/// ```
///
/// The definition. Each key has an entry. The first caller starts the work, and the others wait with it:
///
/// ```
/// soup.react(state: entry, value) { entry, call in /* known: reply; else wait, and start the work if nobody did */ }
/// soup.react(making) { work in work.result = await make(work.key); made(work) }
/// soup.react(state: entry, made) { entry, work in /* keep the value, and reply to all callers */ }
/// soup.react(state: entry, invalidate) { entry, call in entry.value = nil; call.reply() }
/// soup.react(state: entry, asked) { entry, question in /* too old, or one too many: forget it, if nobody used it */ }
/// ```
///
/// A caller never gets a value that is older than `keeping`. A caller of a value that is older than `refreshingAfter`
/// gets it at once, and starts the work for a new one. While many callers ask, the work is in progress once at most.
/// Without these times, a value stays until it is invalidated, or until there are more than `limit`. Then the value
/// that was made first leaves. One that was used since it was last the oldest stays, and becomes the youngest.
///
/// If `make` throws, all callers that wait for the key get the error. The next caller tries again. An error that no
/// caller gets, as that of a renewal, goes to the `onError` of the options. The old value stays until its time is over.
///
/// If a caller gives up, the cache forgets it. `make` goes on, for later callers. A promise inside gives `make` itself
/// a limit:
///
/// ```swift
/// let quick = Cache<URL, Page> { url in try await Promise { try await load(url) }.value(within: .seconds(5)) }
/// ```
///
/// A drain waits for `make`, and answers all callers. So does a stop, except for callers of keys whose work has not
/// begun: they get `CallError.stopped`. A restart begins without values.
///
/// - Complexity: O(1) on average. Callers of different keys do not wait for each other, but for moments.
public struct Cache<Key: Hashable & Sendable, Value: Sendable>: Compound {
  /// Returns the value of a key, after it has been made.
  ///
  /// - Throws: `CallError.failed` with the error of `make`. `make` must not ask for its own key: it would wait for
  ///   itself.
  public let value: FastInjector<Key, Value>
  /// Forgets the value of a key. Callers from now on get a value whose making begins later. A value that is being made
  /// goes to the callers that wait for it, and is not kept.
  ///
  /// Waits for bodies of this compound on other threads only: `invalidate.blocking(key)` is fine wherever a lock is.
  public let invalidate: FastInjector<Key, Void>
  public let control: Soup.Control

  /// The making of one value, and the callers that wait for it. Its molecules own it, and the entry does not. So a
  /// clear that drops a molecule ends the calls.
  ///
  /// Only bodies with the entry of the key use the calls, and the end of the object.
  @usableFromInline
  final class Work: @unchecked Sendable {
    @usableFromInline let key: Key
    @usableFromInline var calls: [Call<Key, Value>] = []
    @usableFromInline var result: Result<Value, any Error>?

    @inlinable init(_ key: Key) { self.key = key }

    // A stopped soup has refused the result.
    @inlinable deinit { _ = answer() }

    /// Gives the result to the callers. Returns whether one of them got it.
    @inlinable
    func answer() -> Bool {
      guard let result else { return false }
      defer { calls = [] }
      return calls.reduce(false) { isTold, call in
        switch result {
        case .success(let value): call.reply(value) || isTold
        case .failure(let error): call.fail(error) || isTold
        }
      }
    }
  }

  @usableFromInline
  struct Entry {
    @usableFromInline var value: Value?
    @usableFromInline var madeAt = Duration.zero
    @usableFromInline weak var work: Work?
    /// Whether the roll has the key, or is about to ask for it.
    @usableFromInline var isListed = false
    @usableFromInline var isUsed = false

    @inlinable init() {}

    @inlinable var isEmpty: Bool { value == nil && work == nil && !isListed }
  }

  /// Makes a cache without values.
  ///
  /// - Parameters:
  ///   - limit: the most values that the cache keeps, 1 or more. While several are made, it may have a few more.
  ///   - time: how long a value may be used, by the clock of the options.
  ///   - youth: the age from which a value is renewed when a caller uses it.
  ///   - label: the name in messages.
  ///   - options: those of the soup. `make` runs on their placement, for several keys at a time.
  ///   - file: the caller's file.
  ///   - line: the caller's line.
  ///   - make: makes the value of a key.
  @inlinable
  public init(
    limit: Int = .max, keeping time: Duration? = nil, refreshingAfter youth: Duration? = nil, _ label: String = "cache",
    options: Soup.Options = Soup.Options(), file: StaticString = #fileID, line: UInt = #line,
    make: @escaping @Sendable (Key) async throws -> Value
  ) {
    let madeAt = MadeAt("cache", label, file, line)
    madeAt.require("the limit", limit, in: 1...Int.max)
    let longest = time ?? .seconds(Int64.max)
    let young = youth ?? longest
    if young <= .zero || longest <= .zero { madeAt.misuse("its times must be positive") }
    if young > longest { madeAt.misuse("refreshingAfter must be at most keeping") }
    let ages = time != nil || youth != nil
    (value, invalidate, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let value = soup.fast("value", of: Key.self, key: { $0 }, returning: Value.self)
      let invalidate = soup.fast("invalidate", of: Key.self, key: { $0 }, returning: Void.self)
      let making = soup.slow("making", of: (work: Work, call: Call<Key, Value>?).self)
      let made = soup.slow("made", of: Work.self, key: { $0.key })
      let gaveUp = soup.slow("gave up", of: Work.self, key: { $0.key }).weak
      let entry = soup.state("entry", key: Key.self, forget: .when { $0.isEmpty }) { _ in Entry() }
      let isBounded = limit < .max || time != nil
      let asked = isBounded ? soup.slow("asked", of: Roll<Key>.Question.self, key: { $0.key }) : nil
      let list = asked.map { Roll.declare(in: soup, limit: limit, keeping: time, asking: $0) }
      let clock = soup.clock

      soup.react(state: entry, value, on: .inline) { entry, call in
        let age = ages ? clock.now - entry.madeAt : .zero
        let isKnown = entry.value != nil && age < longest
        if isKnown {
          entry.isUsed = true
          call.reply(entry.value!)
          if age < young || entry.work != nil { return }
        }
        let begun = entry.work
        let work = begun ?? Work(call.input)
        if !isKnown {
          work.calls.append(call)
          call.onAbandoned { [weak work] in if let work { gaveUp(work) } }
        }
        if begun != nil { return }
        entry.work = work
        making((work, isKnown ? nil : call))  // the call, so that it ends with the reason if a stop refuses it
      }
      soup.react(making) { making async in
        let work = making.work
        do { work.result = .success(try await make(work.key)) } catch { work.result = .failure(error) }
        made(work)
      }
      soup.react(state: entry, made, on: .inline) { entry, work in
        // If it was invalidated meanwhile, the entry has no work, or a later one.
        let isCurrent = entry.work === work
        if isCurrent { entry.work = nil }
        if case .success(let value) = work.result, isCurrent {
          entry.value = value
          entry.madeAt = ages ? clock.now : .zero
          entry.isUsed = true
          if !entry.isListed, let list { entry.isListed = list(work.key) }
        }
        if !work.answer(), case .failure(let error) = work.result { throw error }
      }
      soup.react(state: entry, gaveUp, on: .inline) { _, work in work.calls.removeAll { !$0.isAwaited } }
      soup.react(state: entry, invalidate, on: .inline) { entry, call in
        entry.value = nil
        entry.work = nil
        call.reply()
      }
      if let list, let asked {
        soup.react(state: entry, asked, on: .inline) { entry, question in
          let isKnown = entry.value != nil && clock.now - entry.madeAt < longest
          entry.isListed = isKnown && (entry.isUsed || !question.isTooMany) && list(question.key)
          if !entry.isListed { entry.value = nil }
          if question.isTooMany { entry.isUsed = false }
        }
      }
      return (value, invalidate, soup.control)
    }
  }
}
