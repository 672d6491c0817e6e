public import Crucible

/// Maps items in parallel, and reduces the values one after the other.
///
/// ```swift
/// let words = try await mapReduce(files, into: [:], concurrency: 4) { file in
///   try count(wordsOf: file)
/// } reduce: { total, words in
///   total.merge(words, uniquingKeysWith: +)
/// }
/// ```
///
/// The definition. A worker maps one item after the other. `account` knows which item is next, and how many may be
/// mapped at a time. It begins a worker whenever an item may be mapped and no worker is about to ask for it:
///
/// ```
/// soup.react(worker) { _ in while let item = try await next() { mapped(try await map(item)) } }
/// soup.react(state: account, next) { account, call in call.reply(account.next); /* perhaps */ worker() }
/// soup.react(state: account, mapped) { account, value in reduce(&account.total, value) }  // and the last one replies
/// ```
///
/// Values are reduced as they come, or in the order of the items with `ordered`. At most `concurrency` items are mapped
/// at a time, and with `ordered` at most as many values wait for an earlier one. Without items, the result is
/// `initial`.
///
/// An item whose `map` is suspended holds up no other, except by the limit of the concurrency. Without a limit, all
/// items begin, however many wait. An item that does not suspend needs no task of its own. A worker goes on with the
/// next item at once, and gives way to other work of its placement about once a millisecond.
///
/// The first error of `map` or `reduce` ends the call, and so does the cancellation of its task, or its limit. The call
/// then cancels the tasks of items that are being mapped, begins no other, and waits until they have ended.
///
/// `map` runs on the placement of the options, `reduce` on the thread that has mapped the value. A concurrency below 1
/// ends the program. `blocking.mapReduce` blocks the thread.
///
/// - Throws: `CallError.failed` with the error of `map` or `reduce`; `CallError.timedOut`; `CallError.cancelled`.
/// - Complexity: O(items), a task for each that suspends and for each thread, and a soup.
@inlinable
public func mapReduce<Item: Sendable, Value: Sendable, Total: Sendable>(
  _ items: some Collection<Item>, into initial: Total, concurrency: Int = .max, ordered: Bool = false,
  within limit: Duration? = nil, _ label: String = "map and reduce", options: Soup.Options = Soup.Options(),
  file: StaticString = #fileID, line: UInt = #line, map: @escaping @Sendable (Item) async throws -> Value,
  reduce: @escaping @Sendable (inout Total, Value) throws -> Void
) async throws(CallError) -> Total {
  let (begin, control) = defineMapReduce(
    items, into: initial, concurrency, isOrdered: ordered, label, options, file, line, map, reduce)
  do throws(CallError) {
    return try await begin(within: limit, file: file, line: line)
  } catch {
    await control.end()
    throw error
  }
}

extension BlockingJobs {
  /// Maps and reduces items, and blocks the thread until it is done; see
  /// ``mapReduce(_:into:concurrency:ordered:within:_:options:file:line:map:reduce:)``.
  ///
  /// ```swift
  /// let size = try blocking.mapReduce(files, into: 0) { file in file.utf8.count } reduce: { $0 += $1 }
  /// ```
  ///
  /// `map` must not be placed on the thread that waits.
  ///
  /// - Throws: as the call that is awaited, except `CallError.cancelled`.
  @available(*, noasync, message: "await mapReduce(_:into:) instead of blocking a thread of Swift concurrency")
  @inlinable
  public func mapReduce<Item: Sendable, Value: Sendable, Total: Sendable>(
    _ items: some Collection<Item>, into initial: Total, concurrency: Int = .max, ordered: Bool = false,
    within limit: Duration? = nil, _ label: String = "map and reduce", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line, map: @escaping @Sendable (Item) async throws -> Value,
    reduce: @escaping @Sendable (inout Total, Value) throws -> Void
  ) throws(CallError) -> Total {
    let (begin, control) = defineMapReduce(
      items, into: initial, concurrency, isOrdered: ordered, label, options, file, line, map, reduce)
    do throws(CallError) {
      return try begin.blocking(within: limit, file: file, line: line)
    } catch {
      control.endBlocking()
      throw error
    }
  }
}

/// Makes the soup of one ``mapReduce``. A call of the returned name begins the work.
@inlinable
func defineMapReduce<Item: Sendable, Value: Sendable, Total: Sendable>(
  _ items: some Collection<Item>, into initial: Total, _ concurrency: Int, isOrdered: Bool, _ label: String,
  _ options: Soup.Options, _ file: StaticString, _ line: UInt,
  _ map: @escaping @Sendable (Item) async throws -> Value,
  _ reduce: @escaping @Sendable (inout Total, Value) throws -> Void
) -> (FastInjector<Void, Total>, Soup.Control) {
  MadeAt("map and reduce", label, file, line).require("the concurrency", concurrency, in: 1...Int.max)
  let items = Array(items)
  return Soup.define(label, with: options, file: file, line: line) { soup in
    let begin = soup.fast("begin", returning: Total.self)
    let worker = soup.slow("worker")
    let next = soup.fast("next", returning: Int?.self)
    let mapped = soup.slow("mapped", of: (number: Int, value: Result<Value, any Error>).self)
    let left = soup.slow("left")
    let account = soup.state("account") {
      Account<Total, Value>(total: initial, items: items.count, concurrency, isOrdered)
    }

    soup.react(state: account, begin, on: .inline) { account, call in
      account.begin(for: call)
      worker.inject(count: account.beginWorkers(Soup.Pool.workers))
    }
    soup.react(worker) { _ async in
      var turn = Turn()
      // An item that cancels its own task ends its worker, but not the items after it.
      while !Task.isCancelled, let number = (try? await next()) ?? nil {
        do { mapped((number, .success(try await map(items[number])))) } catch { mapped((number, .failure(error))) }
        if turn.isOver {
          await Task.yield()
          turn = Turn()
        }
      }
      left()
    }
    // A worker that has given up gets no item, and ends.
    soup.react(state: account, next, on: .inline) { account, call in
      let number = account.next
      if call.reply(number) && number != nil {
        account.beginNext()
        worker.inject(count: account.beginWorkers(1))
      }
    }
    soup.react(state: account, mapped, on: .inline) { account, one in
      account.askers += 1
      do {
        try account.add(one.value, one.number, reduce)
      } catch {
        account.fail(error)
      }
      worker.inject(count: account.beginWorkers(1))
    }
    soup.react(state: account, left, on: .inline) { account, _ in
      account.askers -= 1
      worker.inject(count: account.beginWorkers(1))
    }
    return (begin, soup.control)
  }
}

@usableFromInline
struct Account<Total: Sendable, Value: Sendable> {
  @usableFromInline var total: Total
  @usableFromInline let items: Int
  @usableFromInline let isOrdered: Bool
  /// The number of values that have been reduced.
  @usableFromInline var count = 0
  /// Values that wait for an earlier one, by their numbers. Each keeps its slot.
  @usableFromInline var waiting: [Int: Result<Value, any Error>] = [:]
  /// The number of items that may be mapped now in addition.
  @usableFromInline var slots: Int
  /// The caller, until an error ends the call.
  @usableFromInline var caller: Call<Void, Total>?
  /// The number of items that have been begun.
  @usableFromInline var begun = 0
  /// The number of workers that are about to request an item. While a next item exists, there is such a worker.
  @usableFromInline var askers = 0

  @inlinable
  init(total: Total, items: Int, _ concurrency: Int, _ isOrdered: Bool) {
    self.total = total
    self.items = items
    self.isOrdered = isOrdered
    slots = min(concurrency, items)
  }

  @inlinable
  mutating func begin(for call: Call<Void, Total>) {
    if items == 0 { call.reply(total) } else { caller = call }
  }

  /// The next item, if one may be mapped now.
  @inlinable var next: Int? { begun < items && slots > 0 && caller != nil ? begun : nil }

  /// Counts the next item as begun by a worker.
  @inlinable
  mutating func beginNext() {
    begun += 1
    slots -= 1
    askers -= 1
  }

  /// Counts workers that begin, up to a maximum.
  ///
  /// - Returns: their number.
  @inlinable
  mutating func beginWorkers(_ most: Int) -> Int {
    guard next != nil && askers <= 0 else { return 0 }
    let new = min(most, slots, items - begun)
    askers += new
    return new
  }

  /// Reduces the value in its turn, and then the values that waited for it.
  @inlinable
  mutating func add(
    _ value: Result<Value, any Error>, _ number: Int, _ reduce: (inout Total, Value) throws -> Void
  ) throws {
    if caller == nil { return }
    if isOrdered && number != count {
      waiting[number] = value
      return
    }
    var due: Result<Value, any Error>? = value
    while let value = due {
      try reduce(&total, try value.get())
      count += 1
      slots += 1
      due = waiting.isEmpty ? nil : waiting.removeValue(forKey: count)
    }
    if count == items { caller?.reply(total) }
  }

  /// Fails the call, so that no other item begins.
  @inlinable
  mutating func fail(_ error: any Error) {
    caller?.fail(error)
    caller = nil
  }
}

extension Soup.Control {
  /// Stops a soup, cancels its bodies and waits for them, even if the task is cancelled.
  @usableFromInline
  func end() async {
    // In a separate task, because a cancelled task would not wait.
    await Task { while await !stop(cancelling: true).isQuiet {} }.value
  }

  /// Stops a soup, cancels its bodies, and blocks the thread until they have ended. Requires: the thread runs none of
  /// them.
  @available(*, noasync) @usableFromInline
  func endBlocking() {
    // In a body of another soup, `stop` does not wait.
    if blocking.stop(cancelling: true).isQuiet { return }
    while !blocking.quiet(within: .milliseconds(1)) { cancelBodies() }
  }
}
