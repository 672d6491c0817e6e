public import Crucible

/// Maps items beside each other, and reduces what comes out, one after the other.
///
/// ```swift
/// let words = try await mapReduce(files, into: [:], concurrency: 4) { file in
///   try count(wordsOf: file)
/// } reduce: { total, words in
///   total.merge(words, uniquingKeysWith: +)
/// }
/// ```
///
/// The definition. A `slot` lets an item be mapped, and comes back when its value has been reduced:
///
/// ```
/// soup.react(slot, item) { _, item in mapped(try await map(item)) }
/// soup.react(state: total, mapped) { total, value in reduce(&total, value); slot() }     // and the last one replies
/// ```
///
/// Values are reduced as they come, or in the order of the items with `ordered`. At most `concurrency` items are mapped
/// at a time, and with `ordered` so many values wait for an earlier one at most. No items give `initial`.
///
/// The first error of `map` or `reduce` ends it, and so does the end of the task or of the limit: the tasks of items
/// that are being mapped are cancelled, no other begins, and this waits until they have ended.
///
/// `map` runs on the placement of the options, `reduce` on the thread that has mapped the value. A concurrency below 1
/// ends the program.
///
/// - Throws: `CallError.failed` with the error of `map` or `reduce`; `CallError.timedOut`; `CallError.cancelled`.
/// - Complexity: O(items), a task for each, and a soup.
public func mapReduce<Item: Sendable, Value: Sendable, Total: Sendable>(
  _ items: some Collection<Item>, into initial: Total, concurrency: Int = .max, ordered: Bool = false,
  within limit: Duration? = nil, _ label: String = "map and reduce", options: Soup.Options = Soup.Options(),
  file: StaticString = #fileID, line: UInt = #line, map: @escaping @Sendable (Item) async throws -> Value,
  reduce: @escaping @Sendable (inout Total, Value) throws -> Void
) async throws(CallError) -> Total {
  MadeAt("map and reduce", label, file, line).require("the concurrency", concurrency, in: 1...Int.max)
  let items = Array(items)
  if items.isEmpty { return initial }
  let (begin, control) = Soup.define(label, with: options, file: file, line: line) { soup in
    let begin = soup.fast("begin", returning: Total.self)
    let slot = soup.slow("slot")
    let item = soup.slow("item", of: Int.self)
    let mapped = soup.slow("mapped", of: (number: Int, value: Result<Value, any Error>).self)
    let account = soup.state("account") { Account<Total, Value>(total: initial) }

    soup.react(state: account, begin, on: .inline) { account, call in
      account.caller = call
      item.inject(contentsOf: items.indices)
      slot.inject(count: min(concurrency, items.count))
    }
    soup.react(slot, item) { _, number async in
      do { mapped((number, .success(try await map(items[number])))) } catch { mapped((number, .failure(error))) }
    }
    soup.react(state: account, mapped, on: .inline) { account, one in
      account.waiting[ordered ? one.number : account.count] = one.value
      do {
        while let value = account.waiting.removeValue(forKey: account.count) {
          try reduce(&account.total, try value.get())
          account.count += 1
          slot()
        }
        if account.count == items.count { account.caller?.reply(account.total) }
      } catch {
        account.caller?.fail(error)
      }
    }
    return (begin, soup.control)
  }
  do throws(CallError) {
    return try await begin.call((), upTo: limit, file, line)
  } catch {
    await control.end()
    throw error
  }
}

private struct Account<Total: Sendable, Value: Sendable> {
  var total: Total
  /// How many values have been reduced.
  var count = 0
  /// Values by the number of their turn. One that is early keeps its slot.
  var waiting: [Int: Result<Value, any Error>] = [:]
  var caller: Call<Void, Total>?
}

extension Soup.Control {
  /// Stops a soup, cancels its bodies and waits for them, even if the task is cancelled.
  func end() async {
    // In a task of its own: a task that is cancelled would not wait.
    await Task { while await !stop(cancelling: true).isQuiet {} }.value
  }
}
