public import Crucible

/// Acts on items in batches: when enough have come, or when the first of them has waited for some time.
///
/// ```swift
/// let rows = Batcher<Row>(size: 100, within: .seconds(1)) { rows in try await database.insert(rows) }
/// rows.add(row)
/// rows.flush()                            // the rows so far, now
/// ```
///
/// The definition. A batch has a number. So a timer whose batch was full earlier has no effect:
///
/// ```
/// soup.react(state: batch, add) { batch, item in /* append, or flush; act if it is full */ }
/// soup.react(state: batch, late) { batch, number in if number == batch.number { act(batch.close()) } }
/// soup.react(state: turn, act) { _, items in await action(items) }
/// ```
///
/// The action runs for one batch after the other, in their order. A batch has its items in the order in which they were
/// added. A drain acts on the open batch before it ends. A stop drops the items, and counts them. When the compound is
/// gone, waiting items are dropped.
///
/// - Complexity: O(1), and a timer for each batch.
public struct Batcher<Item: Sendable>: Compound {
  /// Items, and flushes as nil: one name, because the values of one name keep their order.
  @usableFromInline let input: Injector<Item?>
  public let control: Soup.Control

  /// Makes a batcher for batches of `size` items, 1 or more, whose first item waits for `time` at most, by the clock of
  /// the options.
  ///
  /// `action` runs on the placement of the options.
  @inlinable
  public init(
    size: Int, within time: Duration, _ label: String = "batcher", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line, _ action: @escaping @Sendable ([Item]) async throws -> Void
  ) {
    MadeAt("batcher", label, file, line).require("the size", size, in: 1...Int.max)
    (input, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let add = soup.slow("add", of: Item?.self)
      let draining = soup.slow("draining")
      let late = soup.slow("late", of: Int.self)
      let act = soup.slow("act", of: [Item].self, holding: { $0.count })
      let batch = soup.state("batch", holding: { $0.items.count }) { Batch<Item>() }
      let turn = soup.state("turn", 0)

      // What a stop has refused stays in the state, where the stop counts it.
      @Sendable func actNow(_ batch: inout Batch<Item>) {
        if batch.items.isEmpty { return }
        let items = batch.close()
        if !act(items) { batch.items = items }
      }
      soup.react(state: batch, add, on: .inline) { batch, item in
        guard let item else {
          actNow(&batch)
          return
        }
        let count = batch.append(item)
        if count == size || batch.isDraining {
          actNow(&batch)
        } else if count == 1 {
          batch.timer = late.after(time, batch.number)
        }
      }
      soup.react(state: batch, late, on: .inline) { batch, number in
        if number == batch.number { actNow(&batch) }
      }
      soup.react(state: batch, draining, on: .inline) { batch, _ in
        batch.isDraining = true
        actNow(&batch)
      }
      soup.react(state: turn, act) { _, items async throws in try await action(items) }
      soup.whenDraining(draining)

      return (add, soup.control)
    }
  }

  /// Adds an item. Does not block. Returns false if the batcher has been stopped, drains, or is gone.
  @inlinable
  @discardableResult
  public func add(_ item: Item) -> Bool { input(item) }

  /// Acts on the open batch now, if it has items. Does not block. Returns a result as ``add(_:)`` does.
  @inlinable
  @discardableResult
  public func flush() -> Bool { input(nil) }
}

/// The items of a batch that is open.
@usableFromInline
struct Batch<Item> {
  @usableFromInline var number = 0
  @usableFromInline var items: [Item] = []
  @usableFromInline var timer: Soup.Timer?
  /// Whether each item is a batch of its own, because it came too late for the last one.
  @usableFromInline var isDraining = false

  @inlinable init() {}

  /// Adds an item. Returns the number of items.
  @inlinable
  mutating func append(_ item: Item) -> Int {
    items.append(item)
    return items.count
  }

  @inlinable
  mutating func close() -> [Item] {
    defer { items = [] }
    number += 1
    timer?.cancel()
    return items
  }
}
